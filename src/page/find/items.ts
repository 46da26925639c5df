// Rows, cards and list items: the things of which a page shows many alike.
import { attribute, hasAttribute, localName, nextElementSibling } from '../safe-dom.ts';
import { computeRole } from '../roles.ts';
import { likeness } from '../style.ts';

const ITEM_ROLES = new Set(['listitem', 'treeitem', 'option', 'menuitem']);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
/** Elements that stand in a line of text, of which several are no list. */
const INLINE = new Set(
  'a abbr b bdi cite code em i img input button label mark q s small span strong sub sup svg time u var select textarea'.split(
    ' ',
  ),
);

const previousElementSibling = Object.getOwnPropertyDescriptor(
  Element.prototype,
  'previousElementSibling',
)?.get as (this: Element) => Element | null;

/** The word for an item; nothing for what is none. */
export const itemKind = (element: Element): 'row' | 'article' | 'item' | undefined => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  if (role === 'row' || role === 'article') return role;
  if (ITEM_ROLES.has(role)) return 'item';
  if (CELL_ROLES.has(role) || INLINE.has(tag) || tag === 'body' || tag === 'html') return undefined;
  return isRepeated(element, tag) ? 'item' : undefined;
};

/** Whether a neighbour is of the same making: one of a list that was not marked up as one. */
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
  // Without classes three in a row make a list, unless they are paragraphs.
  if (tag === 'p' || tag === 'section' || tag === 'form' || tag === 'fieldset') return false;
  return (
    (isPlain(next, tag) &&
      (isPlain(previous, tag) || isPlain(nextElementSibling(next as Element), tag))) ||
    (isPlain(previous, tag) && isPlain(previousElementSibling.call(previous as Element), tag))
  );
};

const isPlain = (element: Element | null, tag: string): boolean =>
  element !== null && localName(element) === tag && attribute(element, 'class') === null;
