// Computes the role of an element as Chrome does: the first valid ARIA role, else the HTML role.
import {
  attribute,
  attributeText,
  byIds,
  closest,
  firstElementChild,
  getTabIndex,
  hasAttribute,
  isElement,
  localName,
  nextElementSibling,
  parentNode,
} from './safe-dom.ts';
import { createLookupTable } from './objects.ts';
import { isBlank, textIf } from './visible-text.ts';
import { PRESENTATION_ROLES } from './element-kinds.ts';
import { HAS_LABEL, HAS_LABELLEDBY, HAS_ROLE, HAS_TITLE, readFlags } from './attribute-flags.ts';

const NAMED_LANDMARKS = new Set<string>(['region', 'form']);
const ROW_SCOPES = new Set<string>(['row', 'rowgroup']);
const COLUMN_SCOPES = new Set<string>(['col', 'colgroup']);

const ARIA_ROLES = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox ' +
    'code columnheader combobox complementary contentinfo definition deletion dialog ' +
    'directory document emphasis feed figure form generic grid gridcell group heading image ' +
    'img insertion link list listbox listitem log main mark marquee math menu menubar ' +
    'menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph ' +
    'presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar ' +
    'search searchbox separator slider spinbutton status strong subscript suggestion ' +
    'superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip ' +
    'tree treegrid treeitem comment sectionfooter sectionheader graphics-document ' +
    'graphics-object graphics-symbol'
  ).split(' '),
);

/** Roles that depend on the tag only. */
const BY_TAG = createLookupTable<string>({
  address: 'group',
  article: 'article',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  code: 'code',
  datalist: 'listbox',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dfn: 'term',
  dialog: 'dialog',
  dir: 'list',
  dt: 'term',
  em: 'emphasis',
  fieldset: 'group',
  figure: 'figure',
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  hgroup: 'group',
  hr: 'separator',
  ins: 'insertion',
  li: 'listitem',
  main: 'main',
  mark: 'mark',
  math: 'math',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  strong: 'strong',
  sub: 'subscript',
  sup: 'superscript',
  table: 'table',
  tbody: 'rowgroup',
  textarea: 'textbox',
  tfoot: 'rowgroup',
  thead: 'rowgroup',
  time: 'time',
  tr: 'row',
  ul: 'list',
});

const INPUT_ROLES = createLookupTable<string>({
  button: 'button',
  checkbox: 'checkbox',
  color: 'ColorWell',
  date: 'Date',
  'datetime-local': 'DateTime',
  file: 'button',
  image: 'button',
  month: 'DateTime',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
  time: 'InputTime',
  week: 'DateTime',
});
/** Input types that become a combobox with a `list` attribute. */
const SUGGESTING = new Set(['text', 'search', 'email', 'tel', 'url']);

/** Whether the element can be focused; the role none is then ignored. */
const isFocusable = (element: Element): boolean => {
  if (element instanceof HTMLElement) {
    if (
      hasAttribute(element, 'tabindex') &&
      Number.isInteger(Number.parseInt(attributeText(element, 'tabindex'), 10))
    )
      return true;
    return getTabIndex(element) >= 0 && !matchesDisabled(element);
  }
  return hasAttribute(element, 'tabindex');
};

const matchesDisabled = (element: Element): boolean => hasAttribute(element, 'disabled');

const GLOBAL_ARIA = [
  'aria-atomic',
  'aria-busy',
  'aria-controls',
  'aria-current',
  'aria-describedby',
  'aria-description',
  'aria-details',
  'aria-dropeffect',
  'aria-flowto',
  'aria-grabbed',
  'aria-hidden',
  'aria-keyshortcuts',
  'aria-label',
  'aria-labelledby',
  'aria-live',
  'aria-owns',
  'aria-relevant',
  'aria-roledescription',
];
const hasGlobalAria = (element: Element): boolean =>
  GLOBAL_ARIA.some((name) => hasAttribute(element, name));

/** The first valid role of the role attribute; '' for presentation, undefined if there is none. */
const explicitRole = (element: Element): string | undefined => {
  const value = attribute(element, 'role');
  if (!value) return undefined;
  for (const token of value.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    if (PRESENTATION_ROLES.has(token))
      return isFocusable(element) || hasGlobalAria(element) ? undefined : '';
    if (token === 'image') return 'img';
    if (token === 'directory') return 'list';
    if (NAMED_LANDMARKS.has(token) && !hasAuthorName(element)) continue;
    return token;
  }
  return undefined;
};

/** Whether an attribute names the element; empty texts and unknown ids do not count. */
export const hasAuthorName = (element: Element, flags = readFlags(element)): boolean =>
  hasAriaName(element, flags) || ((flags & HAS_TITLE) !== 0 && hasWords(element, 'title'));

/** Whether aria-label or aria-labelledby names the element. */
export const hasAriaName = (element: Element, flags = readFlags(element)): boolean =>
  ((flags & HAS_LABEL) !== 0 && hasWords(element, 'aria-label')) ||
  ((flags & HAS_LABELLEDBY) !== 0 && byIds(element, 'aria-labelledby').length > 0);

const hasWords = (element: Element, attributeName: string): boolean =>
  !isBlank(attributeText(element, attributeName));

export const inputType = (element: Element): string => (element as HTMLInputElement).type;

