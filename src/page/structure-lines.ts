// Writes the lines that structure a page: headings, list items, table rows and named groups.
import {
  attribute,
  attributeText,
  byIds,
  contains,
  localName,
  nextElementSibling,
  parentNode,
  previousElementSibling,
} from './safe-dom.ts';
import { HAS_CLASS, HAS_LABEL } from './attribute-flags.ts';
import { createLookupTable, getOrCreate } from './objects.ts';
import { assignId } from './state.ts';
import { type Name, computeName } from './names.ts';
import type { OutputLine } from './line-output.ts';
import { hasAriaName, hasAuthorName } from './roles.ts';
import { describeStates, readElementValue } from './element-values.ts';
import { isInline } from './style.ts';
import { type Covered, RowCells } from './tables.ts';
import { isBlank, textIf } from './visible-text.ts';
import type { VisibleElement, Walker } from './walker.ts';

const DIALOG_ROLES = new Set<string>(['dialog', 'alertdialog']);

/** Groups that get a line even without a name. */
const LANDMARKS = new Set(
  'navigation main search complementary dialog alertdialog alert'.split(' '),
);
/**
 * The page header and footer get a line even without a name, unless they are in a clickable area.
 */
const PAGE_ENDS = new Set(['banner', 'contentinfo']);
/** Groups that get a line if the author named them. */
const NAMED_GROUPS = new Set(
  (
    'form region group radiogroup toolbar tablist menu menubar tree grid treegrid table list ' +
    'feed log tabpanel banner contentinfo article application'
  ).split(' '),
);
/**
 * Parts of a text that get a line only if an attribute names them; else only their content is
 * written.
 */
const NAMED_PARTS = new Set(
  (
    'blockquote definition deletion document figure graphics-document graphics-object ' +
    'graphics-symbol insertion marquee math note rowgroup sectionfooter sectionheader ' +
    'separator status suggestion time timer tooltip'
  ).split(' '),
);
export const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** Writes an element by its role; of an element without a role only the content. */
export const writeStructure = (walker: Walker, shown: VisibleElement): void => {
  const { element, tag, role, flags, display } = shown;
  if (walker.options.roles && role !== '' && !HAS_OWN_LINE.has(role))
    return writeRole(walker, shown);
  const write = role === '' ? undefined : ROLE_WRITERS[role];
  if (write) return write(walker, shown);
  const isNamed = flags !== 0 && hasAuthorName(element, flags);
  if (tag === 'details' && isNamed) return writeGroup(walker, shown);
  if (tag === 'details' && !(element as HTMLDetailsElement).open)
    return writeSummary(walker, shown);
  if (LANDMARKS.has(role) || NAMED_GROUPS.has(role)) return writeGroup(walker, shown);
  if (isNamed && (NAMED_PARTS.has(role) || tag === 'dl')) return writeGroup(walker, shown);
  if (flags & HAS_CLASS && !isInline(display) && isRepeated(element, tag))
    return writeItem(walker, shown);
  walker.inside(shown);
};

/** Roles whose lines are the same in a read of all roles. */
const HAS_OWN_LINE = new Set(['generic', 'progressbar', 'meter']);

/**
 * Writes a line with the role and the name, and the content below it. Text is left out if it is the
 * whole content and the name, or part of a heading.
 */
const writeRole = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const { element, tag, role, flags } = shown;
  const name = computeName(element, tag, role, walker.known, flags);
  const from = out.mark();
  const isHeading = role === 'heading';
  const line = out.push(isHeading ? 'heading' : 'group', {
    id: assignId(element),
    role: isHeading ? String(headingLevel(element, tag)) : role,
    name: textIf(isHeading || name.from !== 'content', name.text),
    states: describeStates(element, tag, role, flags),
  });
  walker.tellOnce(name.sources);
  out.depth++;
  if (isHeading) out.muted++;
  writeOpenPart(walker, shown);
  if (isHeading) out.muted--;
  out.flush();
  out.depth--;
  const inner = out.topLines(from + 1, 1);
  if (name.from === 'content' && inner.length === 1 && inner[0]?.kind === 'text') {
    line.name = name.text;
    out.kill(from + 1);
  }
  line.dead = role !== 'separator' && line.name === '' && inner.length === 0;
  noteDialog(walker, shown, from);
};

