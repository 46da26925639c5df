// The tree of a parsed page: the part of the DOM that the Markdown script and Readability use.
import { Parser } from 'htmlparser2';
import { compileSelector } from './markup-selectors.ts';

const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;
const DOCUMENT = 9;

const isElement = (node: MarkupNode): node is MarkupElement => node.nodeType === ELEMENT;
const isText = (node: MarkupNode): node is MarkupText => node.nodeType === TEXT;

interface TagNames {
  readonly localName: string;
  readonly tagName: string;
}

/** Pages can invent names, so the map is emptied when it gets large. */
const MAX_NAMES = 5_000;
const names = new Map<string, TagNames>();

/**
 * Returns one object per name. Names from the parser are slices of the page: each has its own hash,
 * and comparing two of them reads their characters.
 */
const internName = (name: string): TagNames => {
  const known = names.get(name);
  if (known) return known;
  if (names.size >= MAX_NAMES) names.clear();
  const localName = [...name].join('');
  const added = { localName, tagName: localName.toUpperCase() };
  names.set(localName, added);
  return added;
};

/** Every node has the same links, so that walking over nodes of any kind is fast. */
export abstract class MarkupNode {
  abstract readonly nodeType: number;
  abstract readonly localName: string;
  parentNode: MarkupParent | null = null;
  previousSibling: MarkupNode | null = null;
  nextSibling: MarkupNode | null = null;
  firstChild: MarkupNode | null = null;
  lastChild: MarkupNode | null = null;

  abstract get textContent(): string;

  get nodeName(): string {
    return this.localName;
  }

  get parentElement(): MarkupElement | null {
    return this.parentNode && isElement(this.parentNode) ? this.parentNode : null;
  }

  get nextElementSibling(): MarkupElement | null {
    let at = this.nextSibling;
    while (at && !isElement(at)) at = at.nextSibling;
    return at;
  }

  get previousElementSibling(): MarkupElement | null {
    let at = this.previousSibling;
    while (at && !isElement(at)) at = at.previousSibling;
    return at;
  }

  get childNodes(): readonly MarkupNode[] {
    return [];
  }

  remove(): void {
    this.parentNode?.detach(this);
  }

  contains(other: MarkupNode | null): boolean {
    for (let at = other; at; at = at.parentNode) if (at === this) return true;
    return false;
  }
}

class MarkupText extends MarkupNode {
  readonly nodeType = TEXT;
  readonly localName = '#text';
  data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  override get textContent(): string {
    return this.data;
  }

  override set textContent(text: string) {
    this.data = text;
  }
}

class MarkupComment extends MarkupNode {
  readonly nodeType = COMMENT;
  readonly localName = '#comment';
  readonly data: string;

  constructor(data: string) {
    super();
    this.data = data;
  }

  override get textContent(): string {
    return this.data;
  }
}

/** The node after `node` in document order, inside of `root`. */
const findFollowing = (node: MarkupNode, root: MarkupNode): MarkupNode | null =>
  node.firstChild ?? findFollowingOutside(node, root);

/** The node after the content of `node` in document order, inside of `root`. */
const findFollowingOutside = (node: MarkupNode, root: MarkupNode): MarkupNode | null => {
  for (let at: MarkupNode | null = node; at && at !== root; at = at.parentNode)
    if (at.nextSibling) return at.nextSibling;
  return null;
};

export abstract class MarkupParent extends MarkupNode {
  #childNodes: readonly MarkupNode[] | undefined;
  #children: readonly MarkupElement[] | undefined;

  abstract readonly ownerDocument: MarkupDocument;

  override get childNodes(): readonly MarkupNode[] {
    if (this.#childNodes) return this.#childNodes;
    const nodes: MarkupNode[] = [];
    for (let at = this.firstChild; at; at = at.nextSibling) nodes.push(at);
    return (this.#childNodes = nodes);
  }

  get children(): readonly MarkupElement[] {
    return (this.#children ??= this.childNodes.filter(isElement));
  }

  get childElementCount(): number {
    return this.children.length;
  }

  get firstElementChild(): MarkupElement | null {
    const { firstChild } = this;
    return firstChild && isElement(firstChild)
      ? firstChild
      : (firstChild?.nextElementSibling ?? null);
  }

  override get textContent(): string {
    let text = '';
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this))
      if (isText(at)) text += at.data;
    return text;
  }

  override set textContent(text: string) {
    this.#clear();
    if (text !== '') this.appendChild(new MarkupText(text));
  }

  get innerHTML(): string {
    return formatMarkup(this);
  }

  set innerHTML(html: string) {
    this.#clear();
    fillMarkup(this, html);
  }

  #clear(): void {
    while (this.firstChild) this.detach(this.firstChild);
  }

