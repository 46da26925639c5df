// Finds elements near given words: in the same row, card or item, else under the same heading.
import { composedParent } from '../shadow.ts';
import { attributeText, isBefore, localName, type Root } from '../safe-dom.ts';
import { computeRole } from '../roles.ts';
import {
  type FindPatience,
  collectPieces,
  seekSpoken,
  seekText,
  seekValues,
  readShownValue,
  SPOKEN,
  readText,
} from '../find-words.ts';
import { containsEach, fold, includesWords, includesEachWord } from '../words.ts';
import type { QueryWords } from '../match-words.ts';
import { listIf, valueIf } from '../objects.ts';
import { itemKind } from './around.ts';
import { FIELD_TAGS } from '../element-kinds.ts';

/**
 * How well a text matches the words: whole text, phrase, all words in any order, parts of words.
 */
const LEVEL = { whole: 0, phrase: 1, words: 2, letters: 3 } as const;
/**
 * Added to the level if the words are not in the same item as the element, but in a part of the
 * page around it.
 */
const UNDER = 4;

interface Anchor {
  readonly element: Element;
  readonly level: number;
}

export interface Neighbour {
  readonly element: Element;
  readonly level: number;
}

const MAX_ANCHORS = 3000;
const MAX_TEXT = 20_000;

/**
 * The elements that contain the words. Scattered words and parts of words count only if there is no
 * better match.
 */
export const findAnchors = (
  roots: readonly Root[],
  words: QueryWords,
  patience: FindPatience,
): Anchor[] => {
  const found = new Map<Element, number>();
  for (const root of roots) {
    for (const seek of [seekText, seekSpoken, seekValues]) {
      for (const element of seek(root, words.each, patience)) {
        if (found.size >= MAX_ANCHORS) break;
        const level = computeLevel(element, words);
        if (level !== undefined)
          found.set(element, Math.min(level, found.get(element) ?? LEVEL.letters));
      }
    }
  }
  const anchors = [...found].map(([element, level]) => ({ element, level }));
  const best = anchors.reduce((least, { level }) => Math.min(least, level), Infinity);
  return anchors.filter(({ level }) => level <= Math.max(best, LEVEL.phrase));
};

const computeLevel = (element: Element, words: QueryWords): number | undefined => {
  const texts = [
    readText(element).slice(0, MAX_TEXT),
    collectPieces(element).join(' '),
    ...SPOKEN.map((name) => attributeText(element, name)),
  ];
  const tag = localName(element);
  if (FIELD_TAGS.has(tag)) texts.push(readShownValue(element));
  const levels = texts.flatMap((text) =>
    listIf(text !== '', computeTextLevel(fold(text), words) ?? Infinity),
  );
  const best = Math.min(...levels);
  return valueIf(best !== Infinity, best);
};

const computeTextLevel = (text: string, { text: phrase, each }: QueryWords): number | undefined => {
  if (text === phrase) return LEVEL.whole;
  if (includesWords(text, phrase)) return LEVEL.phrase;
  if (includesEachWord(text, each)) return LEVEL.words;
  return valueIf(containsEach(text, each), LEVEL.letters);
};

/** Returns the matching elements inside an element. */
export type ElementsInside = (element: Element) => readonly Element[];

/** After this many anchors, only the items around an anchor are searched. */
const MAX_LOOSE_ANCHORS = 50;

/**
 * Matching elements beside the anchors. Calls `inside` as late as possible, because it can be slow.
 */
export const findNeighbours = (
  anchors: readonly Anchor[],
  inside: ElementsInside,
  patience: FindPatience,
): Neighbour[] => {
  const found = new Map<Element, number>();
  for (const [i, anchor] of anchors.entries()) {
    if (!patience.left) break;
    const beside = besideAnchor(anchor, inside, i < MAX_LOOSE_ANCHORS);
    for (const element of beside.elements)
      found.set(element, Math.min(beside.level, found.get(element) ?? Infinity));
  }
  return [...found].map(([element, level]) => ({ element, level }));
};

const besideAnchor = (
  { element: anchor, level }: Anchor,
  inside: ElementsInside,
  further: boolean,
): { elements: readonly Element[]; level: number } => {
  for (let at: Element | undefined = anchor; at; at = composedParent(at)) {
    if (itemKind(at) === undefined) continue;
    const elements = inside(at);
    if (elements.length > 0) return { elements: inOrder(elements), level };
  }
  return { elements: further ? under(anchor, inside) : [], level: level + UNDER };
};

const TITLES = new Set(['heading', 'DisclosureTriangle', 'caption', 'term', 'tab']);
const TITLE_TAGS = new Set(['legend', 'label', 'summary', 'dt', 'caption', 'figcaption']);

/** Whether the anchor is in a heading, label, caption or other title. */
const isTitle = (anchor: Element): boolean => {
  for (let at: Element | undefined = anchor, i = 0; at && i < 4; at = composedParent(at), i++) {
    const tag = localName(at);
    if (TITLE_TAGS.has(tag) || TITLES.has(computeRole(at, tag))) return true;
  }
  return false;
};

/**
 * In the smallest ancestor that contains a match: the first match after the anchor, else the last
 * before it.
 */
export const findNearest = (anchor: Element, inside: ElementsInside): Element | undefined => {
  for (let at: Element | undefined = anchor; at; at = composedParent(at)) {
    const elements = inside(at);
    if (elements.length > 0) return byDistance(anchor, inOrder(elements))[0];
  }
  return undefined;
};

/**
 * Matches in the smallest ancestor that contains any. Skips matches in other rows or cards, unless
 * the anchor is a title.
 */
const under = (anchor: Element, inside: ElementsInside): readonly Element[] => {
  const title = isTitle(anchor);
  for (let at: Element | undefined = anchor; at; at = composedParent(at)) {
    const part = at;
    const elements = inside(part);
    if (elements.length === 0) continue;
    const close = title ? elements : elements.filter((element) => !hasOwnItem(element, part));
    return byDistance(anchor, inOrder(close));
  }
  return [];
};

const hasOwnItem = (element: Element, part: Element): boolean => {
  for (let at: Element | undefined = element; at && at !== part; at = composedParent(at))
    if (itemKind(at) !== undefined) return true;
  return false;
};

const inOrder = (elements: readonly Element[]): readonly Element[] =>
  elements.length > 1 ? [...elements].sort((a, b) => (isBefore(a, b) ? -1 : 1)) : elements;

/** Matches after the anchor in document order, then those before it in reverse order. */
const byDistance = (anchor: Element, elements: readonly Element[]): readonly Element[] => {
  const following = elements.filter((element) => isBefore(anchor, element));
  const before = elements.filter((element) => !isBefore(anchor, element));
  return [...following, ...before.toReversed()];
};
