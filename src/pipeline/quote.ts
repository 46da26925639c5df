// Quotes page text in notes and messages: in JSON quotes, short and redacted.
import { listOrigins } from '../browser/tabs/shown-page.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Call } from './call.ts';

const MAX_QUOTED_CHARS = 100;
/** More than a quote shows, so that a secret at its end is still recognised. */
const MAX_REDACTED_CHARS = 10_000;

/** Redacts before the cut: a part of a secret is not recognised. */
export const quoteFromPage = (text: string, redactor: Redactor): string => {
  const safe = redactor.text(text.slice(0, MAX_REDACTED_CHARS));
  return JSON.stringify(
    safe.length > MAX_QUOTED_CHARS ? `${safe.slice(0, MAX_QUOTED_CHARS)}…` : safe,
  );
};

/** The redactor of a call: it knows the origins of the call's tab. */
export const redactorFor = ({ services, course: { tab } }: Call): Redactor =>
  tab ? services.redactor.forOrigins(listOrigins(tab)) : services.redactor;
