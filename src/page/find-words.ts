// Where in a tree given words stand: in texts, in attributes that name things, in fields. Goes only
// where they can be.
import {
  attribute,
  getData,
  firstChild,
  firstElementChild,
  hasAttribute,
  isElement,
  isText,
  localName,
  nextElementSibling,
  nextSibling,
  queryAll,
  type Root,
} from './safe-dom.ts';
import { inputType } from './roles.ts';
import { eachFlatChild } from './shadow.ts';
import { oneLine } from './visible-text.ts';
import { containsEach, fold } from './words.ts';

/** Where to look: a whole tree, or inside of one element. */
export type SearchScope = Root | Element;

/** Ends a search on a page that is made to last. */
export class Patience {
  readonly #endsAt: number;
  #count = 0;
  /** The search ended before the page did. */
  over = false;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  /** To be asked for every node: whether to go on. */
  get left(): boolean {
    if ((++this.#count & 63) === 0 && performance.now() > this.#endsAt) this.over = true;
    return !this.over;
  }
}

const textContentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get as (
  this: Node,
) => string | null;

/** All text inside an element, as it stands in the document. */
export const readText = (node: Node): string => textContentOf.call(node) ?? '';

const MAX_PIECES = 200;
const MAX_SPACED = 2000;

/**
 * The pieces of text inside an element, each by itself: cells and items often touch in the
 * document, but not on the screen.
 */
export const collectPieces = (
  element: Element,
  skip: (inner: Element) => boolean = () => false,
): string[] => {
  const pieces: string[] = [];
  let chars = 0;
  const visit = (node: Node): void => {
    if (pieces.length >= MAX_PIECES || chars >= MAX_SPACED) return;
    if (isElement(node)) {
      if (!UNREAD.has(localName(node)) && !skip(node)) eachFlatChild(node, visit);
    } else if (isText(node)) {
      const piece = oneLine(getData(node).slice(0, MAX_SPACED));
      chars += piece.length;
      if (piece !== '') pieces.push(piece);
    }
  };
  eachFlatChild(element, visit);
  return pieces;
};

/** What holds text that nobody reads. */
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head']);
/**
 * Texts beyond this are looked into piece by piece instead of being folded as a whole at every
 * level.
 */
const BIG = 20_000;
const MAX_TEXT = 1_000_000;

const ownTextHolds = (element: Element, words: readonly string[]): boolean => {
  let text = '';
  for (let node = firstChild(element); node && text.length < MAX_TEXT; node = nextSibling(node))
    if (isText(node)) text += getData(node);
  return containsEach(fold(text.slice(0, MAX_TEXT)), words);
};

/** Whether the words can be inside; of large elements that is not known before one has looked. */
const mayHold = (element: Element, words: readonly string[]): 'no' | 'yes' | 'big' => {
  if (UNREAD.has(localName(element))) return 'no';
  const text = readText(element);
  if (text.length > BIG && firstElementChild(element)) return 'big';
  return containsEach(fold(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text), words)
    ? 'yes'
    : 'no';
};

/** The smallest elements whose text holds all the words, in the order of the tree. */
export const seekText = (
  scope: SearchScope,
  words: readonly string[],
  patience: Patience,
): Element[] => {
  const found: Element[] = [];
  const pending: { readonly element: Element; readonly big: boolean }[] = [];
  const pushHolders = (parent: Node): boolean => {
    const holders: { element: Element; big: boolean }[] = [];
    for (
      let child = firstElement(parent);
      child && patience.left;
      child = nextElementSibling(child)
    ) {
      const may = mayHold(child, words);
      if (may !== 'no') holders.push({ element: child, big: may === 'big' });
    }
    for (const holder of holders.toReversed()) pending.push(holder);
    return holders.length > 0;
  };
  pushHolders(scope);
  for (let next = pending.pop(); next && patience.left; next = pending.pop()) {
    const { element, big } = next;
    const deeper = pushHolders(element);
    if (big ? ownTextHolds(element, words) : !deeper) found.push(element);
  }
  return found;
};

const firstElement = (parent: Node): Element | null => {
  if (isElement(parent)) return firstElementChild(parent);
  let child = firstChild(parent);
  while (child && !isElement(child)) child = nextSibling(child);
  return child;
};

/** Names that authors give to elements for their tests. */
export const TEST_IDS = [
  'data-testid',
  'data-test-id',
  'data-test',
  'data-qa',
  'data-cy',
  'data-pw',
];
/** Attributes whose text people see or hear. */
export const SPOKEN = ['aria-label', 'title', 'alt', 'placeholder', 'aria-placeholder'];
/** Buttons whose words are an attribute or the browser's own. */
const VALUE_BUTTONS =
  'input[type=submit],input[type=button],input[type=reset],input[type=file],input[type=image]';

/** The elements of which one of these attributes holds all the words. */
const seekAttributes = (
  scope: SearchScope,
  names: readonly string[],
  words: readonly string[],
  patience: Patience,
): Element[] => {
  const found: Element[] = [];
  for (const element of queryAll(scope, names.map((name) => `[${name}]`).join(','))) {
    if (!patience.left) break;
    if (names.some((name) => attributeHolds(element, name, words))) found.push(element);
  }
  return found;
};

const attributeHolds = (element: Element, name: string, words: readonly string[]): boolean =>
  hasAttribute(element, name) &&
  containsEach(fold((attribute(element, name) ?? '').slice(0, BIG)), words);

/**
 * The elements that say the words without showing them as text; and buttons of which that is only
 * known by asking.
 */
export const seekSpoken = (
  scope: SearchScope,
  words: readonly string[],
  patience: Patience,
): Element[] => [
  ...seekAttributes(scope, SPOKEN, words, patience),
  ...queryAll(scope, VALUE_BUTTONS),
];

/** The elements that their authors call so in tests. */
export const seekTestIds = (
  scope: SearchScope,
  words: readonly string[],
  patience: Patience,
): Element[] => seekAttributes(scope, TEST_IDS, words, patience);

/** The elements whose id or name is exactly this. */
export const seekIdentifier = (scope: SearchScope, text: string): Element[] => {
  const value = CSS.escape(text);
  return [...queryAll(scope, `[id="${value}" i],[name="${value}" i]`)];
};

/** The fields that hold all the words now, as a person sees it. */
export const seekValues = (
  scope: SearchScope,
  words: readonly string[],
  patience: Patience,
): Element[] => {
  const found: Element[] = [];
  for (const field of queryAll(scope, 'input,textarea,select')) {
    if (!patience.left) break;
    if (containsEach(fold(readShownValue(field).slice(0, BIG)), words)) found.push(field);
  }
  return found;
};

const UNSHOWN = new Set(['password', 'hidden', 'checkbox', 'radio', 'file', 'image']);

/** What a field shows, '' where it shows nothing or nothing that may be told. */
export const readShownValue = (field: Element): string => {
  if (localName(field) === 'select')
    return [...(field as HTMLSelectElement).selectedOptions].map(({ label }) => label).join(' ');
  return localName(field) === 'input' && UNSHOWN.has(inputType(field))
    ? ''
    : (field as HTMLInputElement).value;
};
