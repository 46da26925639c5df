// Describes where an element is: its row, card or list item, dialog, landmark and heading.
import { composedParent } from '../shadow.ts';
import { PAGE_TAGS } from '../element-kinds.ts';
import { collectPieces, readShownValue, readText } from '../find-words.ts';
import type { QueryWords } from '../match-words.ts';
import { computeName, type NameCache } from '../names.ts';
import { createLookupTable, valueIf } from '../objects.ts';
import { computeRole } from '../roles.ts';
import {
  attribute,
  attributeText,
  contains,
  hasAttribute,
  localName,
  matches,
  nextElementSibling,
  previousElementSibling,
  query,
  queryAll,
} from '../safe-dom.ts';
import { oneLine } from '../visible-text.ts';
import { excerpt, fold } from '../words.ts';
import type { ElementContext } from './find-answers.ts';

// Detects rows, cards and list items.

const SECTION_TAGS = new Set<string>(['p', 'section', 'form', 'fieldset']);

const ITEM_KINDS = createLookupTable<'row' | 'article' | 'item'>({
  row: 'row',
  article: 'article',
  listitem: 'item',
  treeitem: 'item',
  option: 'item',
  menuitem: 'item',
});
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
/** Inline elements; several in a row are not a list. */
const INLINE = new Set(
  (
    'a abbr b bdi cite code em i img input button label mark q s small span strong sub sup ' +
    'svg time u var select textarea'
  ).split(' '),
);

/** Returns the kind of item, or undefined if the element is not an item. */
export const itemKind = (element: Element): 'row' | 'article' | 'item' | undefined => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  const kind = ITEM_KINDS[role];
  if (kind) return kind;
  if (CELL_ROLES.has(role) || INLINE.has(tag) || PAGE_TAGS.has(tag)) return undefined;
  return valueIf(isRepeated(element, tag), 'item');
};

const readLikeness = (element: Element): string =>
  `${localName(element)}.${attributeText(element, 'class')}`;

/** Whether a sibling looks alike, as in a list without list markup. */
const isRepeated = (element: Element, tag: string): boolean => {
  const next = nextElementSibling(element);
  const previous = previousElementSibling(element);
  if (hasAttribute(element, 'class')) {
    const like = readLikeness(element);
    return [next, previous].some((sibling) => sibling && readLikeness(sibling) === like);
  }
  // Without classes, three siblings with the same tag count as a list, except for these tags.
  if (SECTION_TAGS.has(tag)) return false;
  return (
    (isPlain(next, tag) &&
      (isPlain(previous, tag) || isPlain(nextElementSibling(next as Element), tag))) ||
    (isPlain(previous, tag) && isPlain(previousElementSibling(previous as Element), tag))
  );
};

const isPlain = (element: Element | null, tag: string): boolean =>
  element !== null && localName(element) === tag && attribute(element, 'class') === null;

const MAX_AROUND = 4;
const MAX_CLIMB = 40;
const MAX_CHARS = 40;

/** Roles that identify a part of the page even without a name. */
const PARTS = new Set(
  (
    'dialog alertdialog navigation search complementary toolbar menu tablist ' +
    'banner contentinfo'
  ).split(' '),
);
/** Roles that identify a part of the page only if it has a name, plus PARTS. */
const NAMED_PARTS = new Set([
  ...PARTS,
  ...(
    'region form group radiogroup tabpanel table grid treegrid tree list feed main article ' +
    'menubar'
  ).split(' '),
]);
const TAG_PARTS = createLookupTable<string>({ header: 'header', footer: 'footer' });
const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';

/** The context of an element from the inside out, at most MAX_AROUND entries. */
export const collectElementContext = (
  element: Element,
  known: NameCache,
  near: QueryWords | undefined,
): ElementContext[] => {
  const found: ElementContext[] = [];
  let inItem = false;
  let underHeading = false;
  for (const [at, below] of climb(element)) {
    if (found.length >= MAX_AROUND) break;
    const tag = localName(at);
    const item: ElementContext | undefined =
      inItem || tag === 'body' ? undefined : describeItem(at, element, near);
    inItem ||= item !== undefined;
    // A row or card needs no heading; an article does.
    const heading: string =
      underHeading || (item && item.kind !== 'article') ? '' : findHeadingBefore(below, element);
    underHeading ||= heading !== '';
    const part = item ?? describePart(at, tag, known);
    if (heading !== '' && fold(heading) !== fold(part?.text ?? ''))
      found.push({ kind: 'under', text: heading });
    if (part) found.push(part);
  }
  return found;
};

