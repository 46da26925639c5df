// Detects interactive elements without a native or ARIA role: handlers, tab stops, editable text.
import { attribute, hasAttribute, isElement, parentNode, getTabIndex } from './safe-dom.ts';

/** Whether an attribute of the element handles clicks. */
export const hasHandler = (element: Element): boolean =>
  hasAttribute(element, 'onclick') || hasAttribute(element, 'onmousedown');

/** Whether the author made the element a tab stop. */
export const isFocusableByAuthor = (element: Element): boolean =>
  hasAttribute(element, 'tabindex') && element instanceof HTMLElement && getTabIndex(element) >= 0;

/** Whether this element is the root of an editable area. */
export const isTypable = (element: Element): boolean => {
  const value = attribute(element, 'contenteditable');
  if (
    value === null ||
    value.toLowerCase() === 'false' ||
    !(element as HTMLElement).isContentEditable
  )
    return false;
  const parent = parentNode(element);
  return !(parent && isElement(parent) && (parent as HTMLElement).isContentEditable);
};
