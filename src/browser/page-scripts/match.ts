// Finds elements by words: of their names, labels, placeholders, test ids and texts, ranked by how well they fit.
import { attribute, hasAttribute, isText, localName, queryAll, type Root } from './dom.ts';
import { isTypable } from './interactive.ts';
import { Labels } from './labels.ts';
import { type Known, nameOf, placeholderOf } from './names.ts';
import { CONTROL_ROLES, roleOf } from './roles.ts';
import { shadowRootOf } from './shadow.ts';
import { GeneratedContent } from './style.ts';
import { oneLine } from './text.ts';

export interface Match {
  readonly element: Element;
  /** 0 fits best; elements of the same rank fit equally well. */
  readonly rank: number;
}

/** Roles by the words that people use for them. */
const ROLE_WORDS: Readonly<Record<string, readonly string[]>> = {
  box: ['textbox', 'searchbox', 'combobox', 'checkbox', 'spinbutton'],
  button: ['button', 'DisclosureTriangle'],
  checkbox: ['checkbox', 'switch', 'menuitemcheckbox'],
  combobox: ['combobox', 'listbox'],
  dropdown: ['combobox', 'listbox', 'button'],
  field: ['textbox', 'searchbox', 'combobox', 'spinbutton', 'Date', 'DateTime', 'InputTime', 'ColorWell', 'listbox', 'slider'],
  heading: ['heading'],
  icon: ['img', 'button', 'link'],
  image: ['img'],
  input: ['textbox', 'searchbox', 'combobox', 'spinbutton', 'Date', 'DateTime', 'InputTime', 'ColorWell', 'slider', 'checkbox', 'radio'],
  item: ['menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'listitem'],
  link: ['link'],
  menuitem: ['menuitem', 'menuitemcheckbox', 'menuitemradio'],
  option: ['option', 'radio', 'menuitemradio'],
  radio: ['radio', 'menuitemradio'],
  row: ['row'],
  slider: ['slider'],
  switch: ['switch', 'checkbox'],
  tab: ['tab'],
  textarea: ['textbox'],
  textbox: ['textbox', 'searchbox'],
  toggle: ['switch', 'checkbox', 'button'],
};

interface Words {
  readonly text: string;
  /** The words without the one that names a role, and the roles that it names. */
  readonly stripped?: string;
  readonly roles?: readonly string[];
}

const plain = (text: string): string => oneLine(text).toLowerCase();

export const readWords = (query: string): Words => {
  const text = plain(query);
  const words = text.split(' ');
  const last = words.at(-1) ?? '';
  const [first = ''] = words;
  if (words.length > 1 && Object.hasOwn(ROLE_WORDS, last)) return { text, stripped: words.slice(0, -1).join(' '), roles: ROLE_WORDS[last] ?? [] };
  if (words.length > 1 && Object.hasOwn(ROLE_WORDS, first)) return { text, stripped: words.slice(1).join(' '), roles: ROLE_WORDS[first] ?? [] };
  return { text };
};

/** Whether the words stand in the text as whole words. */
const holds = (text: string, words: string): boolean => {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + words.length])) return true;
  }
  return false;
};

const LETTER = /[\p{L}\p{N}]/u;
const isLetter = (character: string | undefined): boolean => character !== undefined && LETTER.test(character);

const NAMING = ['placeholder', 'title', 'alt', 'name', 'id', 'data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy'];

const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'option', 'optgroup', 'html', 'body']);

/** Every tree of the document: its own, and those of the shadow roots that can be seen. */
export const trees = (): Root[] => {
  const found: Root[] = [document];
  for (let i = 0; i < found.length && found.length < 1000; i++) {
    for (const element of queryAll(found[i] as Root, '*')) {
      const inner = shadowRootOf(element);
      if (inner) found.push(inner);
    }
  }
  return found;
};

/** Whether a person sees the element, or the label that stands for it. */
export const isSeen = (element: Element): boolean => {
  if (element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0) return true;
  const { labels } = element as HTMLInputElement;
  return labels ? [...labels].some((label) => label.checkVisibility({ visibilityProperty: true }) && label.getClientRects().length > 0) : false;
};

const isControl = (element: Element, role: string): boolean =>
  CONTROL_ROLES.has(role) || hasAttribute(element, 'onclick') || isTypable(element) || (hasAttribute(element, 'tabindex') && attribute(element, 'tabindex') !== '-1');

/** The text that stands directly in an element, not in elements inside of it. */
const ownText = (element: Element): string => {
  let text = '';
  for (const node of element.childNodes) if (isText(node)) text += node.data;
  return plain(text.length > 2000 ? text.slice(0, 2000) : text);
};

class Matcher {
  readonly #words: Words;
  readonly #known: Known = { generated: new GeneratedContent(), labels: new Labels() };

  constructor(words: Words) {
    this.#words = words;
  }

