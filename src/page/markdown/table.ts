// Reads tables as a grid with spans filled in, and separates data tables from layout tables.
import { textIf } from '../visible-text.ts';
import { attribute, getData, isElement, isText, localName, query, queryAll } from '../safe-dom.ts';
import { roleAttribute } from './shown.ts';
import { findNext, findNextOutside } from './document-order.ts';
import { PRESENTATION_ROLES } from '../element-kinds.ts';

interface TableCell {
  readonly element: Element;
  readonly columns: number;
  readonly rows: number;
  readonly header: boolean;
}

const ARIA_TABLES = new Set(['table', 'grid', 'treegrid']);
const MAX_SPAN = 200;

export const isTable = (element: Element): boolean =>
  localName(element) === 'table' || ARIA_TABLES.has(roleAttribute(element));

/** Elements that contain a table: their content does not belong to the table around them. */
const ANY_TABLE = 'table, [role=table], [role=grid], [role=treegrid]';
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/**
 * The elements of a table with ARIA roles that pass the test. Does not enter `isClosed` elements,
 * so that the elements of nested tables are visited once and not for every table around them.
 */
const listParts = (
  root: Element,
  isWanted: (element: Element) => boolean,
  isClosed: (element: Element) => boolean,
): Element[] => {
  const found: Element[] = [];
  for (let at = findNext(root, root); at;) {
    const isPart = isElement(at) && isWanted(at);
    if (isPart) found.push(at as Element);
    at = isElement(at) && isClosed(at) ? findNextOutside(at, root) : findNext(at, root);
  }
  return found;
};

const isRow = (element: Element): boolean => roleAttribute(element) === 'row';
const isCell = (element: Element): boolean => CELL_ROLES.has(roleAttribute(element));

const listRows = (table: Element): Element[] => {
  if (localName(table) === 'table') return [...(table as HTMLTableElement).rows];
  return listParts(table, isRow, isTable);
};

const listCells = (row: Element): Element[] => {
  if (localName(row) === 'tr') return [...(row as HTMLTableRowElement).cells];
  return listParts(row, isCell, (element) => isCell(element) || isRow(element) || isTable(element));
};

const span = (cell: Element, name: string): number => {
  const given = Number(attribute(cell, name) ?? attribute(cell, `aria-${name}`) ?? 1);
  return Number.isInteger(given) && given > 1 ? Math.min(given, MAX_SPAN) : 1;
};

const toCell = (element: Element): TableCell => ({
  element,
  columns: span(element, 'colspan'),
  rows: span(element, 'rowspan'),
  header: localName(element) === 'th' || roleAttribute(element) === 'columnheader',
});

/**
 * Whether the table contains data. Layout tables and code with line numbers are read cell by cell.
 */
export const isDataTable = (table: Element): boolean => {
  const role = roleAttribute(table);
  if (PRESENTATION_ROLES.has(role)) return false;
  if (query(table, ANY_TABLE) !== null) return false;
  if (queryAll(table, 'caption, thead, th, [role=columnheader]').length > 0) return true;
  const rows = listRows(table).slice(0, 20);
  const widths = rows.map((row) => listCells(row).length);
  if (rows.length < 2 || Math.max(...widths) < 2) return false;
  const blocks = queryAll(table, 'h1,h2,h3,h4,p,pre,ul,ol,div,form,blockquote').length;
  return blocks <= rows.length;
};

/** Line numbers are searched in this many characters. */
const MAX_NUMBER_CHARS = 20_000;

/** Whether the element is a column of line numbers; reads no further than the first other text. */
export const isLineNumbers = (element: Element): boolean => {
  let left = MAX_NUMBER_CHARS;
  let hasDigits = false;
  for (let at = findNext(element, element); at && left > 0; at = findNext(at, element)) {
    if (isElement(at) && isTable(at)) return false;
    if (!isText(at)) continue;
    const text = getData(at).slice(0, left);
    if (!/^[\d\s]*$/.test(text)) return false;
    hasDigits ||= /\d/.test(text);
    left -= text.length;
  }
  return hasDigits;
};

/** The cells of a layout table in reading order, without line numbers. */
export const layoutCells = (table: Element): Element[] =>
  listRows(table).flatMap((row) => listCells(row).filter((cell) => !isLineNumbers(cell)));

export interface Grid {
  readonly header: string[];
  readonly rows: string[][];
}

/**
 * The texts of all cells. A cell that spans rows is repeated in each row; one that spans columns is
 * repeated in the header only.
 */
export const readGrid = (
  table: Element,
  textOf: (cell: Element) => string,
  goOn: () => boolean,
): Grid => {
  const header: string[][] = [];
  const rows: string[][] = [];
  const hanging: { text: string; rowsLeft: number }[] = [];
  for (const row of listRows(table)) {
    if (!goOn()) break;
    const cells = listCells(row).map(toCell);
    const isHeader =
      rows.length === 0 &&
      cells.length > 0 &&
      (localName(row.parentElement ?? row) === 'thead' || cells.every((cell) => cell.header));
    const line = fillRow(cells, hanging, textOf, isHeader);
    if (line.some((text) => text !== '')) (isHeader ? header : rows).push(line);
  }
  return { header: joinHeader(header), rows };
};

const fillRow = (
  cells: TableCell[],
  hanging: { text: string; rowsLeft: number }[],
  textOf: (cell: Element) => string,
  isHeader: boolean,
): string[] => {
  const line: string[] = [];
  const takeHanging = (): void => {
    for (
      let above = hanging[line.length];
      above && above.rowsLeft > 0;
      above = hanging[line.length]
    ) {
      above.rowsLeft--;
      line.push(above.text);
    }
  };
  for (const cell of cells) {
    takeHanging();
    const text = textOf(cell.element);
    for (let i = 0; i < cell.columns; i++) {
      const shown = textIf(i === 0 || isHeader, text);
      hanging[line.length] = { text: shown, rowsLeft: cell.rows - 1 };
      line.push(shown);
    }
  }
  takeHanging();
  return line;
};

/** Markdown allows one header row, so several are joined per column: `group / column`. */
const joinHeader = (rows: readonly string[][]): string[] => {
  const width = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: width }, (_, column) => {
    const texts = rows.map((row) => row[column] ?? '').filter((text) => text !== '');
    return texts.filter((text, i) => text !== texts[i - 1]).join(' / ');
  });
};

/** The grid in GitHub's table syntax, without padding. */
export const renderGrid = ({ header, rows }: Grid): string => {
  const width = Math.max(header.length, ...rows.map((row) => row.length));
  if (width === 0) return '';
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, i) => cells[i] ?? '').join(' | ')} |`;
  return [line(header), `|${' - |'.repeat(width)}`, ...rows.map(line)].join('\n');
};
