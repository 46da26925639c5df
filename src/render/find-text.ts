// Renders found elements: one line each, with enough context to distinguish them.

import { addCount, listDefined, listIf } from '../core/collections.ts';
import { ifDefined } from '../core/defined.ts';
import { textIf } from '../core/text.ts';

interface ContextText {
  readonly kind: string;
  readonly text: string;
}

export interface FoundLine {
  readonly ref: string;
  readonly role: string;
  readonly name: string;
  readonly states: string;
  /** The innermost context first. */
  readonly around: readonly ContextText[];
}

export interface FindingView {
  readonly hits: readonly FoundLine[];
  readonly total: number;
  readonly missing?: 'no_match' | 'near_nowhere' | 'near_without';
  readonly closest: readonly FoundLine[];
  readonly roles?: readonly (readonly [role: string, count: number])[] | undefined;
  readonly silent: readonly string[];
  readonly cut: boolean;
}

/** The arguments of the query. */
export interface FindQuery {
  readonly query?: string | undefined;
  readonly role?: string | undefined;
  readonly label?: string | undefined;
  readonly testId?: string | undefined;
  readonly selector?: string | undefined;
  readonly near?: string | undefined;
  readonly waitForMs?: number | undefined;
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

const whatLine = ({ ref, role, name, states }: FoundLine): string =>
  `${ref} ${role}${textIf(name !== '', ` ${quote(name)}`)}${textIf(states !== '', ` ${states}`)}`;

/** Places that a text before the element gives. */
const HEADING_KINDS = new Set(['under', 'after']);

const formatPlace = ({ kind, text }: ContextText): string => {
  if (HEADING_KINDS.has(kind)) return `${kind} ${quote(text)}`;
  return `in ${kind}${textIf(text !== '', ` ${quote(text)}`)}`;
};

const MAX_LEVELS = 3;

/** One line per element; equal lines get more context. */
const foundLines = (hits: readonly FoundLine[]): string[] => {
  const levels = hits.map((hit) => Math.min(1, hit.around.length));
  const formatText = (i: number): string => {
    const hit = hits[i] as FoundLine;
    const places = hit.around.slice(0, levels[i]).map(formatPlace);
    return `${hit.role} ${hit.name} ${hit.states} ${places.join(', ')}`;
  };
  for (let round = 1; round < MAX_LEVELS; round++) {
    const counts = new Map<string, number>();
    for (const i of hits.keys()) addCount(counts, formatText(i));
    const alike = [...hits.keys()].filter((i) => (counts.get(formatText(i)) ?? 0) > 1);
    for (const i of alike)
      levels[i] = Math.min((levels[i] ?? 0) + 1, (hits[i] as FoundLine).around.length);
  }
  return hits.map((hit, i) => {
    const places = hit.around.slice(0, levels[i]).map(formatPlace);
    return whatLine(hit) + textIf(places.length > 0, ` — ${places.join(', ')}`);
  });
};

/** Formats a number as 1,234. */
const number = (value: number): string => value.toLocaleString('en-US');

const MAX_ASKED = 80;
const short = (text: string): string =>
  text.length > MAX_ASKED ? `${text.slice(0, MAX_ASKED - 1)}…` : text;

const askedFor = ({ query, role, label, testId, selector }: FindQuery): string =>
  listDefined(
    ifDefined(query, (query) => quote(short(query))),
    ifDefined(role, (role) => `role ${short(role)}`),
    ifDefined(label, (label) => `label ${quote(short(label))}`),
    ifDefined(testId, (testId) => `testId ${quote(short(testId))}`),
    ifDefined(selector, (selector) => `selector ${short(selector)}`),
  ).join(', ');

const missingLine = ({ missing, closest }: FindingView, asked: FindQuery): string => {
  const what = askedFor(asked);
  const waited = textIf(asked.waitForMs, ` within ${asked.waitForMs} ms`);
  const near = asked.near === undefined ? '' : quote(short(asked.near));
  const more = closest.length > 0;
  if (missing === 'near_nowhere')
    return `No match${waited}: ${near} does not occur on the page.${textIf(more, ' Closest:')}`;
  if (missing === 'near_without') {
    const wanted = textIf(what !== '', ` ${what}`);
    const next = textIf(more, ' Near it:');
    return `No match${waited}: no element near ${near} matches${wanted}.${next}`;
  }
  return `No match${waited} for ${what}.${textIf(more, ' Closest:')}`;
};

const notes = ({ hits, total, silent, cut, roles }: FindingView): string[] => [
  ...listIf(total > hits.length, `… ${number(total - hits.length)} more`),
  ...(roles && hits.length === 0
    ? [`Roles here: ${roles.map(([role, count]) => `${role} ${number(count)}`).join(', ')}`]
    : []),
  ...silent.slice(0, 5).map((url) => `(frame did not respond: ${url.slice(0, 100)})`),
  ...listIf(cut, '(the page was too large to search completely)'),
];

export const renderFinding = (finding: FindingView, asked: FindQuery): string => {
  const { hits, closest } = finding;
  const lines =
    hits.length > 0 ? foundLines(hits) : [missingLine(finding, asked), ...foundLines(closest)];
  return [...lines, ...notes(finding)].join('\n');
};
