// Reads tables, and name-value pairs from definition lists, two-column tables and labelled lines.
import { defined } from '../objects.ts';
import {
  attribute,
  attributeText,
  closest,
  localName,
  query,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { oneLine } from '../visible-text.ts';
import { matchGroups } from '../words.ts';
import type { Cell, NamedValue, Table } from './extract-answers.ts';
import { isShown, readShownText, readUrl } from './leaves.ts';

const MAX_TABLES = 50;
const MAX_ROWS = 20_000;
const MAX_COLUMNS = 100;
const MAX_PAIRS = 1000;

export const readTables = (scope: Element | Root, within: Element | undefined): Table[] => {
  const tables = Array.from(queryAll(scope, 'table, [role="table"], [role="grid"]'));
  if (within && isTable(within)) tables.unshift(within);
  return tables
    .filter(isShown)
    .slice(0, MAX_TABLES)
    .map(readTable)
    .filter((table) => table !== undefined);
};

const isTable = (element: Element): boolean =>
  localName(element) === 'table' || /^(?:table|grid)$/.test(attributeText(element, 'role'));

const readTable = (table: Element): Table | undefined => {
  const rows = listRows(table).slice(0, MAX_ROWS);
  const [head, ...rest] = rows;
  if (!head || rest.length === 0) return undefined;
  const cells = listCells(head);
  const headed =
    cells.length > 1 &&
    cells.every(
      (cell) => isHeader(cell) || readShownText(cell) === '' || closest(cell, 'thead') !== null,
    );
  const guessed =
    !headed &&
    cells.length > 1 &&
    rest.some((row) => listCells(row).some((cell) => /\d/.test(readShownText(cell)))) &&
    !cells.some((cell) => /\d/.test(readShownText(cell)));
  const headers = headed || guessed ? spread(cells).map((cell) => readShownText(cell)) : [];
  const body = (headers.length > 0 ? rest : rows)
    .filter((row) => isShown(row))
    .map((row) => spread(listCells(row)).map(readCell));
  const caption = query(table, 'caption');
  return {
    caption: caption ? readShownText(caption).slice(0, 200) : attributeText(table, 'aria-label'),
    headers,
    rows: body,
  };
};

const listRows = (table: Element): Element[] =>
  Array.from(queryAll(table, 'tr, [role="row"]')).filter(
    (row) => closest(row, 'table, [role="table"], [role="grid"]') === table,
  );

const listCells = (row: Element): Element[] =>
  Array.from(
    queryAll(
      row,
      'td, th, [role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"]',
    ),
  )
    .filter((cell) => closest(cell, 'tr, [role="row"]') === row)
    .slice(0, MAX_COLUMNS);

const isHeader = (cell: Element): boolean =>
  localName(cell) === 'th' || attribute(cell, 'role') === 'columnheader';

/** Repeats a cell for each column that it spans. */
const spread = (cells: readonly Element[]): Element[] =>
  cells.flatMap((cell) =>
    Array.from(
      { length: Math.min(Math.max(1, Number(attribute(cell, 'colspan')) || 1), MAX_COLUMNS) },
      () => cell,
    ),
  );

const readCell = (cell: Element): Cell => {
  const linked = query(cell, 'a[href]') ?? query(cell, 'img');
  const url = linked ? readUrl(linked) : undefined;
  return defined({ text: readShownText(cell), url });
};

export const readPairs = (scope: Element | Root, within: Element | undefined): NamedValue[] =>
  [
    ...readDefinitions(scope, within),
    ...readTwoColumns(scope, within),
    ...readLabelledLines(scope),
  ].slice(0, MAX_PAIRS);

const readDefinitions = (scope: Element | Root, within: Element | undefined): NamedValue[] => {
  const pairs: NamedValue[] = [];
  const lists = [
    ...(within && localName(within) === 'dl' ? [within] : []),
    ...queryAll(scope, 'dl'),
  ];
  for (const list of lists) {
    let name = '';
    for (const part of queryAll(list, 'dt, dd')) {
      if (closest(part, 'dl') !== list || !isShown(part)) continue;
      if (localName(part) === 'dt') name = readShownText(part);
      else if (name !== '') pairs.push({ name, from: 'dl', ...readCell(part) });
    }
  }
  return pairs;
};

/** Rows with a name cell and one value cell. */
const readTwoColumns = (scope: Element | Root, within: Element | undefined): NamedValue[] => {
  const pairs: NamedValue[] = [];
  for (const table of [
    ...(within && isTable(within) ? [within] : []),
    ...queryAll(scope, 'table'),
  ]) {
    for (const row of listRows(table).slice(0, MAX_PAIRS)) {
      const [name, value, ...more] = listCells(row);
      if (!name || !value || more.length > 0 || isHeader(value) || !isShown(row)) continue;
      pairs.push({ name: readShownText(name), from: 'table', ...readCell(value) });
    }
  }
  return pairs;
};

const LABELS = 'li, p, div, span, td';
const LABEL = /^([^:：\n]{2,40})[:：]\s*(\S.{0,500})$/;

/** Lines such as `Weight: 5 kg`. */
const readLabelledLines = (scope: Element | Root): NamedValue[] => {
  const pairs: NamedValue[] = [];
  for (const element of queryAll(scope, LABELS)) {
    if (pairs.length >= MAX_PAIRS) break;
    const text = element.textContent.length <= 600 ? oneLine(element.textContent) : '';
    const [, name, value] = matchGroups(LABEL, text);
    if (
      name === undefined ||
      value === undefined ||
      query(element, LABELS.replace('span, ', '')) ||
      !isShown(element)
    )
      continue;
    const link = query(element, 'a[href]');
    const url = link ? readUrl(link) : undefined;
    pairs.push(defined({ name: name.trim(), from: 'label', text: value.trim(), url }));
  }
  return pairs;
};
