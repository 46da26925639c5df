// Selects the best matches, visible ones first, and describes them.
import { isInside } from '../shadow.ts';
import { ifDefined, listDefined } from '../objects.ts';
import { attributeText, closest, hasAttribute, isBefore, localName } from '../safe-dom.ts';
import { computeFingerprint } from '../fingerprint.ts';
import { assignId } from '../state.ts';
import { isSeen, modalDialog } from '../match-words.ts';
import { computeName } from '../names.ts';
import { collectPieces, TEST_IDS, readText } from '../find-words.ts';
import { describeStates } from '../element-values.ts';
import { oneLine, textIf } from '../visible-text.ts';
import { excerpt, fold } from '../words.ts';
import type { ElementContext, Hit } from './find-answers.ts';
import { collectElementContext } from './around.ts';
import { type RankedElement, roleAsRead, type Search } from './search.ts';

const MAX_NAME_CHARS = 60;

const byRank = (a: RankedElement, b: RankedElement): number =>
  a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];

/** Sorts equal ranks by document order. Used only for the few hits that are returned. */
const byPlace = (a: RankedElement, b: RankedElement): number =>
  byRank(a, b) || (isBefore(a.element, b.element) ? -1 : 1);

/**
 * Returns the best visible matches, then hidden ones up to the limit. Checks visibility only until
 * enough visible matches are found.
 */
export const compareVisibility = (
  found: RankedElement[],
  limit: number,
  inOrderMet: boolean,
): RankedElement[] => {
  const seen: RankedElement[] = [];
  const hidden: RankedElement[] = [];
  const modal = modalDialog();
  for (const one of found.sort(byRank)) {
    if (seen.length >= limit) break;
    if (explainUnusable(one.element, modal) === '') seen.push(one);
    else if (hidden.length < limit) hidden.push(one);
  }
  const order = inOrderMet ? byRank : byPlace;
  return [...seen.sort(order), ...hidden.sort(order)].slice(0, limit);
};

/**
 * Returns why an element cannot be acted on, or '' if it can. An option is visible if its select
 * is.
 */
export const explainUnusable = (element: Element, modal: Element | undefined): string => {
  const shown = localName(element) === 'option' ? (closest(element, 'select') ?? element) : element;
  if (!isSeen(shown)) return 'hidden';
  if (closest(element, '[inert]')) return 'inert';
  return textIf(modal && !isInside(element, modal), 'behind-dialog');
};

export const describeHit = ({ element, rank }: RankedElement, search: Search): Hit => {
  const { known, query, label, near } = search;
  const tag = localName(element);
  const role = roleAsRead(element, tag);
  const name =
    computeName(element, tag, role, known).text ||
    (HOLDING.has(tag) || role === 'textbox' ? '' : oneLine(collectPieces(element).join(' ')));
  const words = (query ?? label)?.words;
  const absent = explainUnusable(element, modalDialog());
  const states = [
    describeStates(element, tag, role),
    ...describeRequested(element, search),
    absent,
  ];
  return {
    id: assignId(element),
    role: role || tag,
    name: excerpt(name, words?.stripped ?? words?.text ?? '', MAX_NAME_CHARS),
    states: states.filter(Boolean).join(' '),
    ...computeFingerprint(element),
    hidden: absent !== '',
    rank,
    // Context that only repeats the name is dropped.
    around: [
      ...describeLabelText(element, search),
      ...collectElementContext(element, known, near),
    ].filter(({ text }) => text === '' || fold(text) !== fold(name)),
  };
};

/** The text that the search used as the field's label. */
const describeLabelText = (element: Element, { labels }: Search): ElementContext[] => {
  const text = labels.get(element);
  return text
    ? [{ kind: 'after', text: excerpt(oneLine(readText(text).slice(0, 200)), '', MAX_NAME_CHARS) }]
    : [];
};

/** Tags whose text content is not used as a name: it is a value, options or code. */
const HOLDING = new Set(['input', 'textarea', 'select', 'iframe', 'script', 'style']);

const quote = (text: string): string => JSON.stringify(excerpt(oneLine(text), '', MAX_NAME_CHARS));

/**
 * Requested details that the name does not show: the matching option, and a test id that differs
 * from the requested one.
 */
const describeRequested = (element: Element, { options, spec: { testId } }: Search): string[] => {
  const option = options.get(element) as HTMLOptionElement | undefined;
  const named =
    testId === undefined ? undefined : TEST_IDS.find((name) => hasAttribute(element, name));
  const id = named === undefined ? testId : attributeText(element, named);
  return [
    ...listDefined(ifDefined(option, (option) => `option=${quote(option.label)}`)),
    ...(id === undefined || id === testId ? [] : [`testId=${quote(id)}`]),
  ];
};
