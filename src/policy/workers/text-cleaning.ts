// Worker thread that removes secrets and invisible characters from large texts.
import { valueIf } from '../../core/defined.ts';
import { parentPort } from 'node:worker_threads';
import { hideFound } from '../known-secrets.ts';
import { redactText } from '../secret-values.ts';
import { type Findings, sanitiseText, type SanitiseOptions } from '../sanitise-text.ts';
import { SecretSearch } from '../secret-search.ts';

export type TextCleaningRequest =
  | {
      readonly kind: 'redact';
      readonly text: string;
      readonly secrets: readonly (readonly string[])[];
    }
  | { readonly kind: 'sanitise'; readonly text: string; readonly options: SanitiseOptions };

export interface TextCleaningAnswer {
  /** The clean text; undefined if the text did not change. */
  readonly text?: string | undefined;
  readonly findings?: Findings;
}

/** The searches for the last tables of secrets, because building them takes long. */
let prepared: { readonly key: string; readonly searches: readonly SecretSearch[] } | undefined;

const prepareSearches = (tables: readonly (readonly string[])[]): readonly SecretSearch[] => {
  const key = JSON.stringify(tables);
  if (prepared?.key !== key) {
    const searches = tables
      .filter((secrets) => secrets.length > 0)
      .map((secrets) => new SecretSearch(secrets));
    prepared = { key, searches };
  }
  return prepared.searches;
};

const clean = (request: TextCleaningRequest): TextCleaningAnswer => {
  const { text } = request;
  if (request.kind === 'sanitise') {
    const { text: kept, findings } = sanitiseText(text, request.options);
    return { text: valueIf(kept !== text, kept), findings };
  }
  const searches = prepareSearches(request.secrets);
  const kept = redactText(text, (input) => searches.reduce(hideFound, input));
  return { text: valueIf(kept !== text, kept) };
};

parentPort?.on('message', (request: TextCleaningRequest) =>
  parentPort?.postMessage(clean(request)),
);
