// Reads the visible text and the URL of an element.
import { attempt } from '../objects.ts';
import { attribute, localName } from '../safe-dom.ts';
import { oneLine } from '../visible-text.ts';

const LINK_TAGS = new Set<string>(['a', 'area', 'link']);
const SOURCE_TAGS = new Set<string>(['img', 'source', 'video', 'audio', 'iframe']);

const MAX_CHARS = 20_000;

const innerText = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText')?.get as (
  this: Element,
) => string;
/** Undefined in a parser's document. */
const { checkVisibility: visible }: Partial<Pick<Element, 'checkVisibility'>> = Element.prototype;

/** Whether the element is visible: neither its style nor its opacity hides it. */
export const isShown = (element: Element): boolean =>
  visible
    ? visible.call(element, {
        opacityProperty: true,
        visibilityProperty: true,
        contentVisibilityAuto: false,
      })
    : true;

export const readShownText = (element: Element): string =>
  element instanceof HTMLElement
    ? oneLine(innerText.call(element).slice(0, MAX_CHARS))
    : oneLine(element.textContent.slice(0, MAX_CHARS));

/** The absolute URL; undefined for an empty, script, data or blob URL. */
export const toAddress = (value: string | null): string | undefined => {
  if (value === null || value.trim() === '' || /^(?:javascript|data|blob):/i.test(value.trim()))
    return undefined;
  return attempt(() => new URL(value, document.baseURI).href.slice(0, 4000));
};

/** The URL of a link or media element; images that load lazily have it in other attributes. */
export const readUrl = (element: Element): string | undefined => {
  const name = localName(element);
  if (LINK_TAGS.has(name)) return toAddress(attribute(element, 'href'));
  if (!SOURCE_TAGS.has(name)) return undefined;
  const late =
    attribute(element, 'data-src') ??
    attribute(element, 'data-original') ??
    firstOfSet(attribute(element, 'srcset'));
  return toAddress(attribute(element, 'src')) ?? toAddress(late);
};

const firstOfSet = (srcset: string | null): string | null =>
  srcset?.trim().split(/[\s,]+/, 1)[0] ?? null;