  /** How well an element fits; nothing when it does not. */
  rank(element: Element): number | undefined {
    const tag = localName(element);
    if (SKIPPED.has(tag)) return undefined;
    const role = roleOf(element, tag);
    if (!isControl(element, role)) return this.#rankText(element, tag, role);
    const name = plain(nameOf(element, tag, role, this.#known).text);
    return this.#rankName(name, role) ?? this.#rankAttributes(element, tag) ?? this.#rankPart(name, role) ?? this.#rankClickable(element, role);
  }

  #rankName(name: string, role: string): number | undefined {
    const { text, stripped, roles } = this.#words;
    if (name === text) return 0;
    return stripped !== undefined && name === stripped && roles?.includes(role) ? 1 : undefined;
  }

  #rankAttributes(element: Element, tag: string): number | undefined {
    const { text } = this.#words;
    if (plain(placeholderOf(element, tag)) === text) return 2;
    return NAMING.some((name) => hasAttribute(element, name) && plain(attribute(element, name) ?? '') === text) ? 2 : undefined;
  }

  #rankPart(name: string, role: string): number | undefined {
    const { text, stripped, roles } = this.#words;
    if (stripped !== undefined && roles?.includes(role) && holds(name, stripped)) return 4;
    return holds(name, text) ? 5 : undefined;
  }

  /** A plain element that reacts to clicks has no name by the rules, but it shows one. */
  #rankClickable(element: Element, role: string): number | undefined {
    if (CONTROL_ROLES.has(role)) return undefined;
    const shown = plain((element.textContent ?? '').slice(0, 2000));
    if (shown === this.#words.text) return 0;
    return holds(shown, this.#words.text) ? 6 : undefined;
  }

  #rankText(element: Element, tag: string, role: string): number | undefined {
    const { text, stripped, roles } = this.#words;
    const own = ownText(element);
    const attributes = this.#rankAttributes(element, tag);
    if (own === '') return this.#rankWhole(element, role) ?? (attributes === undefined ? undefined : 3);
    if (own === text) return 3;
    if (stripped !== undefined && roles?.includes(role) && (own === stripped || holds(own, stripped))) return 4;
    return attributes === undefined ? (holds(own, text) ? 6 : undefined) : 3;
  }

  /** Headings and images, whose name may come from what is inside of them. */
  #rankWhole(element: Element, role: string): number | undefined {
    if (role !== 'heading' && role !== 'img') return undefined;
    const name = plain(nameOf(element, localName(element), role, this.#known).text);
    if (name === this.#words.text) return 3;
    return this.#words.roles?.includes(role) && name === this.#words.stripped ? 4 : undefined;
  }
}

/** The elements that fit the words, the best first, in the order of the page; only what is seen, unless nothing is. */
export const matchWords = (query: string, accept: (element: Element) => boolean = () => true): Match[] => {
  const words = readWords(query);
  if (words.text === '') return [];
  const matcher = new Matcher(words);
  const found: Match[] = [];
  for (const root of trees()) {
    for (const element of queryAll(root, '*')) {
      const rank = matcher.rank(element);
      if (rank !== undefined && accept(element)) found.push({ element, rank });
    }
  }
  const reachable = withoutInert(found);
  const seen = reachable.filter(({ element }) => isSeen(element));
  return (seen.length > 0 ? seen : reachable).sort((a, b) => a.rank - b.rank);
};

/** Behind a modal dialog nothing can be reached. */
const withoutInert = (matches: Match[]): Match[] => {
  const modal = [...queryAll(document, 'dialog:modal')].at(-1);
  return modal ? matches.filter(({ element }) => modal.contains(element)) : matches;
};

/** Those that fit best. Of a thing and what is inside of it the inner one is meant, except that a control is meant as a whole. */
export const bestOf = (matches: readonly Match[]): Element[] => {
  const [first] = matches;
  if (!first) return [];
  const best = matches.filter(({ rank }) => rank === first.rank).map(({ element }) => element);
  const controls = first.rank !== 3 && first.rank !== 6;
  return best.filter((element) => !best.some((other) => other !== element && (controls ? other.contains(element) : element.contains(other))));
};

/** Names of controls that share a word with the query, for whoever found nothing. */
export const nearMisses = (query: string, limit: number): Element[] => {
  const words = plain(query)
    .split(' ')
    .filter((word) => word.length > 2);
  if (words.length === 0) return [];
  const known: Known = { generated: new GeneratedContent(), labels: new Labels() };
  const found: { readonly element: Element; readonly shared: number }[] = [];
  for (const root of trees()) {
    for (const element of queryAll(root, 'a,button,input,select,textarea,summary,[role],[contenteditable],[tabindex]')) {
      const tag = localName(element);
      const name = plain(nameOf(element, tag, roleOf(element, tag), known).text);
      const shared = words.filter((word) => name.includes(word)).length;
      if (shared > 0 && isSeen(element)) found.push({ element, shared });
      if (found.length > 500) break;
    }
  }
  return found
    .sort((a, b) => b.shared - a.shared)
    .slice(0, limit)
    .map(({ element }) => element);
};

