// Converts the data of a page (JSON-LD, microdata, tables, lists) to sets of records.
import type { Group, Leaf, PageRecords, Table } from '../../browser/read/read-modes.ts';
import { listIf } from '../../core/collections.ts';
import { toExtractedValue, type ExtractedValue } from './coerce.ts';
import { isRecord } from '../../core/json.ts';
import { splitWords } from './words.ts';
import { isUnknownArray } from '../../core/json.ts';

export interface Column {
  /** Names from the page, most specific first; each name is a list of words. */
  readonly names: readonly (readonly string[])[];
  /** Kind of element or data that the values come from. */
  readonly kind: Leaf['kind'];
  /** One value per record. */
  readonly values: readonly (ExtractedValue | undefined)[];
  /** Description of the source, returned as provenance. */
  readonly from: string;
}

export interface RecordSet {
  readonly source:
    | 'json-ld'
    | 'microdata'
    | 'opengraph'
    | 'table'
    | 'definition-list'
    | 'repeated'
    | 'page'
    | 'document';
  readonly label: string;
  readonly size: number;
  readonly columns: readonly Column[];
}

const MAX_COLUMNS = 300;

/** Sets with several records. */
export const collectRecords = (page: PageRecords): RecordSet[] => [
  ...objectSets(page.jsonLd, 'json-ld'),
  ...objectSets(page.microdata, 'microdata'),
  ...page.tables.flatMap((table, i) => tableSet(table, i)),
  ...page.groups.map((group) => groupSet(group)),
];

/** Sets with exactly one record, which describes the page as a whole. */
export const collectRecord = (page: PageRecords): RecordSet[] => [
  ...objectsIn(page.jsonLd).map((object) => objectSet([object], 'json-ld')),
  ...objectsIn(page.microdata).map((object) => objectSet([object], 'microdata')),
  pairSet(page),
  metaSet(page),
  documentSet(page),
  groupSet({ label: 'page', items: [page.whole] }, 'page'),
];

type RecordData = Record<string, unknown>;

/**
 * All nested objects with at least one property that does not start with `@`, outer objects first.
 */
const objectsIn = (roots: readonly unknown[]): RecordData[] => {
  const found: RecordData[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (found.length >= 3000 || depth > 5) return;
    if (Array.isArray(value)) for (const item of value) visit(item, depth);
    else if (isRecord(value)) {
      if (Object.keys(value).some((key) => !key.startsWith('@'))) found.push(value);
      for (const key of Object.keys(value))
        if (typeof value[key] === 'object') visit(value[key], depth + 1);
    }
  };
  visit(roots, 0);
  return found;
};