/** Yields each ancestor together with its child on the path to the element. */
function* climb(element: Element): Generator<readonly [at: Element, below: Element]> {
  let below = element;
  for (let i = 0; i < MAX_CLIMB; i++) {
    const at = composedParent(below);
    if (!at) return;
    yield [at, below];
    below = at;
  }
}

/** Describes a row or item by its text without the element's own. */
const describeItem = (
  item: Element,
  element: Element,
  near: QueryWords | undefined,
): ElementContext | undefined => {
  const kind = itemKind(item);
  if (kind === undefined) return undefined;
  const pieces = collectPieces(
    item,
    (inner) => inner === element || matches(inner, 'button,select,textarea,option,[role=button]'),
  );
  const text = buildItemText(
    item,
    element,
    pieces.length > 0 ? pieces : collectUnwritten(item, element),
    near,
  );
  return valueIf(text !== '', { kind, text });
};

const MAX_UNWRITTEN = 20;

/** Text of an item without text nodes: field values, alt texts and ARIA labels. */
const collectUnwritten = (item: Element, element: Element): string[] => {
  const words: string[] = [];
  for (const inner of queryAll(item, 'input,textarea,select,[alt],[aria-label]')) {
    if (words.length >= MAX_UNWRITTEN) break;
    const value = matches(inner, 'input,textarea,select')
      ? readShownValue(inner)
      : (attribute(inner, 'alt') ?? attributeText(inner, 'aria-label'));
    const word = oneLine(value.slice(0, 200));
    if (inner !== element && word !== '') words.push(word);
  }
  return words;
};

/** More text is added to an item's description only up to this length. */
const ENOUGH_CHARS = 20;

/** The heading of an item, else its first words, plus the pieces that contain a word of `near`. */
const buildItemText = (
  item: Element,
  element: Element,
  pieces: readonly string[],
  near: QueryWords | undefined,
): string => {
  const title = query(item, HEADINGS);
  const heading =
    title && !contains(title, element) && !contains(element, title)
      ? oneLine(readText(title).slice(0, 200))
      : '';
  const start = heading === '' ? pieces : [heading, ...pieces.filter((piece) => piece !== heading)];
  const shown: string[] = [];
  for (const [i, piece] of start.entries()) {
    const requested = near?.each.some((word) => fold(piece).includes(word)) === true;
    const short = shown.join(' ').length + piece.length <= ENOUGH_CHARS;
    if (i === 0 || requested || (short && heading === '' && shown.length < (near ? 2 : 4)))
      shown.push(piece);
  }
  return excerpt(shown.join(' '), near?.text ?? '', MAX_CHARS);
};

const describePart = (
  element: Element,
  tag: string,
  known: NameCache,
): ElementContext | undefined => {
  const role = computeRole(element, tag);
  if (!NAMED_PARTS.has(role))
    return TAG_PARTS[tag] === undefined ? undefined : { kind: TAG_PARTS[tag], text: '' };
  const name = computeName(element, tag, role, known).text;
  if (name === '' && !PARTS.has(role)) return undefined;
  return { kind: role, text: excerpt(name, '', MAX_CHARS) };
};

const MAX_SIBLINGS = 30;

/** The nearest heading among the preceding siblings of `below`. */
const findHeadingBefore = (below: Element, element: Element): string => {
  let at = previousElementSibling(below);
  for (let i = 0; at && i < MAX_SIBLINGS; at = previousElementSibling(at), i++) {
    if (matches(at, HEADINGS) && at !== element)
      return excerpt(oneLine(readText(at).slice(0, 200)), '', MAX_CHARS);
  }
  return '';
};
