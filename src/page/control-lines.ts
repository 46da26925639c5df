// Writes the lines of controls, of labels for hidden controls, and of clickable areas.
import {
  attribute,
  attributeText,
  byIds,
  closest,
  getRect,
  hasAttribute,
  localName,
  query,
} from './safe-dom.ts';
import { assignId } from './state.ts';
import {
  FIELD_TAGS,
  hasHandler,
  isFocusableByAuthor,
  PAGE_TAGS,
  TEXTBOX_ROLES,
} from './element-kinds.ts';
import {
  HAS_DESCRIPTION,
  HAS_KEY,
  HAS_OWNS,
  HAS_STATE,
  HAS_TABINDEX,
  HAS_TITLE,
} from './attribute-flags.ts';
import { contentName, type Name, computeName, readPlaceholder } from './names.ts';
import type { OutputLine } from './line-output.ts';
import { hasAriaName, inputType, NAMED_BY_CONTENT, computeRole } from './roles.ts';
import { getShadowRoot } from './shadow.ts';
import { describeStates, readElementValue, readOptions } from './element-values.ts';
import { CELLS, writeStructure } from './structure-lines.ts';
import { oneLine, shortLine, textIf } from './visible-text.ts';
import type { VisibleElement, Walker } from './walker.ts';
import { createLookupTable } from './objects.ts';

const VALUELESS_TYPES = new Set<string>(['checkbox', 'radio', 'file']);
const AUTHOR_NAMES = new Set<string>(['aria-label', 'labelledby']);

/** Interactive elements that may be nested in a control. */
const NESTED =
  'a[href],button,input,select,textarea,iframe,[tabindex],[contenteditable],[role=button],' +
  '[role=link],[role=checkbox],[role=menuitem],[role=tab],[role=option],[role=switch],' +
  '[role=treeitem],[role=radio]';
const MAX_KEY_CHARS = 60;
const MAX_HINT_CHARS = 100;
const MAX_URL_CHARS = 2000;
const MAX_AREA_LINES = 8;
const MAX_AREA_CHARS = 600;
const MAX_TITLE_CHARS = 200;
const MIN_SIDE_PX = 4;

const joinWords = (...words: readonly string[]): string =>
  words.filter((word) => word !== '').join(' ');

export const writeControl = (walker: Walker, shown: VisibleElement, role: string): void => {
  const { out, known, options } = walker;
  const { element, tag, flags } = shown;
  out.flush();
  const name = computeName(element, tag, role, known, flags);
  const choices =
    tag === 'select'
      ? readOptions(element as HTMLSelectElement, role === 'listbox')
      : { value: readElementValue(element, tag, role), options: '' };
  const states = describeControlStates(walker, shown, role, name);
  out.push('control', {
    id: assignId(element),
    // DisclosureTriangle is Chrome's internal role; it is used like a button.
    role: role === 'DisclosureTriangle' ? 'button' : role,
    name: name.text,
    states: joinWords(states, choices.options),
    value: choices.value,
    key: buildFingerprintKey(element, tag, role, flags),
    url: options.urls && role === 'link' ? readHref(element) : '',
  });
  walker.controls.push(element);
  walker.tellOnce(name.sources);
  if (!FIELD_TAGS.has(tag)) writeInsideControl(walker, shown, role, name);
  else if (flags & HAS_OWNS) writeOwned(walker, shown);
};

/** Writes the elements that a field owns (aria-owns) below its line. */
const writeOwned = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  out.depth++;
  walker.clickable++;
  walker.ownedBy(shown);
  walker.clickable--;
  out.flush();
  out.depth--;
};

const describeControlStates = (
  walker: Walker,
  { element, tag, flags }: VisibleElement,
  role: string,
  name: Name,
): string => {
  const placeholder = oneLine(readPlaceholder(element, tag, role));
  const isInUse = placeholder === name.text || (element as HTMLInputElement).value;
  return joinWords(
    describeStates(element, tag, role, flags),
    textIf(element === walker.active, 'focused'),
    textIf(tag === 'input' && inputType(element) === 'file', 'file'),
    isInUse ? '' : formatHint('placeholder', placeholder),
    flags & HAS_DESCRIPTION ? formatHint('description', readHiddenDescription(element)) : '',
  );
};

const formatHint = (name: string, text: string): string =>
  text === '' ? '' : `${name}=${JSON.stringify(shortLine(text, MAX_HINT_CHARS))}`;

