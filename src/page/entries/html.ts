// Current HTML of the page or of one element, and the document as inert HTML.
import { documentTitle, findSubject, isNoSubject } from '../selectors.ts';
import { listIf } from '../objects.ts';
import { type HtmlRequest, implement } from '../page-functions.ts';
import type { HtmlAnswer, InertHtml, NoSubject } from '../read-answers.ts';
import {
  attribute,
  attributeText,
  firstChild,
  firstElementChild,
  getData,
  isElement,
  isText,
  localName,
  nextSibling,
  rootElement,
} from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';

const ACTIVE_ATTRIBUTES = new Set<string>(['srcdoc', 'ping']);

const HTML = 'http://www.w3.org/1999/xhtml';
/** Blocks all requests and scripts, including any that the removal below missed. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; " +
  "base-uri 'none'; form-action 'none'";
const POLICY_TAG = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
const POLICY_TAGS = `<meta charset="utf-8">${POLICY_TAG}`;

const REMOVED = new Set([
  'script',
  'noscript',
  'object',
  'embed',
  'applet',
  'base',
  'portal',
  'frame',
  'frameset',
  'fencedframe',
]);
/** Elements whose content is parsed as raw text, so it cannot be escaped. */
const RAW = new Set(['xmp', 'plaintext', 'noembed', 'noframes', 'listing']);
const VOID = new Set('area br col hr img input link meta param source track wbr'.split(' '));
/** SVG elements that change attributes of other elements while the page is open. */
const ANIMATIONS = new Set(['animate', 'set', 'animatetransform', 'animatemotion', 'discard']);
const PLAIN_NAME = /^[a-z_][\w.:-]{0,99}$/i;

const getNamespace = Object.getOwnPropertyDescriptor(Element.prototype, 'namespaceURI')?.get as (
  this: Element,
) => string | null;
const attributeNames = Element.prototype.getAttributeNames;
const templateContent = Object.getOwnPropertyDescriptor(HTMLTemplateElement.prototype, 'content')
  ?.get as (this: Element) => Node;

const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\u00a0', '&nbsp;');
const escapeValue = (text: string): string => escapeText(text).replaceAll('"', '&quot;');

class InertWriter {
  #parts: string[] = [];
  #length = 0;
  #kept = 0;
  removed = 0;

  constructor(readonly maxChars: number) {}

