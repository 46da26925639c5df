// Finds the most similar elements if a search has no match.
import { addCount, defined, getOrCreate } from '../objects.ts';
import { composedParent } from '../shadow.ts';
import { attributeText, hasAttribute, localName, queryAll } from '../safe-dom.ts';
import { everyControl, isSeen, nearMisses, readWords, type QueryWords } from '../match-words.ts';
import { computeRole } from '../roles.ts';
import { Patience, collectPieces, TEST_IDS } from '../find-words.ts';
import { fold, isSimilarTo } from '../words.ts';
import type { Missing } from './find-answers.ts';
import { itemKind } from './around.ts';
import { findAnchors, type ElementsInside, findNeighbours } from './near.ts';
import { type RankedElement, Search } from './search.ts';

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
      : new Search({ query: words, limit }, roots, new Patience(MAX_MS)).run();
  if (others.length > 0) return others.sort((a, b) => a.rank[1] - b.rank[1]).slice(0, limit);
  return unranked(nearMisses(words, limit, defined({ roots, matcher })));
};

const findSimilarTestIds = ({ roots }: Search, testId: string, limit: number): Element[] => {
  const similarity = isSimilarTo(fold(testId));
  const found: { readonly element: Element; readonly score: number }[] = [];
  const patience = new Patience(MAX_MS);
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
  const patience = new Patience(MAX_MS);
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
const findBesideSimilar = (search: Search, near: QueryWords, patience: Patience): Element[] => {
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
  (patience: Patience): ElementsInside =>
  (element) =>
    [...everyControl([element], patience)].filter(isSeen);

const countRoles = ({ roots }: Search): [role: string, count: number][] => {
  const counts = new Map<string, number>();
  for (const element of everyControl(roots, new Patience(MAX_MS))) {
    const role = computeRole(element, localName(element));
    if (role !== '') addCount(counts, role);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 8);
};
