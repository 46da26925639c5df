// The page's HTML as it stands now, or that of one element.
import { firstChild, nextSibling, rootElement } from './dom.ts';
import type { HtmlAnswer, NoSubject, Subject } from './look-answers.ts';
import { documentTitle, findSubject, isNoSubject } from './subject.ts';
import { trees } from './trees.ts';

interface HtmlOptions {
  readonly subject?: Subject;
  readonly outer: boolean;
  readonly maxChars: number;
}

export const read = ({ subject, outer, maxChars }: HtmlOptions): HtmlAnswer | NoSubject => {
  const found = subject ? findSubject(subject) : rootElement(document);
  if (found && isNoSubject(found)) return found;
  const html = (subject || !outer ? '' : doctype()) + (found ? htmlOf(found, outer) : '');
  return { title: documentTitle(), html: html.slice(0, maxChars), length: html.length };
};

const propertyOf = (name: 'outerHTML' | 'innerHTML'): ((this: Element) => string) =>
  Object.getOwnPropertyDescriptor(Element.prototype, name)?.get as (this: Element) => string;

const htmlOf = (element: Element, outer: boolean): string => propertyOf(outer ? 'outerHTML' : 'innerHTML').call(element);

/** The whole document with what its shadow roots hold, in the form in which HTML has them. */
export const readAll = ({ maxChars }: { readonly maxChars: number }): HtmlAnswer => {
  const root = rootElement(document);
  const shadowRoots = trees().filter((tree): tree is ShadowRoot => tree !== document);
  const html = doctype() + (root ? tagsAround(root, root.getHTML({ shadowRoots, serializableShadowRoots: true })) : '');
  return { title: documentTitle(), html: html.slice(0, maxChars), length: html.length };
};

/** A copy without content is the two tags that stand around it. */
const tagsAround = (element: Element, content: string): string => {
  const empty = htmlOf(element.cloneNode(false) as Element, true);
  const end = empty.lastIndexOf('</');
  return end < 0 ? empty : empty.slice(0, end) + content + empty.slice(end);
};

const doctype = (): string => {
  for (let node = firstChild(document); node; node = nextSibling(node)) {
    if (node instanceof DocumentType) return `${new XMLSerializer().serializeToString(node)}\n`;
  }
  return '';
};