  write(text: string): void {
    this.#length += text.length;
    if (this.#kept >= this.maxChars) return;
    const part = text.slice(0, this.maxChars - this.#kept);
    this.#kept += part.length;
    this.#parts.push(part);
  }

  result(): InertHtml {
    return { html: this.#parts.join(''), length: this.#length, removed: this.removed };
  }
}

/** Serialises the tree without recursion, because pages may be nested without limit. */
const writeInert = (root: Element, doctype: string, maxChars: number): InertHtml => {
  const out = new InertWriter(maxChars);
  out.write(doctype);
  const head = firstElementChild(root);
  const hasHead = head !== null && localName(head) === 'head' && localName(root) === 'html';
  if (!hasHead) out.write(POLICY_TAGS); // the parser creates a head for these tags
  const pending: (Node | string)[] = [root];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') out.write(next);
    else
      for (const part of open(next, out, hasHead ? head : undefined).toReversed())
        pending.push(part);
  }
  return out.result();
};

/** Writes the start tag, and returns what follows it: the children and the end tag. */
const open = (node: Node, out: InertWriter, head: Element | undefined): (Node | string)[] => {
  if (isText(node)) return [escapeText(getData(node))];
  if (!isElement(node)) return [];
  const isHtml = getNamespace.call(node) === HTML;
  const name = pickTagName(localName(node), isHtml);
  if (name === undefined || isActive(node, name)) {
    out.removed++;
    return [];
  }
  out.write(`<${name}${formatAttributes(node, out)}>`);
  const first = listIf(node === head, POLICY_TAGS);
  if (isHtml && VOID.has(name)) return first;
  return [...first, ...listShadow(node), ...listContent(node, name, isHtml), `</${name}>`];
};

const pickTagName = (name: string, isHtml: boolean): string | undefined => {
  if (isHtml && RAW.has(name)) return 'pre';
  return PLAIN_NAME.test(name) ? name : undefined;
};

const isActive = (element: Element, name: string): boolean => {
  const lower = name.toLowerCase();
  if (REMOVED.has(lower)) return true;
  if (lower === 'meta') return attribute(element, 'http-equiv') !== null;
  return ANIMATIONS.has(lower) && /href|^on/i.test(attributeText(element, 'attributeName'));
};

const formatAttributes = (element: Element, out: InertWriter): string => {
  let text = '';
  for (const name of attributeNames.call(element)) {
    const value = attributeText(element, name);
    if (isActiveAttribute(name.toLowerCase(), value)) out.removed++;
    else text += ` ${name}="${escapeValue(value)}"`;
  }
  return text;
};

const isActiveAttribute = (name: string, value: string): boolean =>
  !PLAIN_NAME.test(name) ||
  name.startsWith('on') ||
  ACTIVE_ATTRIBUTES.has(name) ||
  hasActiveScheme(value);

/**
 * Whether a URL is code or a document of its own. Browsers ignore white space and control
 * characters in the scheme, so this does too.
 */
const hasActiveScheme = (value: string): boolean => {
  let start = '';
  for (let i = 0; i < value.length && start.length < 40; i++)
    if (value.charAt(i) > ' ') start += value.charAt(i);
  start = start.toLowerCase();
  if (start.startsWith('javascript:') || start.startsWith('vbscript:')) return true;
  return (
    start.startsWith('data:') && !/^data:(?:image\/(?!svg)|font\/|audio\/|video\/)/.test(start)
  );
};

const listShadow = (element: Element): (Node | string)[] => {
  const shadow = getShadowRoot(element);
  return shadow
    ? [`<template shadowrootmode="${shadow.mode}">`, ...listChildren(shadow), '</template>']
    : [];
};

const listContent = (element: Element, name: string, isHtml: boolean): (Node | string)[] => {
  if (isHtml && name === 'iframe') return []; // the document of a frame is saved as a separate file
  if (isHtml && name === 'template') return listChildren(templateContent.call(element));
  if (!isHtml || name !== 'style') return listChildren(element);
  const css = listChildren(element)
    .map((child) => (isText(child) ? getData(child) : ''))
    .join('');
  return [css.replaceAll('</', '<\\/')];
};

const listChildren = (node: Node): Node[] => {
  const children: Node[] = [];
  for (let child = firstChild(node); child; child = nextSibling(child)) children.push(child);
  return children;
};

const read = ({ subject, outer, maxChars }: HtmlRequest): HtmlAnswer | NoSubject => {
  const found = subject ? findSubject(subject) : rootElement(document);
  if (found && isNoSubject(found)) return found;
  const html = (subject || !outer ? '' : doctype()) + (found ? readHtml(found, outer) : '');
  return { title: documentTitle(), html: html.slice(0, maxChars), length: html.length };
};

const getHtmlGetter = (name: 'outerHTML' | 'innerHTML'): ((this: Element) => string) =>
  Object.getOwnPropertyDescriptor(Element.prototype, name)?.get as (this: Element) => string;

const readHtml = (element: Element, outer: boolean): string =>
  getHtmlGetter(outer ? 'outerHTML' : 'innerHTML').call(element);

/** The whole document with its shadow roots, without scripts and other active content. */
const readInert = (maxChars: number): InertHtml => {
  const root = rootElement(document);
  return root ? writeInert(root, doctype(), maxChars) : { html: '', length: 0, removed: 0 };
};

const doctype = (): string => {
  for (let node = firstChild(document); node; node = nextSibling(node)) {
    if (node instanceof DocumentType) return `${new XMLSerializer().serializeToString(node)}\n`;
  }
  return '';
};

export const functions = implement('html', { read, readInert });