  append(...items: readonly (MarkupNode | string)[]): void {
    for (const item of items)
      this.appendChild(typeof item === 'string' ? new MarkupText(item) : item);
  }

  appendChild<N extends MarkupNode>(node: N): N {
    return this.insertBefore(node, null);
  }

  insertBefore<N extends MarkupNode>(node: N, next: MarkupNode | null): N {
    node.remove();
    const previous = next ? next.previousSibling : this.lastChild;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = next;
    if (previous) previous.nextSibling = node;
    else this.firstChild = node;
    if (next) next.previousSibling = node;
    else this.lastChild = node;
    this.#forgetLists();
    return node;
  }

  /** The new node may be inside of the old one. */
  replaceChild<N extends MarkupNode>(node: MarkupNode, old: N): N {
    const next = old.nextSibling === node ? node.nextSibling : old.nextSibling;
    node.remove();
    this.detach(old);
    this.insertBefore(node, next);
    return old;
  }

  removeChild<N extends MarkupNode>(node: N): N {
    node.remove();
    return node;
  }

  /** Removes one of the children. */
  detach(node: MarkupNode): void {
    const { previousSibling: previous, nextSibling: next } = node;
    if (previous) previous.nextSibling = next;
    else this.firstChild = next;
    if (next) next.previousSibling = previous;
    else this.lastChild = previous;
    node.parentNode = null;
    node.previousSibling = null;
    node.nextSibling = null;
    this.#forgetLists();
  }

  #forgetLists(): void {
    this.#childNodes = undefined;
    this.#children = undefined;
  }

  getElementsByTagName(name: string): readonly MarkupElement[] {
    const wanted = name.toLowerCase();
    if (wanted === '*') return this.#filter(() => true);
    const found: MarkupElement[] = [];
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this))
      if (at.localName === wanted && isElement(at)) found.push(at);
    return found;
  }

  querySelectorAll(selector: string): readonly MarkupElement[] {
    return this.#filter(compileSelector(selector));
  }

  querySelector(selector: string): MarkupElement | null {
    const test = compileSelector(selector);
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this))
      if (isElement(at) && test(at)) return at;
    return null;
  }

  #filter(test: (element: MarkupElement) => boolean): readonly MarkupElement[] {
    const found: MarkupElement[] = [];
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this))
      if (isElement(at) && test(at)) found.push(at);
    return found;
  }
}

class MarkupAttribute {
  readonly name: string;
  readonly value: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  /** Readability copies attributes with it; they are never changed. */
  cloneNode(): this {
    return this;
  }
}

const NO_ATTRIBUTES: readonly MarkupAttribute[] = [];

export class MarkupElement extends MarkupParent {
  readonly nodeType = ELEMENT;
  readonly localName: string;
  readonly tagName: string;
  readonly ownerDocument: MarkupDocument;
  /** A list, because most elements have few attributes. */
  #attributes: MarkupAttribute[] | undefined;

  constructor(document: MarkupDocument, name: string) {
    super();
    this.ownerDocument = document;
    const { localName, tagName } = internName(name);
    this.localName = localName;
    this.tagName = tagName;
  }

  override get nodeName(): string {
    return this.tagName;
  }

  get attributes(): readonly MarkupAttribute[] {
    return this.#attributes ?? NO_ATTRIBUTES;
  }

  getAttribute(name: string): string | null {
    for (const attribute of this.attributes) if (attribute.name === name) return attribute.value;
    return null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    this.setAttributeNode(new MarkupAttribute(internName(name).localName, value));
  }