const headingLevel = (element: Element, tag: string): number => {
  const level = Number.parseInt(attributeText(element, 'aria-level'), 10);
  if (level >= 1 && level <= 9) return level;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
};

const writeHeading = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const from = out.mark();
  const before = out.heading;
  out.heading = headingLevel(shown.element, shown.tag);
  walker.inside(shown);
  out.flush();
  const label = shown.flags & HAS_LABEL ? attribute(shown.element, 'aria-label') : null;
  if (label && !isBlank(label) && out.muted === 0) {
    for (let i = from; i < out.lines.length; i++)
      if (out.lines[i]?.kind === 'heading') (out.lines[i] as OutputLine).dead = true;
    out.text(label);
    out.flush();
  }
  joinHeading(walker, from);
  out.heading = before;
};

/** Merges a heading that contains only a link or an image into one line. */
const joinHeading = ({ out }: Walker, from: number): void => {
  const lines = out.topLines(from, 1);
  const [only] = lines;
  if (lines.length !== 1 || !only) return;
  if (only.kind === 'control') only.states += `${textIf(only.states, ' ')}h${out.heading}`;
  if (only.kind !== 'image') return;
  only.dead = true;
  out.push('heading', { name: only.name, role: String(out.heading) });
};

/** Whether a neighbour has the same tag and classes, as in a list without list markup. */
export const isRepeated = (element: Element, tag = localName(element)): boolean => {
  const classes = attribute(element, 'class');
  if (classes === null) return false;
  const isAlike = (other: Element | null): boolean =>
    other !== null && attribute(other, 'class') === classes && localName(other) === tag;
  return isAlike(nextElementSibling(element)) || isAlike(previousElementSibling(element));
};

/**
 * Whether aria-label or an element outside names the element. A name from its own content is
 * written with the content.
 */
const hasOuterName = ({ element, flags }: VisibleElement): boolean =>
  hasAriaName(element, flags) &&
  !byIds(element, 'aria-labelledby').some((source) => contains(element, source));

const writeArticle = (walker: Walker, shown: VisibleElement): void =>
  hasOuterName(shown) ? writeGroup(walker, shown) : writeItem(walker, shown);

const writeItem = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const from = out.mark();
  const item = out.push('item', { id: assignId(shown.element), role: 'item' });
  const isNamed = hasOuterName(shown);
  out.depth++;
  if (isNamed) writeGroup(walker, shown);
  else walker.inside(shown);
  out.flush();
  out.depth--;
  if (!isNamed) closeItem(walker, item, from);
};

/** Removes the line of an item that has at most one line inside. */
const closeItem = ({ out }: Walker, item: OutputLine, from: number): void => {
  const lines = out.topLines(from + 1, 1);
  if (lines.length > 1) return;
  item.dead = true;
  if (lines.length === 1) out.outdent(from + 1);
};

/** Writes a row; a row that has its own name gets a line with it above the cells. */
const writeRow = (walker: Walker, shown: VisibleElement): void => {
  const { element, tag, role, flags } = shown;
  if (!hasOuterName(shown)) return writeCells(walker, shown);
  const { out } = walker;
  const name = computeName(element, tag, role, walker.known, flags);
  out.flush();
  out.push('group', {
    id: assignId(element),
    role,
    name: name.text,
    states: describeStates(element, tag, role, flags),
  });
  walker.tellOnce(name.sources);
  out.depth++;
  writeCells(walker, shown);
  out.depth--;
};

const writeCells = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const from = out.mark();
  const item = out.push('item', { id: assignId(shown.element), role: 'row' });
  const outer = walker.row;
  const row = new RowCells(getCovered(walker, shown.element));
  walker.row = row;
  out.depth++;
  walker.inside(shown);
  out.flush();
  row.join(out, from + 1);
  out.depth--;
  walker.row = outer;
  closeItem(walker, item, from);
};

