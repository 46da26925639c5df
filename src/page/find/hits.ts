// Selects and describes the best matches, visible ones first, or the most similar elements.
import { describeStates } from '../element-values.ts';
import { collectPieces, FindPatience, readText, TEST_IDS } from '../find-words.ts';
import { computeFingerprint } from '../fingerprint.ts';
import {
  everyControl,
  isSeen,
  modalDialog,
  nearMisses,
  type QueryWords,
  readWords,
} from '../match-words.ts';
import { computeName } from '../names.ts';
import { addCount, defined, getOrCreate, ifDefined, listDefined } from '../objects.ts';
import { computeRole } from '../roles.ts';
import {
  attributeText,
  closest,
  hasAttribute,
  isBefore,
  localName,
  queryAll,
} from '../safe-dom.ts';
import { composedParent, isInside } from '../shadow.ts';
import { assignId } from '../state.ts';
import { oneLine, textIf } from '../visible-text.ts';
import { excerpt, fold, isSimilarTo } from '../words.ts';
import { collectElementContext, itemKind } from './around.ts';
import type { ElementContext, Hit, Missing } from './find-answers.ts';
import { type ElementsInside, findAnchors, findNeighbours } from './near.ts';
import { type RankedElement, roleAsRead, Search } from './search.ts';

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

// Finds the most similar elements if a search has no match.

interface Miss {
  readonly missing: Missing;
  readonly closest: readonly RankedElement[];
  readonly roles?: readonly (readonly [role: string, count: number])[];
}

const MAX_MS = 200;
const MIN_LIKENESS = 0.3;

const unranked = (elements: readonly Element[]): RankedElement[] =>
  elements.map((element) => ({ element, rank: [0, 0] }));

export const findMissing = (search: Search, limit: number): Miss => {
  const { near, spec } = search;
  if (near) return findBesideMiss(search, near, limit);
  if (spec.query !== undefined || spec.label !== undefined)
    return { missing: 'no_match', closest: findSimilar(search, limit) };
  if (spec.testId !== undefined)
    return {
      missing: 'no_match',
      closest: unranked(findSimilarTestIds(search, spec.testId, limit)),
    };
  return defined({
    missing: 'no_match',
    closest: [],
    roles: search.roles && spec.selector === undefined ? countRoles(search) : undefined,
  });
};

/** Elements with the requested name but another role, else elements with a similar name. */
const findSimilar = (
  { roots, query, label, spec }: Search,
  limit: number,
): readonly RankedElement[] => {
  const words = spec.query ?? spec.label ?? '';
  const matcher = query ?? label;
  const others =
    spec.role === undefined && !label
      ? []
      : new Search({ query: words, limit }, roots, new FindPatience(MAX_MS)).run();
  if (others.length > 0) return others.sort((a, b) => a.rank[1] - b.rank[1]).slice(0, limit);
  return unranked(nearMisses(words, limit, defined({ roots, matcher })));
};

const findSimilarTestIds = ({ roots }: Search, testId: string, limit: number): Element[] => {
  const similarity = isSimilarTo(fold(testId));
  const found: { readonly element: Element; readonly score: number }[] = [];
  const patience = new FindPatience(MAX_MS);
  for (const root of roots) {
    for (const element of queryAll(root, TEST_IDS.map((name) => `[${name}]`).join(','))) {
      if (!patience.left) break;
      const name = TEST_IDS.find((one) => hasAttribute(element, one)) ?? '';
      const score = similarity(fold(attributeText(element, name)));
      if (score >= MIN_LIKENESS) found.push({ element, score });
    }
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ element }) => element);
};

/**
 * If the `near` words are on the page, returns the controls beside them. Otherwise returns matches
 * beside one of the words or beside similar words.
 */
const findBesideMiss = (search: Search, near: QueryWords, limit: number): Miss => {
  const { roots } = search;
  const patience = new FindPatience(MAX_MS);
  const anchors = findAnchors(roots, near, patience);
  if (anchors.length > 0) {
    const beside = findNeighbours(anchors, findControlsInside(patience), patience);
    return {
      missing: 'near_without',
      closest: unranked(beside.slice(0, limit).map(({ element }) => element)),
    };
  }
  for (const word of near.each.toSorted((a, b) => b.length - a.length).slice(0, 4)) {
    const beside = near.each.length === 1 ? [] : search.beside(readWords(word));
    if (beside.length > 0) return { missing: 'near_nowhere', closest: beside.slice(0, limit) };
  }
  return {
    missing: 'near_nowhere',
    closest: unranked(findBesideSimilar(search, near, patience).slice(0, limit)),
  };
};

const MIN_ITEM_LIKENESS = 0.5;

/** Matching elements in items whose text is similar to the words. */
const findBesideSimilar = (search: Search, near: QueryWords, patience: FindPatience): Element[] => {
  const similarity = isSimilarTo(near.text);
  const scores = new Map<Element, number>();
  const found: { readonly element: Element; readonly score: number }[] = [];
  for (const element of search.candidates()) {
    if (!patience.left) break;
    const item = findItem(element);
    if (!item || search.rank(element) === undefined) continue;
    const score = getOrCreate(scores, item, () =>
      Math.max(0, ...collectPieces(item).map((piece) => similarity(fold(piece)))),
    );
    if (score >= MIN_ITEM_LIKENESS) found.push({ element, score });
  }
  return found.sort((a, b) => b.score - a.score).map(({ element }) => element);
};

const findItem = (element: Element): Element | undefined => {
  for (let at = composedParent(element); at; at = composedParent(at))
    if (itemKind(at) !== undefined) return at;
  return undefined;
};

/** Returns the visible controls inside an element. */
const findControlsInside =
  (patience: FindPatience): ElementsInside =>
  (element) =>
    [...everyControl([element], patience)].filter(isSeen);

const countRoles = ({ roots }: Search): [role: string, count: number][] => {
  const counts = new Map<string, number>();
  for (const element of everyControl(roots, new FindPatience(MAX_MS))) {
    const role = computeRole(element, localName(element));
    if (role !== '') addCount(counts, role);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
};