  setAttributeNode(attribute: MarkupAttribute): void {
    const list = (this.#attributes ??= []);
    const at = list.findIndex(({ name }) => name === attribute.name);
    if (at < 0) list.push(attribute);
    else list[at] = attribute;
  }

  removeAttribute(name: string): void {
    if (this.hasAttribute(name))
      this.#attributes = this.#attributes?.filter((attribute) => attribute.name !== name);
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  get srcset(): string {
    return this.getAttribute('srcset') ?? '';
  }

  get type(): string {
    return this.getAttribute('type') ?? '';
  }

  get value(): string {
    return this.getAttribute('value') ?? '';
  }

  get checked(): boolean {
    return this.hasAttribute('checked');
  }

  get shadowRoot(): null {
    return null;
  }

  /** Only the properties that Readability reads. */
  get style(): { readonly display: string; readonly visibility: string } {
    const style = this.getAttribute('style')?.toLowerCase();
    return style === undefined ? NO_STYLE : parseStyle(style);
  }

  /** No style sheet hides an element here. */
  checkVisibility(): boolean {
    return true;
  }

  getBoundingClientRect(): { readonly width: number; readonly height: number } {
    return { width: 0, height: 0 };
  }

  /** Keeps line breaks, which matter in code. */
  get innerText(): string {
    let text = '';
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this)) {
      if (isText(at)) text += at.data;
      else if (at.localName === 'br') text += '\n';
    }
    return text;
  }

  get cells(): readonly MarkupElement[] {
    return this.children.filter(({ localName }) => localName === 'td' || localName === 'th');
  }

  /** Does not search in nested tables, so that each element is visited for one table only. */
  get rows(): readonly MarkupElement[] {
    const found: MarkupElement[] = [];
    for (let at = findFollowing(this, this); at;) {
      if (isElement(at) && at.localName === 'tr') found.push(at);
      at = at.localName === 'table' ? findFollowingOutside(at, this) : findFollowing(at, this);
    }
    return found;
  }

  /** The first characters of its text. */
  textUpTo(chars: number): string {
    let text = '';
    for (let at = findFollowing(this, this); at; at = findFollowing(at, this)) {
      if (isText(at)) text += at.data.slice(0, chars - text.length);
      if (text.length >= chars) break;
    }
    return text;
  }

  /** Its text, without that of the tables inside of it. */
  get textOutsideTables(): string {
    let text = '';
    for (let at = findFollowing(this, this); at;) {
      if (isText(at)) text += at.data;
      at = at.localName === 'table' ? findFollowingOutside(at, this) : findFollowing(at, this);
    }
    return text;
  }

  matches(selector: string): boolean {
    return compileSelector(selector)(this);
  }

  closest(selector: string): MarkupElement | null {
    const test = compileSelector(selector);
    if (test(this)) return this;
    let at = this.parentElement;
    while (at && !test(at)) at = at.parentElement;
    return at;
  }
}

const NO_STYLE = { display: '', visibility: '' };

const parseStyle = (style: string): typeof NO_STYLE => ({
  display: /(?:^|[;\s])display\s*:\s*([a-z-]+)/.exec(style)?.[1] ?? '',
  visibility: /(?:^|[;\s])visibility\s*:\s*([a-z-]+)/.exec(style)?.[1] ?? '',
});

export class MarkupDocument extends MarkupParent {
  readonly nodeType = DOCUMENT;
  readonly localName = '#document';
  /** Readability resolves URLs in its copy of the page; the results are not used. */
  readonly baseURI = 'http://page.invalid/';
  readonly documentURI = this.baseURI;
  readonly implementation = { createHTMLDocument: createEmptyDocument };
  /** Whether an inline style of the page sets the visibility. */
  setsVisibility = false;

  get ownerDocument(): MarkupDocument {
    return this;
  }

  get documentElement(): MarkupElement | null {
    return this.firstElementChild;
  }

  get head(): MarkupElement | null {
    return this.#findPart('head');
  }

  get body(): MarkupElement | null {
    return this.#findPart('body');
  }

  #findPart(name: string): MarkupElement | null {
    return this.documentElement?.children.find(({ localName }) => localName === name) ?? null;
  }

  get title(): string {
    return this.head?.querySelector('title')?.textContent ?? '';
  }

  createElement(name: string): MarkupElement {
    return new MarkupElement(this, name.toLowerCase());
  }

  createTextNode(text: string): MarkupText {
    return new MarkupText(text);
  }
}

