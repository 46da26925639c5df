// Detects rows, cards and list items.
import { attribute, hasAttribute, localName, nextElementSibling } from '../safe-dom.ts';
import { computeRole } from '../roles.ts';
import { likeness } from '../style.ts';
import { PAGE_TAGS } from '../tag-sets.ts';

const SECTION_TAGS = new Set<string>(['p', 'section', 'form', 'fieldset']);

const ITEM_ROLES = new Set(['listitem', 'treeitem', 'option', 'menuitem']);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
/** Inline elements; several in a row are not a list. */
const INLINE = new Set(
  (
    'a abbr b bdi cite code em i img input button label mark q s small span strong sub sup ' +
    'svg time u var select textarea'
  ).split(' '),
);

const previousElementSibling = Object.getOwnPropertyDescriptor(
  Element.prototype,
  'previousElementSibling',
)?.get as (this: Element) => Element | null;

/** Returns the kind of item, or undefined if the element is not an item. */
export const itemKind = (element: Element): 'row' | 'article' | 'item' | undefined => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  if (role === 'row' || role === 'article') return role;
  if (ITEM_ROLES.has(role)) return 'item';
  if (CELL_ROLES.has(role) || INLINE.has(tag) || PAGE_TAGS.has(tag)) return undefined;
  return isRepeated(element, tag) ? 'item' : undefined;
};

/** Whether a sibling looks alike, as in a list without list markup. */
const isRepeated = (element: Element, tag: string): boolean => {
  const next = nextElementSibling(element);
  const previous = previousElementSibling.call(element);
  if (hasAttribute(element, 'class')) {
    const like = likeness(element);
    return (
      (next !== null && likeness(next) === like) ||
      (previous !== null && likeness(previous) === like)
    );
  }
  // Without classes, three siblings with the same tag count as a list, except for these tags.
  if (SECTION_TAGS.has(tag)) return false;
  return (
    (isPlain(next, tag) &&
      (isPlain(previous, tag) || isPlain(nextElementSibling(next as Element), tag))) ||
    (isPlain(previous, tag) && isPlain(previousElementSibling.call(previous as Element), tag))
  );
};

const isPlain = (element: Element | null, tag: string): boolean =>
  element !== null && localName(element) === tag && attribute(element, 'class') === null;
