// Text for people: the context of a view, its tables and notes, and any data as lines or tables. Pure.
import type { Colour } from './terminal.ts';
import { renderTable, type TableColumn, toOneLine, wrapParagraph } from './text-layout.ts';

export interface ViewContext {
  /** Width of the terminal; Infinity in a pipe, so that nothing is shortened. */
  readonly columns: number;
  readonly now: number;
  readonly paint: (colour: Colour, text: string) => string;
  /** Short ids of tabs, by tabId. */
  readonly tabs: Readonly<Record<string, string>>;
}

export const formatTab = ({ tabs }: ViewContext, tabId: string): string => tabs[tabId] ?? tabId;

export const drawTable = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { columns, paint }: ViewContext,
): string => renderTable(titles, rows, columns, (head) => paint('bold', head));

export const wrapNote = (text: string, { columns }: ViewContext): string =>
  columns === Infinity ? text : wrapParagraph(text, columns);

type DataRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is DataRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `stop_reason` and `stopReason` are shown as `stop reason`. */
const formatKey = (key: string): string =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

const formatScalar = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return value === null || value === undefined ? '' : JSON.stringify(value);
};

/** `columns`: the width of the terminal; Infinity if nothing may be shortened. */
export const renderData = (value: unknown, columns: number): string =>
  renderLines(value, columns, '').join('\n');

const renderLines = (value: unknown, columns: number, indent: string): string[] => {
  const width = columns - indent.length;
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${indent}none`];
    if (value.every(isRecord))
      return renderRecords(value, width)
        .split('\n')
        .map((line) => indent + line);
    return value.map((item) => indent + toOneLine(formatScalar(item)));
  }
  if (!isRecord(value)) return formatScalar(value).split('\n');
  return renderFields(value, columns, indent);
};

const isSimple = (value: unknown): boolean =>
  !(typeof value === 'object' && value !== null) ||
  (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object')) ||
  Object.keys(value).length === 0;

const formatSimple = (value: unknown): string => {
  if (Array.isArray(value) && value.length > 0) return value.map(formatScalar).join(', ');
  return typeof value === 'object' && value !== null ? 'none' : formatScalar(value);
};

const renderFields = (record: DataRecord, columns: number, indent: string): string[] => {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  const names = entries.filter(([, value]) => isSimple(value)).map(([key]) => formatKey(key));
  const width = Math.max(0, ...names.map((name) => name.length));
  return entries.flatMap(([key, value]) => {
    if (!isSimple(value))
      return [`${indent}${formatKey(key)}:`, ...renderLines(value, columns, `${indent}  `)];
    const text = formatSimple(value);
    const name = formatKey(key);
    if (text.includes('\n'))
      return [`${indent}${name}:`, ...text.split('\n').map((line) => `${indent}  ${line}`)];
    return [`${indent}${name.padEnd(width)}  ${text}`.trimEnd()];
  });
};

/** A table whose columns are the keys of the records. */
const renderRecords = (records: readonly DataRecord[], columns: number): string => {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const titles: TableColumn[] = keys.map((key) => ({ title: formatKey(key), shrinks: 1 }));
  const rows = records.map((record) => keys.map((key) => formatScalar(record[key])));
  return renderTable(titles, rows, columns);
};
