// What can be acted on although HTML and ARIA do not say so: handlers, pointers, editable text, tab
// stops.
import { attribute, hasAttribute, isElement, parentNode, getTabIndex } from './safe-dom.ts';

/** Whether the markup says that the element reacts to clicks. */
export const hasHandler = (element: Element): boolean =>
  hasAttribute(element, 'onclick') || hasAttribute(element, 'onmousedown');

/** A tab stop that the author made. */
export const isFocusableByAuthor = (element: Element): boolean =>
  hasAttribute(element, 'tabindex') && element instanceof HTMLElement && getTabIndex(element) >= 0;

/** Whether this element starts an area in which one can type. */
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
