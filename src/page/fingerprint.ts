// Computes the fingerprint of an element from text nodes and attributes of the DOM only. Styles,
// pointer, focus and the part that is read do not change it. It is computed for every control of a
// read, so its cost is bounded.
import {
  attribute,
  attributeText,
  contains,
  firstChild,
  getData,
  getTextContent,
  isElement,
  localName,
  nextElementSibling,
  nextSibling,
  nodeType,
  openShadowRoot,
  parentNode,
  previousElementSibling,
  query,
} from './safe-dom.ts';
import {
  HAS_ALT,
  HAS_CLASS,
  HAS_EDITABLE,
  HAS_KEY,
  HAS_LABEL,
  HAS_ROLE,
  hasAny,
  readFlags,
} from './attribute-flags.ts';
import { getOrCreate } from './objects.ts';
import { type FingerprintPlace, formatFingerprint } from './fingerprint-text.ts';
import { isBlank, shortLine, textIf } from './visible-text.ts';
import { PAGE_TAGS, PRESENTATION_ROLES } from './element-kinds.ts';
import { state } from './state.ts';

const PLACES_WITHOUT_LIST = new Set<string>(['none', 'button in row']);

const MAX_LEVELS = 12;
/** Maximum number of nested cards and groups that count, if none is a row or list item. */
const MAX_ITEMS = 3;
const MAX_SIBLING_LEVELS = 4;
const MAX_PIECES = 30;
const MAX_NODES = 150;
const MAX_CHARS = 160;
const MAX_SIBLING_CHARS = 60;
const MAX_BESIDE_CHARS = 60;
/** This many siblings of one tag are a list, even without classes. */
const LIST_LENGTH = 10;

const ELEMENT = 1;
const TEXT = 3;

const UNREAD = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'select',
  'textarea',
  'datalist',
  'iframe',
  'object',
]);
const STRONG_TAGS = new Map([
  ['li', 'listitem'],
  ['tr', 'row'],
  ['article', 'article'],
]);
const STRONG_ROLES = new Map([
  ['listitem', 'listitem'],
  ['treeitem', 'listitem'],
  ['row', 'row'],
  ['article', 'article'],
]);
const BUTTON_TAGS = new Set(['button', 'input', 'summary']);
const BUTTON_ROLES = new Set([
  'button',
  'switch',
  'checkbox',
  'radio',
  'tab',
  'menuitemcheckbox',
  'menuitemradio',
]);
const TYPED_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const SKIPPED_ROLES = new Set<string>([...BUTTON_ROLES, ...TYPED_ROLES]);
const ITEM_KEYS = ['id', 'data-id', 'data-key', 'data-testid', 'data-test'];
const ELEMENT_KEYS = ['id', 'data-testid', 'data-test', 'name'];

/**
 * Computes fingerprints of the current DOM. It caches, so create a new one after the page has run.
 */
export class Fingerprinter {
  /** Maps an element to its nearest item: itself or an ancestor. */
  readonly #nearest = new Map<Element, NearestItem | undefined>();
  readonly #words = new Map<Element, ItemWords>();
  /** Ancestors of the element visited last that are list items or rows, innermost first. */
  #items: Item[] = [];

  compute(element: Element): string {
    const fingerprint = this.#compute(element);
    // A shadow root changed, which is not observed.
    if ((state.fingerprints.get(element) ?? fingerprint) !== fingerprint)
      state.fingerprints.clear();
    return fingerprint;
  }

