// Reads document properties that a page can shadow, for example with <img name="body">.
import { rootElement } from '../safe-dom.ts';

const bodyGetter = Object.getOwnPropertyDescriptor(Document.prototype, 'body')
  ?.get as () => HTMLElement | null;
const scrollingGetter = Object.getOwnPropertyDescriptor(Document.prototype, 'scrollingElement')
  ?.get as () => Element | null;
const fromPoint = Document.prototype.elementFromPoint;

export const pageBody = (): HTMLElement | null => bodyGetter.call(document);

export const pageRoot = (): Element => rootElement(document) as Element;

/** The element that scrolls the page. */
export const pageScroller = (): Element => scrollingGetter.call(document) ?? pageRoot();

export const atPagePoint = (x: number, y: number): Element | null => fromPoint.call(document, x, y);
