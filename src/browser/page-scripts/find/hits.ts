// The few elements that are told: those that are seen first, each in few words.
import { isInside } from '../act/describe.ts';
import { attribute, closest, hasAttribute, isBefore, localName } from '../dom.ts';
import { computeFingerprint } from '../fingerprint.ts';
import { idOf } from '../ids.ts';
import { isSeen, modalDialog } from '../match.ts';
import { nameOf } from '../names.ts';
import { piecesOf, TEST_IDS, textOf } from '../seek.ts';
import { statesOf } from '../states.ts';
import { oneLine } from '../text.ts';
import { excerpt, fold } from '../words.ts';
import type { Around, Hit } from './answers.ts';
import { aroundOf } from './around.ts';
import { type Found, roleAsRead, type Search } from './search.ts';

const MAX_NAME_CHARS = 60;

const byRank = (a: Found, b: Found): number => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];

/** Of those that fit equally well the first in the page comes first; only the few that are shown are worth the question. */
const byPlace = (a: Found, b: Found): number => byRank(a, b) || (isBefore(a.element, b.element) ? -1 : 1);

/** The best that are seen, then, where there is room, those that are not. Nobody is asked whether it is seen without need. */
export const seenFirst = (found: Found[], limit: number, inOrderMet: boolean): Found[] => {
  const seen: Found[] = [];
  const hidden: Found[] = [];
  const modal = modalDialog();
  for (const one of found.sort(byRank)) {
    if (seen.length >= limit) break;
    if (absence(one.element, modal) === '') seen.push(one);
    else if (hidden.length < limit) hidden.push(one);
  }
  const order = inOrderMet ? byRank : byPlace;
  return [...seen.sort(order), ...hidden.sort(order)].slice(0, limit);
};

/** The word for why an element cannot be acted on; '' where it can. An option is seen where its list is. */
export const absence = (element: Element, modal: Element | undefined): string => {
  const shown = localName(element) === 'option' ? (closest(element, 'select') ?? element) : element;
  if (!isSeen(shown)) return 'hidden';
  if (closest(element, '[inert]')) return 'inert';
  return modal && !isInside(element, modal) ? 'behind-dialog' : '';
};

export const describeHit = ({ element, rank }: Found, search: Search): Hit => {
  const { known, query, label, near } = search;
  const tag = localName(element);
  const role = roleAsRead(element, tag);
  const name =
    nameOf(element, tag, role, known).text || (HOLDING.has(tag) || role === 'textbox' ? '' : oneLine(piecesOf(element).join(' ')));
  const words = (query ?? label)?.words;
  const absent = absence(element, modalDialog());
  const states = [statesOf(element, tag, role), ...askedStates(element, search), absent];
  return {
    id: idOf(element),
    role: role || tag,
    name: excerpt(name, words?.stripped ?? words?.text ?? '', MAX_NAME_CHARS),
    states: states.filter(Boolean).join(' '),
    ...computeFingerprint(element),
    hidden: absent !== '',
    rank,
    // A place that says no more than the name says nothing.
    around: [...beforeIt(element, search), ...aroundOf(element, known, near)].filter(
      ({ text }) => text === '' || fold(text) !== fold(name),
    ),
  };
};

/** The text that was taken for its label. */
const beforeIt = (element: Element, { labels }: Search): Around[] => {
  const text = labels.get(element);
  return text ? [{ kind: 'after', text: excerpt(oneLine(textOf(text).slice(0, 200)), '', MAX_NAME_CHARS) }] : [];
};

/** Elements whose text is no name: what is typed into them, what they let one choose. */
const HOLDING = new Set(['input', 'textarea', 'select', 'iframe', 'script', 'style']);

const quoted = (text: string): string => JSON.stringify(excerpt(oneLine(text), '', MAX_NAME_CHARS));

/** What was asked for and is not told otherwise: the option of a list, a test id that is not quite the one. */
const askedStates = (element: Element, { options, spec: { testId } }: Search): string[] => {
  const option = options.get(element) as HTMLOptionElement | undefined;
  const named = testId === undefined ? undefined : TEST_IDS.find((name) => hasAttribute(element, name));
  const id = named === undefined ? testId : (attribute(element, named) ?? '');
  return [...(option ? [`option=${quoted(option.label)}`] : []), ...(id === undefined || id === testId ? [] : [`testId=${quoted(id)}`])];
};