/** The text of a description that is not visible; a visible description has its own line. */
const readHiddenDescription = (element: Element): string => {
  const own = attribute(element, 'aria-description');
  if (own) return oneLine(own);
  if (!hasAttribute(element, 'aria-describedby')) return '';
  const hidden = byIds(element, 'aria-describedby').filter((source) => !source.checkVisibility());
  return oneLine(
    hidden
      .map((source) => source.textContent)
      .join(' ')
      .slice(0, MAX_HINT_CHARS * 2),
  );
};

const readHref = (element: Element): string =>
  oneLine(attribute(element, 'href') ?? attributeText(element, 'xlink:href')).slice(
    0,
    MAX_URL_CHARS,
  );

const USUAL_TAGS = createLookupTable<string>({
  link: 'a',
  button: 'button',
  combobox: 'select',
  listbox: 'select',
  DisclosureTriangle: 'summary',
});

/**
 * Part of the fingerprint beside role and name: the tag if it is unusual for the role, and the test
 * id, id or name.
 */
export const buildFingerprintKey = (
  element: Element,
  tag: string,
  role: string,
  flags: number,
): string => {
  const unusual = textIf(tag !== (USUAL_TAGS[role] ?? 'input'), tag);
  if (!(flags & HAS_KEY)) return unusual;
  for (const [name, sign] of KEY_ATTRIBUTES) {
    const value = attribute(element, name);
    if (value) return `${unusual}${sign}${shortLine(value, MAX_KEY_CHARS)}`;
  }
  return unusual;
};

/** The attributes that identify an element, best first, with the sign of each in a key. */
const KEY_ATTRIBUTES = [
  ['data-testid', '&'],
  ['data-test', '&'],
  ['id', '#'],
  ['name', '@'],
] as const;

/** Writes the nested controls of a control, and its text if the name does not include it. */
const writeInsideControl = (
  walker: Walker,
  shown: VisibleElement,
  role: string,
  name: Name,
): void => {
  const { out } = walker;
  const { element } = shown;
  const isOwner = (shown.flags & HAS_OWNS) !== 0;
  if (name.from === 'content' && !element.firstElementChild && !getShadowRoot(element) && !isOwner)
    return;
  const isInName = NAMED_BY_CONTENT.has(role)
    ? isContentInName(walker, element, name)
    : TEXTBOX_ROLES.has(role);
  if (isInName && !getShadowRoot(element) && !isOwner && !query(element, NESTED)) return;
  out.depth++;
  if (isInName) out.muted++;
  walker.clickable++;
  walker.inside(shown);
  walker.clickable--;
  if (isInName) out.muted--;
  else out.flush();
  out.depth--;
};

const isContentInName = (walker: Walker, element: Element, name: Name): boolean => {
  if (name.from === 'content' || name.text === '') return name.from === 'content';
  const content = contentName(element, walker.known);
  return content === '' || includesWords(name.text, content) || !HAS_WORD.test(content);
};

/**
 * A label whose check box, radio button or file field is hidden: the label gets the ref instead.
 */
export const writeLabel = (walker: Walker, shown: VisibleElement): void => {
  const { out, known } = walker;
  const label = shown.element;
  const { control } = label as HTMLLabelElement;
  walker.expectLabel(label);
  if (!control || !isHiddenChoice(control) || out.muted > 0) return walker.inside(shown);
  out.flush();
  const tag = localName(control);
  const role = computeRole(control, tag);
  out.push('control', {
    id: assignId(label),
    role,
    name: contentName(label, known),
    states: describeStates(control, tag, role),
    key: 'label',
  });
  walker.controls.push(label);
};

const isHiddenChoice = (control: Element): boolean => {
  if (localName(control) !== 'input') return false;
  const type = inputType(control);
  return VALUELESS_TYPES.has(type) && !control.checkVisibility({ visibilityProperty: true });
};

/** Whether an element without a control role reacts to clicks or can be focused. */
export const isArea = (
  walker: Walker,
  { element, tag, role, flags, hand, handAround }: VisibleElement,
): boolean => {
  if (walker.out.muted > 0 || PAGE_TAGS.has(tag)) return false;
  if (flags & (HAS_TABINDEX | HAS_STATE) && isGridPart(walker, element, role)) return true;
  if (walker.clickable > 0) return false;
  if (hand && !handAround) return true;
  return hasHandler(element, flags) || isFocusableByAuthor(element, flags);
};

