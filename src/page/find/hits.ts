// The few elements that are told: those that are seen first, each in few words.
import { isInside } from '../act/describe-target.ts';
import { attribute, closest, hasAttribute, isBefore, localName } from '../safe-dom.ts';
import { computeFingerprint } from '../fingerprint.ts';
import { assignId } from '../ids.ts';
import { isSeen, modalDialog } from '../match-words.ts';
import { computeName } from '../names.ts';
import { collectPieces, TEST_IDS, readText } from '../find-words.ts';
import { describeStates } from '../states.ts';
import { oneLine } from '../visible-text.ts';
import { excerpt, fold } from '../words.ts';
import type { ElementContext, Hit } from './find-answers.ts';
import { collectElementContext } from './around.ts';
import { type RankedElement, roleAsRead, type Search } from './search.ts';

const MAX_NAME_CHARS = 60;

const byRank = (a: RankedElement, b: RankedElement): number =>
  a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];

/**
 * Of those that fit equally well the first in the page comes first; only the few that are shown are
 * worth the question.
 */
const byPlace = (a: RankedElement, b: RankedElement): number =>
  byRank(a, b) || (isBefore(a.element, b.element) ? -1 : 1);

/**
 * The best that are seen, then, where there is room, those that are not. Nobody is asked whether it
 * is seen without need.
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
    if (absence(one.element, modal) === '') seen.push(one);
    else if (hidden.length < limit) hidden.push(one);
  }
  const order = inOrderMet ? byRank : byPlace;
  return [...seen.sort(order), ...hidden.sort(order)].slice(0, limit);
};

/**
 * The word for why an element cannot be acted on; '' where it can. An option is seen where its list
 * is.
 */
export const absence = (element: Element, modal: Element | undefined): string => {
  const shown = localName(element) === 'option' ? (closest(element, 'select') ?? element) : element;
  if (!isSeen(shown)) return 'hidden';
  if (closest(element, '[inert]')) return 'inert';
  return modal && !isInside(element, modal) ? 'behind-dialog' : '';
};

export const describeHit = ({ element, rank }: RankedElement, search: Search): Hit => {
  const { known, query, label, near } = search;
  const tag = localName(element);
  const role = roleAsRead(element, tag);
  const name =
    computeName(element, tag, role, known).text ||
    (HOLDING.has(tag) || role === 'textbox' ? '' : oneLine(collectPieces(element).join(' ')));
  const words = (query ?? label)?.words;
  const absent = absence(element, modalDialog());
  const states = [describeStates(element, tag, role), ...askedStates(element, search), absent];
  return {
    id: assignId(element),
    role: role || tag,
    name: excerpt(name, words?.stripped ?? words?.text ?? '', MAX_NAME_CHARS),
    states: states.filter(Boolean).join(' '),
    ...computeFingerprint(element),
    hidden: absent !== '',
    rank,
    // A place that says no more than the name says nothing.
    around: [...beforeIt(element, search), ...collectElementContext(element, known, near)].filter(
      ({ text }) => text === '' || fold(text) !== fold(name),
    ),
  };
};

/** The text that was taken for its label. */
const beforeIt = (element: Element, { labels }: Search): ElementContext[] => {
  const text = labels.get(element);
  return text
    ? [{ kind: 'after', text: excerpt(oneLine(readText(text).slice(0, 200)), '', MAX_NAME_CHARS) }]
    : [];
};

/** Elements whose text is no name: what is typed into them, what they let one choose. */
const HOLDING = new Set(['input', 'textarea', 'select', 'iframe', 'script', 'style']);

const quoted = (text: string): string => JSON.stringify(excerpt(oneLine(text), '', MAX_NAME_CHARS));

/**
 * What was asked for and is not told otherwise: the option of a list, a test id that is not quite
 * the one.
 */
const askedStates = (element: Element, { options, spec: { testId } }: Search): string[] => {
  const option = options.get(element) as HTMLOptionElement | undefined;
  const named =
    testId === undefined ? undefined : TEST_IDS.find((name) => hasAttribute(element, name));
  const id = named === undefined ? testId : (attribute(element, named) ?? '');
  return [
    ...(option ? [`option=${quoted(option.label)}`] : []),
    ...(id === undefined || id === testId ? [] : [`testId=${quoted(id)}`]),
  ];
};