/** The row spans from above, kept per parent of the rows. */
const getCovered = (walker: Walker, row: Element): Covered => {
  const rows = parentNode(row) ?? row;
  return getOrCreate(walker.covered, rows, () => []);
};

const writeCell = (walker: Walker, shown: VisibleElement): void => {
  const { out, row } = walker;
  out.flush();
  row?.begin(out);
  const from = out.mark();
  walker.row = undefined;
  const { cell } = out;
  out.cell = true;
  walker.inside(shown);
  out.flush();
  out.cell = cell;
  walker.row = row;
  row?.add(out, shown.element, from);
};

const writeGauge = (walker: Walker, { element, tag, role }: VisibleElement): void => {
  const name = computeName(element, tag, role, walker.known);
  walker.out.flush();
  walker.out.push('note', { role, name: name.text, value: readElementValue(element, tag, role) });
  walker.tellOnce(name.sources);
};

/** Of a closed details element only the summary is written. */
const writeSummary = (walker: Walker, { element, hand }: VisibleElement): void => {
  for (let child = element.firstElementChild; child; child = nextElementSibling(child)) {
    if (localName(child) !== 'summary') continue;
    return walker.element(child, element, hand, false);
  }
};

const writeGroup = (walker: Walker, shown: VisibleElement): void => {
  const { out } = walker;
  const { element, tag, role } = shown;
  const name = groupName(walker, shown);
  const needsNoName = LANDMARKS.has(role) || (PAGE_ENDS.has(role) && walker.clickable === 0);
  if (name.text === '' && !needsNoName) return walker.inside(shown);
  const from = out.mark();
  const line = out.push('group', {
    id: assignId(element),
    role: tag === 'dl' ? 'list' : role,
    name: name.text,
    states: describeStates(element, tag, role, shown.flags),
  });
  walker.tellOnce(name.sources);
  out.depth++;
  writeOpenPart(walker, shown);
  out.flush();
  out.depth--;
  if (role !== 'separator' && out.topLines(from + 1, 0).length === 0) line.dead = true;
  noteDialog(walker, shown, from);
};

/** Writes the content of an element; of a closed details element only the summary. */
const writeOpenPart = (walker: Walker, shown: VisibleElement): void => {
  const { element, tag } = shown;
  if (tag === 'details' && !(element as HTMLDetailsElement).open) writeSummary(walker, shown);
  else walker.inside(shown);
};

const noteDialog = (walker: Walker, { element, tag, role }: VisibleElement, from: number): void => {
  if (DIALOG_ROLES.has(role)) walker.hasDialog = true;
  if (tag === 'dialog' && element.matches(':modal')) noteModal(walker, element, from);
};

/** Of several modal dialogs, the innermost, the focused or the last one is on top. */
const noteModal = (walker: Walker, element: Element, from: number): void => {
  const before = walker.modal;
  if (before && before[0] >= from) return;
  if (before && walker.active && !contains(element, walker.active)) return;
  walker.modal = [from, walker.out.lines.length];
};

const NAMELESS: Name = { text: '', from: 'none' };

/** A group that is named by a heading inside it needs no name, because the heading has a line. */
const groupName = (walker: Walker, { element, tag, role, flags }: VisibleElement): Name => {
  const name = computeName(element, tag, role, walker.known, flags);
  const byHeading =
    name.from === 'labelledby' &&
    name.sources?.some((source) => contains(element, source) && /^h[1-6]$/.test(localName(source)));
  return byHeading ? NAMELESS : name;
};

/** Roles that are always written in the same way. */
const ROLE_WRITERS = createLookupTable<(walker: Walker, shown: VisibleElement) => void>({
  heading: writeHeading,
  row: writeRow,
  cell: writeCell,
  gridcell: writeCell,
  columnheader: writeCell,
  rowheader: writeCell,
  article: writeArticle,
  listitem: writeItem,
  comment: writeItem,
  progressbar: writeGauge,
  meter: writeGauge,
});
