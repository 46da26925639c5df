// Parses HTML without a browser and runs the Markdown page script on it.
import { compileFunction } from 'node:vm';
import markdownScript from 'page-script:markdown';
import { isObject } from '../../core/json.ts';
import { formatFunctions, type PageFunctions } from '../../page/page-functions.ts';
import type { MarkdownAnswer } from '../../page/read-answers.ts';
import { createDefaultStyle } from './default-style.ts';
import { type MarkupDocument, MarkupElement, parseMarkup } from './markup-tree.ts';
import { endOfDoctype } from './bounded-markup.ts';

export const parsePage = (html: string): MarkupDocument => parseMarkup(withRoot(html));

/** Adds the html, head and body elements that a page leaves out; the parser does not add them. */
const withRoot = (html: string): string => {
  const doctype = html.slice(0, endOfDoctype(html));
  const rest = html.slice(doctype.length);
  if (/<body[\s>]/i.test(rest))
    return /<html[\s>]/i.test(rest) ? html : `${doctype}<html>${rest}</html>`;
  if (/<frameset[\s>]/i.test(rest)) return html;
  // Up to the last `>` every `<html` is closed, so that the regular expressions take linear time.
  const closed = rest.slice(0, rest.lastIndexOf('>') + 1);
  const root = /<html[^<>]{0,4000}>/i.exec(closed)?.[0] ?? '<html>';
  const tags = closed.replace(/<\/?html[^<>]{0,4000}>/gi, '').replace(/<\/body\s*>/gi, '');
  const inner = tags + rest.slice(closed.length);
  const head = /<\/head\s*>/i.exec(inner);
  const at = head ? head.index + head[0].length : endOfHead(inner);
  const before = inner.slice(0, at);
  const fullHead = head ? before : `<head>${before}</head>`;
  return `<!doctype html>${root}${fullHead}<body>${inner.slice(at)}</body></html>`;
};

/**
 * Returns the index after the last element that belongs in the head, for a page without `</head>`.
 */
const endOfHead = (html: string): number => {
  const part =
    /\s*(?:<!--[^]*?-->|<(?:meta|link|base)\b[^>]*>|<(title|style|script|noscript)\b[^>]*>[^]*?<\/\1\s*>|<head[^>]*>)/iy;
  let at = 0;
  while (part.test(html)) at = part.lastIndex;
  return at;
};

/** An accessor for each property that runs for every node, so that the engine can inline it. */
const ACCESSORS: Readonly<Record<string, (this: MarkupElement) => unknown>> = {
  firstChild() {
    return this.firstChild;
  },
  nextSibling() {
    return this.nextSibling;
  },
  parentNode() {
    return this.parentNode;
  },
  nodeType() {
    return this.nodeType;
  },
  localName() {
    return this.localName;
  },
  shadowRoot() {
    return null;
  },
  textContent() {
    return this.textContent;
  },
};

const findMethod = (name: PropertyKey): unknown => {
  for (let at: object | null = MarkupElement.prototype; at; at = Reflect.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name)?.value as unknown;
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Page scripts read accessors from the prototypes, so that a page cannot override them. No page
 * code runs here, so these accessors forward to the node.
 */
const askingPrototype: object = new Proxy(Object.create(null) as object, {
  getOwnPropertyDescriptor: (_, name) => ({
    configurable: true,
    get:
      ACCESSORS[String(name)] ??
      function (this: Record<PropertyKey, unknown>) {
        return this[name];
      },
  }),
  get: (_, name) =>
    findMethod(name) ??
    function (this: Record<PropertyKey, (...args: unknown[]) => unknown>, ...args: unknown[]) {
      return this[name]?.(...args);
    },
});

const kind = (
  isInstance: (value: { nodeType?: number; localName?: string }) => boolean,
): object => {
  const made = function (): void {};
  Object.defineProperty(made, 'prototype', { value: askingPrototype, writable: true });
  Object.defineProperty(made, Symbol.hasInstance, {
    value: (value: unknown) => isObject(value) && isInstance(value),
  });
  return made;
};

const anElement = kind(({ nodeType }) => nodeType === 1);
const KINDS: Readonly<Record<string, object>> = {
  Node: kind(({ nodeType }) => nodeType !== undefined),
  Element: anElement,
  HTMLElement: anElement,
  CharacterData: kind(({ nodeType }) => nodeType === 3 || nodeType === 8),
  Document: kind(({ nodeType }) => nodeType === 9),
  DocumentFragment: kind(({ nodeType }) => nodeType === 11),
  ShadowRoot: kind(() => false),
  HTMLSlotElement: kind(() => false),
};
const NAMES = ['getComputedStyle', 'globalThis', ...Object.keys(KINDS)];

/**
 * Returns the reader for another document. Created once, so that the engine can optimize its code.
 */
type ParserWorld = (document: MarkupDocument, location: URL) => PageFunctions['markdown'];

const createWorld = (): ParserWorld => {
  const setDocument = `(d,l)=>{document=d;location=l;return ${formatFunctions('markdown')}}`;
  const source = `let document,location;${markdownScript};return${setDocument}`;
  const create = compileFunction(source, NAMES) as (...values: unknown[]) => ParserWorld;
  return create(createDefaultStyle, {}, ...Object.values(KINDS));
};

let world: ParserWorld | undefined;

/** Converts a document as the markdown mode of read_page does, but ignores style sheets. */
export const convertToMarkdown = (
  document: MarkupDocument,
  address: string,
  maxChars: number,
): MarkdownAnswer => {
  world ??= createWorld();
  const answer = world(document, new URL(address)).read({
    urls: false,
    maxChars,
    countsWords: false,
  });
  if ('problem' in answer) throw new Error('Only a subject can be missing.');
  return answer;
};