const inputRole = (element: Element): string => {
  const type = inputType(element);
  if (SUGGESTING.has(type) && hasAttribute(element, 'list') && (element as HTMLInputElement).list)
    return 'combobox';
  if (type === 'hidden') return '';
  return INPUT_ROLES[type] ?? 'textbox';
};

const selectRole = (element: Element): string => {
  const { multiple, size } = element as HTMLSelectElement;
  return multiple || size > 1 ? 'listbox' : 'combobox';
};

/** Whether the element is the first summary of its details element. */
const isDisclosure = (element: Element): boolean => {
  const parent = parentNode(element);
  if (!(parent instanceof HTMLDetailsElement)) return false;
  for (let child = firstElementChild(parent); child; child = child.nextElementSibling)
    if (localName(child) === 'summary') return child === element;
  return false;
};

const GRID_ROLES = new Set(['grid', 'treegrid']);

const cellRole = (element: Element): string => {
  const table = closest(element, 'table');
  return table && GRID_ROLES.has(attributeText(table, 'role')) ? 'gridcell' : 'cell';
};

/**
 * Without a scope, a header cell is a row header if the row has data cells, else a column header.
 */
const headerCellRole = (element: Element): string => {
  const scope = attributeText(element, 'scope').toLowerCase();
  if (ROW_SCOPES.has(scope)) return 'rowheader';
  if (COLUMN_SCOPES.has(scope)) return 'columnheader';
  return hasDataCell(parentNode(element)) ? 'rowheader' : 'columnheader';
};

const hasDataCell = (row: Node | null): boolean => {
  if (!row || !isElement(row)) return false;
  for (let cell = firstElementChild(row); cell; cell = nextElementSibling(cell))
    if (localName(cell) === 'td') return true;
  return false;
};

const SECTIONS = 'article,aside,nav,section,[role=article],[role=complementary],[role=navigation]';
const SECTIONS_AND_MAIN = `${SECTIONS},main,[role=main]`;

/** A header or footer belongs to the page unless it is inside a section. */
const pageOrSectionRole = (element: Element, ofPage: string, ofSection: string): string => {
  const parent = parentNode(element);
  return parent && isElement(parent) && closest(parent, SECTIONS_AND_MAIN) ? ofSection : ofPage;
};

/** An aside inside a section is a landmark only if it has a name. */
const asideRole = (element: Element): string => {
  const parent = parentNode(element);
  return textIf(
    hasAuthorName(element) || !parent || !isElement(parent) || !closest(parent, SECTIONS),
    'complementary',
  );
};

/** Parts of an SVG drawing have a role only if they have a name. */
const drawingRole = (element: Element, tag: string): string => {
  const role = DRAWING_ROLES[tag];
  if (role === undefined || !(element instanceof SVGElement)) return '';
  return textIf(hasAuthorName(element) || hasTitleChild(element), role);
};

const DRAWING_ROLES = createLookupTable<string>({
  circle: 'graphics-symbol',
  ellipse: 'graphics-symbol',
  foreignObject: 'group',
  g: 'group',
  image: 'img',
  line: 'graphics-symbol',
  path: 'graphics-symbol',
  polygon: 'graphics-symbol',
  polyline: 'graphics-symbol',
  rect: 'graphics-symbol',
  use: 'graphics-object',
});

const hasTitleChild = (element: Element): boolean => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child))
    if (localName(child) === 'title') return true;
  return false;
};

/** The role that HTML gives an element. */
const nativeRole = (element: Element, tag: string): string => {
  const fixed = BY_TAG[tag];
  if (fixed !== undefined) return fixed;
  const readRole = ROLE_READERS[tag];
  return readRole ? readRole(element) : drawingRole(element, tag);
};

const linkRole = (element: Element): string =>
  textIf(hasAttribute(element, 'href') || hasAttribute(element, 'xlink:href'), 'link');

/** Tags whose role depends on attributes, the name or the position of the element. */
const ROLE_READERS = createLookupTable<(element: Element) => string>({
  a: linkRole,
  area: linkRole,
  input: inputRole,
  select: selectRole,
  img: (element) => (attribute(element, 'alt') === '' && !hasAuthorName(element) ? '' : 'img'),
  section: (element) => textIf(hasAuthorName(element), 'region'),
  summary: (element) => textIf(isDisclosure(element), 'DisclosureTriangle'),
  td: cellRole,
  th: headerCellRole,
  svg: () => 'img',
  aside: asideRole,
  footer: (element) => pageOrSectionRole(element, 'contentinfo', 'sectionfooter'),
  header: (element) => pageOrSectionRole(element, 'banner', 'sectionheader'),
});

export const computeRole = (element: Element, tag: string, flags = readFlags(element)): string => {
  const explicit = flags & HAS_ROLE ? explicitRole(element) : undefined;
  return explicit ?? nativeRole(element, tag);
};

/** Roles of controls, which get a ref. */
export const CONTROL_ROLES = new Set(
  (
    'link button textbox searchbox combobox listbox checkbox radio slider spinbutton switch ' +
    'menuitem menuitemcheckbox menuitemradio option tab treeitem DisclosureTriangle ' +
    'ColorWell Date DateTime InputTime scrollbar'
  ).split(' '),
);

/** Roles that are named by their content, so the content is not written again. */
export const NAMED_BY_CONTENT = new Set(
  (
    'button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox ' +
    'menuitemradio option radio row rowheader switch tab term tooltip treeitem ' +
    'DisclosureTriangle graphics-object'
  ).split(' '),
);
