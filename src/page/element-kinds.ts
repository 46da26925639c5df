// Kinds of elements: sets of tags, roles and displays, and interactive elements without a role.
import { attribute, getTabIndex, isElement, parentNode } from './safe-dom.ts';
import { HAS_HANDLER, HAS_TABINDEX, readFlags } from './attribute-flags.ts';

/** Whether an attribute of the element handles clicks. */
export const hasHandler = (element: Element, flags = readFlags(element)): boolean =>
  (flags & HAS_HANDLER) !== 0;

/** Whether the author made the element a tab stop. */
export const isFocusableByAuthor = (element: Element, flags = readFlags(element)): boolean =>
  (flags & HAS_TABINDEX) !== 0 && element instanceof HTMLElement && getTabIndex(element) >= 0;

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

// Sets of tags, roles, types and displays that several page functions distinguish.

export const PAGE_TAGS = new Set<string>(['html', 'body']);
export const TEXT_FIELD_TAGS = new Set<string>(['input', 'textarea']);
export const FRAME_TAGS = new Set<string>(['iframe', 'frame']);
export const CHECKABLE_TYPES = new Set<string>(['checkbox', 'radio']);
export const TEXTBOX_ROLES = new Set<string>(['textbox', 'searchbox']);
export const PRESENTATION_ROLES = new Set<string>(['none', 'presentation']);
export const BOXLESS_DISPLAYS = new Set<string>(['none', '']);
export const FIELD_TAGS = new Set<string>(['input', 'textarea', 'select']);