/** Cells of a grid that can be focused, and rows that can be focused, expanded or selected. */
const isGridPart = (walker: Walker, element: Element, role: string): boolean => {
  if (role === 'row')
    return (
      walker.clickable === 0 &&
      GRID_ROW_STATES.some((name) => hasAttribute(element, name)) &&
      isInGrid(element)
    );
  return (
    CELLS.has(role) &&
    walker.row !== undefined &&
    hasAttribute(element, 'tabindex') &&
    isInGrid(element)
  );
};
const GRID_ROW_STATES = ['aria-expanded', 'aria-selected', 'tabindex'];

const isInGrid = (element: Element): boolean =>
  closest(element, '[role=grid],[role=treegrid]') !== null;

/** Roles that are written as `clickable`, because they do not describe a control. */
const PLAIN_ROLES = new Set([
  '',
  'paragraph',
  'strong',
  'emphasis',
  'group',
  'deletion',
  'banner',
  'contentinfo',
  'sectionheader',
  'sectionfooter',
]);

const areaRole = (role: string, tag: string): string => {
  if (PLAIN_ROLES.has(role)) return 'clickable';
  return role === 'listitem' && tag !== 'li' ? 'clickable' : role;
};

export const writeArea = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const { element, tag, role } = shown;
  const from = out.mark();
  const states = describeStates(element, tag, role, shown.flags);
  const line = out.push('control', {
    id: assignId(element),
    role: areaRole(role, tag),
    states: joinWords(states, textIf(element === walker.active, 'focused')),
    key: buildFingerprintKey(element, tag, '', shown.flags),
  });
  out.depth++;
  walker.clickable++;
  writeStructure(walker, shown);
  walker.clickable--;
  out.flush();
  out.depth--;
  closeArea(walker, shown, line, from + 1);
  if (!line.dead) walker.controls.push(element);
};

/** An area with text only is named by it; an area with a single control is left out. */
const closeArea = (
  walker: Walker,
  { element, tag, role, flags }: VisibleElement,
  line: OutputLine,
  from: number,
): void => {
  const { out } = walker;
  const inner = out.topLines(from, MAX_AREA_LINES);
  const label = areaLabel(walker, element, tag, role);
  const title = flags & HAS_TITLE ? attributeText(element, 'title') : '';
  const [first] = inner;
  if (!first) {
    line.name = shortLine(
      label || title || computeName(element, tag, role, walker.known).text,
      MAX_TITLE_CHARS,
    );
    line.dead = line.name === '' && !hasSize(element);
  } else if (!inner.every(isWords)) {
    line.name = shortLine(label || title, MAX_TITLE_CHARS);
    if (inner.length > 1 || !OUTER_KINDS.has(first.kind)) return;
    line.dead = true;
    out.outdent(from);
  } else if (
    inner.length <= MAX_AREA_LINES &&
    inner.reduce((sum, { name }) => sum + name.length, 0) <= MAX_AREA_CHARS
  )
    nameArea(walker, line, { label, title, inner, from });
};

/** The name from aria-label or aria-labelledby; '' if there is none. */
const areaLabel = (walker: Walker, element: Element, tag: string, role: string): string => {
  if (!hasAriaName(element)) return '';
  const name = computeName(element, tag, role, walker.known);
  if (!AUTHOR_NAMES.has(name.from)) return '';
  walker.tellOnce(name.sources);
  return shortLine(name.text, MAX_TITLE_CHARS);
};

/**
 * Names an area with little text: by its label, else by its text. A title that adds to the text
 * becomes a description.
 */
const nameArea = (
  { out }: Walker,
  line: OutputLine,
  {
    label,
    title,
    inner,
    from,
  }: { label: string; title: string; inner: readonly OutputLine[]; from: number },
): void => {
  const words = inner.map(({ name }) => name).join(' ');
  const [first] = inner;
  line.name = label || words;
  const description = textIf(label === '', oneLine(title));
  line.states = joinWords(
    line.states,
    textIf(first?.kind === 'heading', `h${first?.role}`),
    includesWords(words, description) ? '' : formatHint('description', description),
  );
  if (label === '' || includesWords(label, words) || !HAS_WORD.test(words)) out.kill(from);
};

const HAS_WORD = /[\p{L}\p{N}]{2}/u;
const includesWords = (text: string, words: string): boolean =>
  text.toLowerCase().includes(words.toLowerCase());

const WORD_KINDS = new Set(['text', 'image', 'heading']);
/** Kinds of lines that can replace the line of an area around them. */
const OUTER_KINDS = new Set(['control', 'group']);

const isWords = ({ kind }: OutputLine): boolean => WORD_KINDS.has(kind);

const hasSize = (element: Element): boolean => {
  const { width, height } = getRect(element);
  return width >= MIN_SIDE_PX && height >= MIN_SIDE_PX;
};
