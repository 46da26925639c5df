// Current HTML of the page or of one element.
import { firstChild, nextSibling, rootElement } from '../safe-dom.ts';
import { writeInert } from '../inert-html.ts';
import type { HtmlAnswer, InertHtml, NoSubject } from '../read-answers.ts';
import { documentTitle, findSubject, isNoSubject } from '../find-subject.ts';
import { implement, type HtmlRequest } from '../page-functions.ts';

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
