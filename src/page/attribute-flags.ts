// The attributes of an element as bits: one call of the DOM instead of a lookup per attribute.
import { method } from './safe-dom.ts';

const getNames = method<() => string[]>(Element, 'getAttributeNames');
const hasAttributes = method<() => boolean>(Element, 'hasAttributes');

/** Any attribute that has no bit of its own. */
const HAS_OTHER = 1;
export const HAS_ROLE = 1 << 1;
export const HAS_LABEL = 1 << 2;
export const HAS_LABELLEDBY = 1 << 3;
export const HAS_TITLE = 1 << 4;
export const HAS_ALT = 1 << 5;
export const HAS_CLASS = 1 << 6;
export const HAS_ARIA_HIDDEN = 1 << 7;
export const HAS_INERT = 1 << 8;
export const HAS_OWNS = 1 << 9;
export const HAS_EDITABLE = 1 << 10;
/** A click handler in an attribute. */
export const HAS_HANDLER = 1 << 11;
export const HAS_TABINDEX = 1 << 12;
export const HAS_ACTIONS = 1 << 13;
export const HAS_DESCRIPTION = 1 << 14;
/** An ARIA attribute that describes a state. */
export const HAS_STATE = 1 << 15;
/** An attribute that identifies the element or its item. */
export const HAS_KEY = 1 << 16;

const BITS = new Map<string, number>([
  ['role', HAS_ROLE],
  ['aria-label', HAS_LABEL],
  ['aria-labelledby', HAS_LABELLEDBY],
  ['title', HAS_TITLE],
  ['alt', HAS_ALT],
  ['class', HAS_CLASS],
  ['aria-hidden', HAS_ARIA_HIDDEN],
  ['inert', HAS_INERT],
  ['aria-owns', HAS_OWNS],
  ['contenteditable', HAS_EDITABLE],
  ['onclick', HAS_HANDLER],
  ['onmousedown', HAS_HANDLER],
  ['tabindex', HAS_TABINDEX],
  ['aria-actions', HAS_ACTIONS],
  ['aria-description', HAS_DESCRIPTION],
  ['aria-describedby', HAS_DESCRIPTION],
  ['aria-disabled', HAS_STATE],
  ['aria-checked', HAS_STATE],
  ['aria-expanded', HAS_STATE],
  ['aria-haspopup', HAS_STATE],
  ['aria-required', HAS_STATE],
  ['aria-readonly', HAS_STATE],
  ['aria-invalid', HAS_STATE],
  ['aria-multiselectable', HAS_STATE],
  ['aria-pressed', HAS_STATE],
  ['aria-selected', HAS_STATE],
  ['aria-current', HAS_STATE],
  ['aria-busy', HAS_STATE],
  ['aria-sort', HAS_STATE],
  ['id', HAS_KEY],
  ['name', HAS_KEY],
  ['data-testid', HAS_KEY],
  ['data-test', HAS_KEY],
  ['data-id', HAS_KEY],
  ['data-key', HAS_KEY],
]);

/** The flags of the elements of the current read; undefined between two reads. */
let known: Map<Element, number> | undefined;

/** Runs a read during which the page cannot change, so that flags can be kept. */
export const keepFlags = <T>(read: () => T): T => {
  if (known) return read();
  known = new Map();
  try {
    return read();
  } finally {
    known = undefined;
  }
};

/** The flags of all attributes; 0 if the element has none. */
export const readFlags = (element: Element): number => {
  if (!hasAttributes.call(element)) return 0;
  const before = known?.get(element);
  if (before !== undefined) return before;
  let flags = 0;
  for (const name of getNames.call(element)) flags |= BITS.get(name) ?? HAS_OTHER;
  known?.set(element, flags);
  return flags;
};

/** Whether the element has one of the attributes of these flags. */
export const hasAny = (element: Element, flags: number): boolean =>
  (readFlags(element) & flags) !== 0;
