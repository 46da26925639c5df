// Finds the elements whose text, naming attributes or field values contain given words.
import {
  attributeText,
  firstChild,
  firstElementChild,
  getData,
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

/** A whole tree, or one element to search inside. */
export type SearchScope = Root | Element;

/** Time limit of a search. */
export class FindPatience {
  readonly #endsAt: number;
  #count = 0;
  /** The time limit was reached before the search ended. */
  over = false;

  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  /** Read once per node: false if the time limit is reached. */
  get left(): boolean {
    if ((++this.#count & 63) === 0 && performance.now() > this.#endsAt) this.over = true;
    return !this.over;
  }
}

const getTextContent = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get as (
  this: Node,
) => string | null;

/** All text inside an element, as it is in the document. */
export const readText = (node: Node): string => getTextContent.call(node) ?? '';

const MAX_PIECES = 200;
const MAX_SPACED = 2000;

/**
 * The text nodes inside an element as separate strings: neighbouring cells often have no space
 * between them in the document.
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

/** Elements whose text is not shown. */
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'head']);
/** Longer texts are searched child by child, so that they are not folded again at every level. */
const BIG = 20_000;
const MAX_TEXT = 1_000_000;

const ownTextHolds = (element: Element, words: readonly string[]): boolean => {
  let text = '';
  for (let node = firstChild(element); node && text.length < MAX_TEXT; node = nextSibling(node))
    if (isText(node)) text += getData(node);
  return containsEach(fold(text.slice(0, MAX_TEXT)), words);
};

/** Whether the text contains the words; 'big' if the children must be searched to know. */
const mayHold = (element: Element, words: readonly string[]): 'no' | 'yes' | 'big' => {
  if (UNREAD.has(localName(element))) return 'no';
  const text = readText(element);
  if (text.length > BIG && firstElementChild(element)) return 'big';
  return containsEach(fold(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text), words)
    ? 'yes'
    : 'no';
};

/** The smallest elements whose text contains all the words, in document order. */
export const seekText = (
  scope: SearchScope,
  words: readonly string[],
  patience: FindPatience,
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

/** Attributes that authors set to identify elements in tests. */
export const TEST_IDS = [
  'data-testid',
  'data-test-id',
  'data-test',
  'data-qa',
  'data-cy',
  'data-pw',
];
/** Attributes whose text is shown or read out by screen readers. */
export const SPOKEN = ['aria-label', 'title', 'alt', 'placeholder', 'aria-placeholder'];
/** Buttons whose text is an attribute or a default of the browser. */
const VALUE_BUTTONS =
  'input[type=submit],input[type=button],input[type=reset],input[type=file],input[type=image]';

/** The elements that have all the words in one of these attributes. */
const seekAttributes = (
  scope: SearchScope,
  names: readonly string[],
  words: readonly string[],
  patience: FindPatience,
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
  containsEach(fold(attributeText(element, name).slice(0, BIG)), words);

/**
 * The elements that have the words in an attribute that is shown or read out; and all buttons whose
 * text may be a default of the browser.
 */
export const seekSpoken = (
  scope: SearchScope,
  words: readonly string[],
  patience: FindPatience,
): Element[] => [
  ...seekAttributes(scope, SPOKEN, words, patience),
  ...queryAll(scope, VALUE_BUTTONS),
];

/** The elements whose test id contains all the words. */
export const seekTestIds = (
  scope: SearchScope,
  words: readonly string[],
  patience: FindPatience,
): Element[] => seekAttributes(scope, TEST_IDS, words, patience);

/** The elements whose id or name is equal to the text, ignoring case. */
export const seekIdentifier = (scope: SearchScope, text: string): Element[] => {
  const value = CSS.escape(text);
  return [...queryAll(scope, `[id="${value}" i],[name="${value}" i]`)];
};

/** The fields whose shown value contains all the words. */
export const seekValues = (
  scope: SearchScope,
  words: readonly string[],
  patience: FindPatience,
): Element[] => {
  const found: Element[] = [];
  for (const field of queryAll(scope, 'input,textarea,select')) {
    if (!patience.left) break;
    if (containsEach(fold(readShownValue(field).slice(0, BIG)), words)) found.push(field);
  }
  return found;
};

const UNSHOWN = new Set(['password', 'hidden', 'checkbox', 'radio', 'file', 'image']);

/** The shown value of a field; '' for passwords, hidden fields and fields without text. */
export const readShownValue = (field: Element): string => {
  if (localName(field) === 'select')
    return [...(field as HTMLSelectElement).selectedOptions].map(({ label }) => label).join(' ');
  return localName(field) === 'input' && UNSHOWN.has(inputType(field))
    ? ''
    : (field as HTMLInputElement).value;
};