  #compute(element: Element): string {
    const place = this.#findPlace(element);
    const items = this.#items;
    let [fixed, numbers] = [START, START];
    if (place !== 'none') fixed = addKeys(fixed, element, ELEMENT_KEYS);
    for (const item of items) {
      fixed = addHash(fixed, this.#fixedPart(item));
      numbers = addHash(numbers, item.words.numbers);
    }
    return formatFingerprint({
      place,
      own: formatHash(addOwnWords(START, element)),
      fixed: formatHash(fixed),
      numbers: formatHash(numbers),
      rows: formatHash(items.length > 0 ? this.#rowsPart(items.at(-1) as Item) : START),
      siblings: formatHash(
        PLACES_WITHOUT_LIST.has(place) ? addSiblings(START, element, items[0]?.element) : START,
      ),
    });
  }

  /** The other words of the row, card or list item of an element, for messages. */
  describeRow(element: Element, maxChars = MAX_BESIDE_CHARS): string {
    this.#findPlace(element);
    const [item] = this.#items;
    if (!item) return '';
    const texts: string[] = [];
    const collector = new WordCollector(
      item.kind,
      (node, text) => contains(element, node) || texts.push(text),
    );
    collector.visitInside(item.element, undefined);
    return shortLine(texts.join(' '), maxChars);
  }

  /**
   * Finds the items around an element that have words outside of it, up to the first row, list item
   * or article.
   */
  #findPlace(element: Element): FingerprintPlace {
    this.#items = [];
    const parent = findParent(element);
    let item = findNearby(parent && this.#findNearest(parent));
    const isEntry = item !== undefined;
    for (; item && this.#items.length < MAX_ITEMS; item = item.outer) {
      if (!hasWordsOutside(item, element)) continue;
      this.#items.push(item);
      if (STRONG_ROLES.has(item.kind)) break;
    }
    if (this.#items.length > 0) return isButton(element) ? 'button in row' : 'row';
    return isEntry || isListEntry(element) ? 'list' : 'none';
  }

  /**
   * Fills the cache down from the first cached ancestor. Not recursive, because nesting has no
   * limit.
   */
  #findNearest(element: Element): NearestItem | undefined {
    if (this.#nearest.has(element)) return this.#nearest.get(element);
    const path: Element[] = [];
    let at: Element | undefined = element;
    for (; at && !this.#nearest.has(at); at = findParent(at)) path.push(at);
    let nearest = at && this.#nearest.get(at);
    for (let i = path.length - 1; i >= 0; i--) {
      const one = path[i] as Element;
      const kind = findKind(one);
      if (kind !== '') {
        const outer = findNearby(nearest);
        nearest = {
          item: { element: one, kind, words: this.#readWords(one, kind), outer, fixed: 0, rows: 0 },
          levels: 0,
        };
      } else if (nearest) nearest = { item: nearest.item, levels: nearest.levels + 1 };
      this.#nearest.set(one, nearest);
    }
    return nearest;
  }

  /**
   * The kind must be that of the element: otherwise the cached words would depend on which
   * neighbour was read first.
   */
  #readWords(item: Element, kind?: string): ItemWords {
    return getOrCreate(this.#words, item, () => readItemWords(item, kind ?? findKind(item)));
  }

  /** The ids, the first link and the words of an item; numbers count in its first text only. */
  #fixedPart(item: Item): number {
    if (item.fixed !== 0) return item.fixed;
    const { element, words } = item;
    const link = query(element, 'a[href]');
    const keys = addKeys(START, element, ITEM_KEYS);
    const hash = link ? addText(keys, attributeText(link, 'href').slice(0, 2 * MAX_CHARS)) : keys;
    return (item.fixed = addHash(hash, words.fixed));
  }

  #rowsPart(item: Item): number {
    if (item.rows !== 0) return item.rows;
    const rows = addHash(START, this.#hashWords(previousElementSibling(item.element)));
    return (item.rows = addHash(rows, this.#hashWords(nextElementSibling(item.element))));
  }

  #hashWords(row: Element | null): number {
    return row ? this.#readWords(row).all : START;
  }
}

/** Hashes of the words of an item, and the first and the last node that have some. */
interface ItemWords {
  first: Node | undefined;
  last: Node | undefined;
  all: number;
  /** All words; numbers in the first piece of text only. */
  fixed: number;
  numbers: number;
}

/** A row, card or list item. */
interface Item {
  readonly element: Element;
  readonly kind: string;
  readonly words: ItemWords;
  /** The nearest item around it, at most MAX_LEVELS away. */
  readonly outer: Item | undefined;
  /** Hashes that are computed for the first element that needs them; 0 before. */
  fixed: number;
  rows: number;
}

interface NearestItem {
  readonly item: Item;
  /** Number of elements between the item and the element. */
  readonly levels: number;
}

/** The item, if it is at most MAX_LEVELS away. */
const findNearby = (nearest: NearestItem | undefined): Item | undefined =>
  nearest && nearest.levels < MAX_LEVELS ? nearest.item : undefined;

/** The fingerprint of a single element, and the other words of its row. */
export const computeFingerprint = (
  element: Element,
): { readonly fingerprint: string; readonly beside: string } => {
  const fingerprinter = new Fingerprinter();
  return {
    fingerprint: fingerprinter.compute(element),
    beside: fingerprinter.describeRow(element),
  };
};

/** The parent element; of the top elements of a shadow root its host. */
const findParent = (node: Node): Element | undefined => {
  const parent = parentNode(node);
  if (!parent) return undefined;
  if (isElement(parent)) return parent;
  return parent instanceof ShadowRoot ? parent.host : undefined;
};

/** The words are in document order, so comparing the first and the last is enough. */
const hasWordsOutside = ({ words: { first, last } }: Item, element: Element): boolean =>
  first !== undefined &&
  last !== undefined &&
  !(contains(element, first) && contains(element, last));

const readItemWords = (item: Element, kind: string): ItemWords => {
  const words: ItemWords = {
    first: undefined,
    last: undefined,
    all: START,
    fixed: START,
    numbers: START,
  };
  const add = (node: Node, text: string): void => {
    addToWords(words, text);
    words.first ??= node;
    words.last = node;
  };
  new WordCollector(kind, add).visitInside(item, undefined);
  return words;
};

const isButton = (element: Element): boolean =>
  BUTTON_TAGS.has(localName(element)) || BUTTON_ROLES.has(attributeText(element, 'role'));

const isTypedInto = (tag: string, role: string, flags: number): boolean =>
  UNREAD.has(tag) || (flags & HAS_EDITABLE) !== 0 || TYPED_ROLES.has(role);

/** The words of an attribute; null without one. */
const readLabel = (element: Element, flags: number): string | null => {
  const label = flags & HAS_LABEL ? attribute(element, 'aria-label') : null;
  return label ?? (flags & HAS_ALT ? attribute(element, 'alt') : null);
};

/**
 * Adds the role and the words of an element, but neither typed text nor the words of nested items.
 */
const addOwnWords = (hash: number, element: Element): number => {
  const tag = localName(element);
  const flags = readFlags(element);
  const role = flags & HAS_ROLE ? attributeText(element, 'role') : '';
  const label = flags & (HAS_LABEL | HAS_ALT) ? (readLabel(element, flags) ?? '') : '';
  const labelled = addText(addText(hash, role), label.slice(0, MAX_CHARS));
  if (flags !== 0 && isTypedInto(tag, role, flags)) return labelled;
  const kind = STRONG_ROLES.get(role) ?? STRONG_TAGS.get(tag);
  return kind ? addEntryWords(labelled, element, kind) : addContent(labelled, element);
};

const addEntryWords = (hash: number, element: Element, kind = ''): number =>
  addHash(hash, readItemWords(element, kind).all);

const addContent = (hash: number, element: Element): number =>
  addText(hash, getTextContent(element).slice(0, MAX_CHARS));

const addKeys = (hash: number, element: Element, names: readonly string[]): number => {
  if (!hasAny(element, HAS_KEY)) return hash;
  for (const name of names) {
    const value = attribute(element, name);
    if (value) return addText(addText(hash, name), value.slice(0, MAX_CHARS));
  }
  return hash;
};

/**
 * Adds the words of the neighbours with the same tag, of the element or of its nearest ancestor
 * that has such neighbours.
 */
const addSiblings = (hash: number, element: Element, item: Element | undefined): number => {
  let at: Element | undefined = element;
  for (
    let level = 0;
    at && at !== item && level < MAX_SIBLING_LEVELS;
    level++, at = findParent(at)
  ) {
    const tag = localName(at);
    const before = previousElementSibling(at);
    const after = nextElementSibling(at);
    if (isOfTag(before, tag) || isOfTag(after, tag))
      return addTwin(addHash(addTwin(hash, before, tag), SEPARATOR), after, tag);
  }
  return hash;
};

const isOfTag = (element: Element | null, tag: string): element is Element =>
  element !== null && localName(element) === tag;

const addTwin = (hash: number, sibling: Element | null, tag: string): number => {
  if (!isOfTag(sibling, tag)) return hash;
  const text = getTextContent(sibling).slice(0, MAX_SIBLING_CHARS);
  return addText(addText(hash, attributeText(sibling, 'aria-label')), text);
};

/** The items of menus often have the role none, but are still list items. */
const findStrongKind = (tag: string, role: string | null): string | undefined =>
  role === null || PRESENTATION_ROLES.has(role) ? STRONG_TAGS.get(tag) : STRONG_ROLES.get(role);

const firstClass = (element: Element): string => {
  const words = attributeText(element, 'class').trimStart();
  const end = words.indexOf(' ');
  return end < 0 ? words : words.slice(0, end);
};

/**
 * The kind of row, card or list item that an element is, or ''. A neighbour with the same tag and
 * first class makes it an item; later classes often change (selected, open).
 */
const findKind = (element: Element): string => {
  const tag = localName(element);
  if (PAGE_TAGS.has(tag)) return '';
  const flags = readFlags(element);
  const role = flags & HAS_ROLE ? attribute(element, 'role') : null;
  const strong = findStrongKind(tag, role);
  if (strong) return strong;
  const name = flags & HAS_CLASS ? firstClass(element) : '';
  const isAlike = (other: Element | null): boolean =>
    isOfTag(other, tag) && firstClass(other) === name;
  if (
    name !== '' &&
    (isAlike(nextElementSibling(element)) || isAlike(previousElementSibling(element)))
  )
    return `${tag}.${name}`;
  return textIf(hasManySiblings(element, tag), tag);
};

/** Whether the element itself is an entry of a list. A button is one only among many siblings. */
const isListEntry = (element: Element): boolean => {
  if (hasManySiblings(element, localName(element))) return true;
  return (
    !isButton(element) &&
    (findKind(element) !== '' || addSiblings(START, element, undefined) !== START)
  );
};

/**
 * Whether the element has many siblings of the same tag; checks only a few on either side. Chrome
 * counts all children for each `childElementCount`, so that it would take quadratic time here.
 */
const hasManySiblings = (element: Element, tag: string): boolean => {
  const parent = parentNode(element);
  if (!parent || !isElement(parent)) return false;
  let count = 1;
  for (const step of [nextElementSibling, previousElementSibling]) {
    let at = step(element);
    for (let i = 0; at && i < LIST_LENGTH && count < LIST_LENGTH; i++, at = step(at))
      if (localName(at) === tag) count++;
  }
  return count >= LIST_LENGTH;
};

/**
 * Visits the first words inside an item in document order, including open shadow roots. Skips
 * nested items of the same kind, and buttons: their words repeat in each row, and change when they
 * are pressed.
 */
class WordCollector {
  readonly #kind: string;
  readonly #isStrong: boolean;
  readonly #add: (node: Node, text: string) => void;
  #chars = 0;
  #nodes = 0;
  #pieces = 0;

  constructor(kind: string, add: (node: Node, text: string) => void) {
    this.#kind = kind;
    this.#isStrong = STRONG_ROLES.has(kind);
    this.#add = add;
  }

  visitInside(element: Element, host: Element | undefined): void {
    const shadow = openShadowRoot(element);
    if (shadow) this.#visitChildren(shadow, host ?? element);
    this.#visitChildren(element, host);
  }

  #visitChildren(parent: Node, host: Element | undefined): void {
    for (let child = firstChild(parent); child; child = nextSibling(child)) {
      if (++this.#nodes > MAX_NODES || this.#pieces >= MAX_PIECES || this.#chars >= MAX_CHARS)
        return;
      const type = nodeType(child);
      if (type === TEXT) this.#addText(host ?? child, getData(child));
      else if (type === ELEMENT) this.#visitElement(child as Element, host);
    }
  }

  #visitElement(element: Element, host: Element | undefined): void {
    const tag = localName(element);
    if (UNREAD.has(tag) || BUTTON_TAGS.has(tag)) return;
    const flags = readFlags(element);
    if (flags & HAS_EDITABLE) return;
    const role = flags & HAS_ROLE ? attribute(element, 'role') : null;
    if (role !== null && SKIPPED_ROLES.has(role)) return;
    if (this.#isOfKind(element, tag, role)) return;
    const words = flags & (HAS_LABEL | HAS_ALT) ? readLabel(element, flags) : null;
    if (words) this.#addText(host ?? element, words);
    this.visitInside(element, host);
  }

  #isOfKind(element: Element, tag: string, role: string | null): boolean {
    if (this.#isStrong) return findStrongKind(tag, role) === this.#kind;
    if (this.#kind[tag.length] !== '.' || !this.#kind.startsWith(tag)) return false;
    return this.#kind.slice(tag.length + 1) === firstClass(element);
  }

  #addText(node: Node, text: string): void {
    if (isBlank(text)) return;
    const words = text.slice(0, MAX_CHARS);
    this.#pieces++;
    this.#chars += words.length;
    this.#add(node, words);
  }
}

// FNV-1a hashes, cut to 30 bits: enough to compare an element with itself.
const START = 0x811c9dc5 | 0;
const SEPARATOR = 0x1f;

const addHash = (hash: number, value: number): number =>
  Math.imul(hash ^ value ^ (value >>> 16), 0x01000193);

/** Adds a text without white space. */
const addText = (hash: number, text: string): number => {
  let value = hash;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 160) continue;
    value = Math.imul(value ^ code, 0x01000193);
  }
  return value;
};

/** Adds a text to the hashes of an item in one pass. */
const addToWords = (words: ItemWords, text: string): void => {
  const isFirst = words.first === undefined;
  let { all, fixed, numbers } = words;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32 || code === 160) continue;
    all = Math.imul(all ^ code, 0x01000193);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit) numbers = Math.imul(numbers ^ code, 0x01000193);
    if (isFirst || !isDigit) fixed = Math.imul(fixed ^ code, 0x01000193);
  }
  words.all = all;
  words.fixed = fixed;
  words.numbers = numbers;
};

const formatHash = (hash: number): string =>
  hash === START ? '' : ((hash ^ (hash >>> 15)) & 0x3fffffff).toString(36);