/** A function declaration, because the class above uses it. */
function createEmptyDocument(): MarkupDocument {
  return parseMarkup('<html><head><title></title></head><body></body></html>');
}

export const parseMarkup = (html: string): MarkupDocument => {
  const document = new MarkupDocument();
  fillMarkup(document, html);
  return document;
};

const fillMarkup = (root: MarkupParent, html: string): void => {
  const document = root.ownerDocument;
  let parent = root;
  let element: MarkupElement | undefined;
  /** The elements that the parser takes to be open. */
  const open: MarkupElement[] = [];
  /** The ones of them that an item closed. */
  const closed = new Set<MarkupNode>();
  const parser = new Parser({
    onopentagname: (name) => {
      element = new MarkupElement(document, name);
      open.push(element);
      const to = ITEMS.has(name) ? findItemParent(parent, name) : parent;
      for (let at = parent; at !== to; at = at.parentNode ?? to) closed.add(at);
      parent = to.appendChild(element);
    },
    onattribute: (name, value) => {
      if (!element || element.hasAttribute(name)) return; // the first of two counts
      element.setAttribute(name, value);
      if (name === 'style') document.setsVisibility ||= /visibility/i.test(value);
    },
    onclosetag: () => {
      const ended = open.pop();
      if (ended && !closed.delete(ended)) parent = ended.parentNode ?? root;
    },
    ontext: (text) => {
      const { lastChild } = parent;
      if (lastChild && isText(lastChild)) lastChild.data += text;
      else parent.appendChild(new MarkupText(text));
    },
    oncomment: (text) => {
      parent.appendChild(new MarkupComment(text));
    },
  });
  parser.write(html);
  parser.end();
};

/** An item closes the open items of these names. */
const ITEMS = new Map([
  ['li', new Set(['li'])],
  ['dd', new Set(['dd', 'dt'])],
  ['dt', new Set(['dd', 'dt'])],
]);
/** Elements that an item does not close: the lists, tables and sections that it is in. */
const HOLDERS = new Set(
  (
    'body article aside blockquote caption center details dl fieldset figure footer form header ' +
    'main menu nav ol section table td th ul li dd dt'
  ).split(' '),
);
/** Items are closed through at most this many elements, so that parsing takes linear time. */
const MAX_CLOSED = 100;

/**
 * The element that an item belongs to. As HTML requires, an item also closes an open paragraph and
 * the item around it; the parser closes an item only if nothing in it is open.
 */
const findItemParent = (parent: MarkupParent, name: string): MarkupParent => {
  const items = ITEMS.get(name);
  let found = parent;
  let at = parent;
  for (let steps = 0; steps < MAX_CLOSED && at.parentNode; steps++) {
    const isItem = items?.has(at.localName) === true;
    if (isItem || at.localName === 'p') found = at.parentNode;
    if (isItem || HOLDERS.has(at.localName)) break;
    at = at.parentNode;
  }
  return found;
};

const VOID = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
const RAW = new Set('script style xmp iframe noembed noframes plaintext'.split(' '));

/** The markup of the children. */
const formatMarkup = (root: MarkupParent): string => {
  let markup = '';
  let at = root.firstChild;
  while (at) {
    markup += formatStart(at);
    if (at.firstChild) at = at.firstChild;
    else at = leave(at);
  }
  return markup;

  /** Closes elements until one has a next sibling. */
  function leave(node: MarkupNode): MarkupNode | null {
    for (let inner: MarkupNode | null = node; inner && inner !== root; inner = inner.parentNode) {
      if (isElement(inner) && !VOID.has(inner.localName)) markup += `</${inner.localName}>`;
      if (inner.nextSibling) return inner.nextSibling;
    }
    return null;
  }
};

const formatStart = (node: MarkupNode): string => {
  if (isText(node))
    return RAW.has(node.parentNode?.localName ?? '') ? node.data : escapeText(node.data);
  if (isElement(node)) {
    const attributes = node.attributes.map(({ name, value }) => ` ${name}="${escapeValue(value)}"`);
    return `<${node.localName}${attributes.join('')}>`;
  }
  return `<!--${node.textContent}-->`;
};

const escapeText = (text: string): string =>
  /[&<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text;

const escapeValue = (text: string): string =>
  /[&"]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('"', '&quot;') : text;