const readType = (object: RecordData): string => {
  const type = object['@type'];
  return String(Array.isArray(type) ? type[0] : (type ?? 'Thing')).replace(/^.*[/#]/, '');
};

/** Groups objects by `@type`. A ListItem is replaced by its `item`. */
const objectSets = (roots: readonly unknown[], source: 'json-ld' | 'microdata'): RecordSet[] => {
  const byType = new Map<string, RecordData[]>();
  for (const object of objectsIn(roots)) {
    const item =
      readType(object) === 'ListItem' && isRecord(object['item'])
        ? { ...object['item'], position: object['position'] }
        : object;
    const type = readType(item);
    byType.set(type, [...(byType.get(type) ?? []), item]);
  }
  return [...byType.values()]
    .filter((objects) => objects.length > 1)
    .map((objects) => objectSet(unique(objects), source));
};

/** Removes duplicates: sites often list an object twice, in a list and separately. */
const unique = (objects: readonly RecordData[]): RecordData[] => {
  const seen = new Set<string>();
  return objects.filter((object) => {
    const id = object['@id'] ?? object['url'];
    const key = typeof id === 'string' ? id : JSON.stringify({ ...object, position: undefined });
    return seen.has(key) ? false : seen.add(key);
  });
};

const objectSet = (objects: readonly RecordData[], source: 'json-ld' | 'microdata'): RecordSet => {
  const paths = new Map<string, (ExtractedValue | undefined)[]>();
  for (const [i, object] of objects.entries()) {
    for (const [path, value] of valuesIn(object)) {
      let values = paths.get(path);
      if (!values) {
        if (paths.size >= MAX_COLUMNS) continue;
        paths.set(path, (values = Array.from({ length: objects.length })));
      }
      values[i] ??= toExtractedValue(value);
    }
  }
  const type = readType(objects[0] ?? {});
  const columns = [...paths].map(([path, values]): Column => ({
    names: buildNames(path),
    kind: 'data',
    values,
    from: `${source} ${type}.${path}`,
  }));
  return { source, label: type, size: objects.length, columns };
};

/** `offers.price` gives the names "offers price" and "price". */
const buildNames = (path: string): string[][] => {
  const parts = path.split('.').map(splitWords);
  const last = parts.at(-1) ?? [];
  const outer = parts.at(-2);
  return outer
    ? [[...outer, ...last], last, ...listIf(/\.(?:name|value|text)$/.test(path), outer)]
    : [last];
};

function* valuesIn(
  object: RecordData,
  path = '',
  depth = 0,
): Generator<[path: string, value: unknown]> {
  for (const [key, value] of Object.entries(object)) {
    if (key.startsWith('@')) continue;
    const here = path === '' ? key : `${path}.${key}`;
    yield [here, value];
    const inner = isUnknownArray(value) ? value[0] : value;
    if (isRecord(inner) && depth < 2) yield* valuesIn(inner, here, depth + 1);
  }
}

const tableSet = ({ caption, headers, rows }: Table, index: number): RecordSet[] => {
  if (headers.length === 0 || rows.length === 0) return [];
  const label = caption === '' ? `table ${index + 1}` : `table "${caption}"`;
  const columns = headers.map((header, i): Column => ({
    names: [splitWords(header)],
    kind: 'text',
    values: rows.map((row) => row[i]),
    from: `${label}, column "${header.slice(0, 60)}"`,
  }));
  return [{ source: 'table', label, size: rows.length, columns }];
};

/** Elements with the same key in every item form a column. */
const groupSet = ({ label, items }: Group, source: 'repeated' | 'page' = 'repeated'): RecordSet => {
  const columns = new Map<string, { leaf: Leaf; values: (ExtractedValue | undefined)[] }>();
  for (const [i, leaves] of items.entries()) {
    for (const leaf of leaves) {
      let column = columns.get(leaf.key);
      if (!column) {
        if (columns.size >= MAX_COLUMNS && source === 'repeated') continue;
        columns.set(leaf.key, (column = { leaf, values: Array.from({ length: items.length }) }));
      }
      column.values[i] ??= { text: leaf.text, url: leaf.url, when: leaf.when };
    }
  }
  return {
    source,
    label,
    size: items.length,
    columns: [...columns.values()].map(({ leaf, values }) => ({
      names: leaf.names.map(splitWords),
      kind: leaf.kind,
      values,
      from: `${source === 'page' ? 'page' : `repeated ${label}`}, ${leaf.key.slice(-80)}`,
    })),
  };
};

const pairSet = ({ pairs }: PageRecords): RecordSet => ({
  source: 'definition-list',
  label: 'names and values',
  size: 1,
  columns: pairs.map(({ name, from, ...cell }): Column => ({
    names: [splitWords(name)],
    kind: 'text',
    values: [cell],
    from: `${PAIR_SOURCES[from]} "${name.slice(0, 60)}"`,
  })),
});

const PAIR_SOURCES = { dl: 'definition list', table: 'table row', label: 'line' } as const;

const metaSet = ({ meta }: PageRecords): RecordSet => ({
  source: 'opengraph',
  label: 'meta',
  size: 1,
  columns: [
    ...Object.entries(meta).map(([name, content]): Column => ({
      names: [
        splitWords(
          name.replace(/^(?:og|article|product|twitter|book|dc|dcterms|citation)[:._]/i, ''),
        ),
        splitWords(name),
      ],
      kind: 'data',
      values: [toExtractedValue(content)],
      from: `meta ${name}`,
    })),
  ],
});

/** The URL and title of the page, as the least trusted source. */
const documentSet = ({ url, title }: PageRecords): RecordSet => ({
  source: 'document',
  label: 'document',
  size: 1,
  columns: [
    { names: [['url']], kind: 'data', values: [{ text: url, url }], from: 'address of the page' },
    { names: [['title']], kind: 'data', values: [{ text: title }], from: 'title of the page' },
  ],
});
