// Reads tables, name-value pairs, and groups of elements with the same structure, best first.
import { defined } from '../objects.ts';
import {
  attribute,
  attributeText,
  closest,
  localName,
  parentNode,
  query,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import { oneLine } from '../visible-text.ts';
import { matchGroups } from '../words.ts';
import type { Cell, NamedValue, RecordGroup, Table } from '../read-answers.ts';
import { classNames, collectLeaves, isShown, readShownText, readUrl } from './leaves.ts';

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

// Finds groups of elements with the same structure (results, cards, entries), best first.

const MAX_ELEMENTS = 60_000;
const MAX_GROUPS = 8;
const MAX_ITEMS = 5000;
const MAX_LEAVES = 60;
const NEVER = new Set(
  (
    'html head body script style br hr option td th thead tbody tfoot col source path g span b ' +
    'i em strong meta link p svg wbr'
  ).split(' '),
);

/** Tag, role and the descriptive classes. */
const signature = (element: Element): string =>
  [
    localName(element),
    attributeText(element, 'role'),
    ...classNames(element).slice(0, 3).sort(),
  ].join('.');

export const readGroups = (scope: Element | Root): RecordGroup[] => {
  const buckets = new Map<string, Element[]>();
  const visit = (root: Element | Root): void => {
    let seen = 0;
    for (const element of queryAll(root, '*')) {
      if (++seen > MAX_ELEMENTS) return;
      const inner = getShadowRoot(element);
      if (inner) visit(inner);
      if (NEVER.has(localName(element))) continue;
      const key = buildGroupKey(element);
      const bucket = buckets.get(key);
      if (bucket) bucket.push(element);
      else buckets.set(key, [element]);
    }
  };
  visit(scope);
  const candidates = [...buckets]
    .filter(([, elements]) => elements.length >= 2)
    .map(([label, elements]) => ({ label, elements, weight: computeWeight(elements) }));
  const best = candidates
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_GROUPS);
  return best.map(({ label, elements }) =>
    buildGroup(label.slice(label.indexOf(' > ') + 3), elements),
  );
};

/**
 * The group key: signatures of the element, its parent and its grandparent. Elements of several
 * similar rows are one group.
 */
const buildGroupKey = (element: Element): string => {
  const parent = parentNode(element);
  const above = parent && parentNode(parent);
  return [above, parent, element]
    .map((node) => (node instanceof Element ? signature(node) : ''))
    .join(' > ');
};

/** The average amount of content per element, weighted by the number of elements. */
const computeWeight = (elements: readonly Element[]): number => {
  const sample = elements.slice(0, 5).filter(isShown);
  const rich = sample.map((element) => {
    const parts = Math.min(element.querySelectorAll('*').length, 40);
    const chars = Math.min(element.textContent.trim().length, 400);
    return parts === 0 || chars === 0 ? 0 : Math.sqrt(parts) * Math.log2(chars + 2);
  });
  if (rich.length === 0) return 0;
  return (
    (rich.reduce((sum, value) => sum + value, 0) / rich.length) * Math.log2(elements.length + 1)
  );
};

export const buildGroup = (label: string, elements: readonly Element[]): RecordGroup => ({
  label: label.replace(/\.(?=\.|$| )/g, ''),
  items: elements
    .filter(isShown)
    .slice(0, MAX_ITEMS)
    .map((element) => collectLeaves(element, MAX_LEAVES)),
});
