// Assigns the columns of a record set to schema fields, by name, kind and convertible values.
import { coerce, type ExtractedValue } from './coerce.ts';
import type { SchemaField } from './schema-fields.ts';
import type { Column, RecordSet } from './record-sets.ts';
import { compareWords } from './words.ts';

export interface FieldMatch {
  readonly field: SchemaField;
  readonly column: Column;
  readonly score: number;
}

const ENOUGH = 0.4;
/** Each further name of a column counts less than the name before it, by this factor. */
const FADING = 0.93;
const SAMPLE = 30;

/**
 * Assigns each field its best column. A column is used for one field only, except links (see
 * `sharesWell`).
 */
export const matchFields = (
  fields: readonly SchemaField[],
  { columns }: RecordSet,
): FieldMatch[] => {
  const pairs = fields
    .flatMap((field) => columns.map((column) => ({ field, column, score: score(field, column) })))
    .filter(({ score: found }) => found >= ENOUGH);
  pairs.sort((a, b) => b.score - a.score);
  const matches = new Map<SchemaField, FieldMatch>();
  const taken = new Set<Column>();
  for (const pair of pairs) {
    if (matches.has(pair.field) || (taken.has(pair.column) && !sharesWell(pair))) continue;
    matches.set(pair.field, pair);
    taken.add(pair.column);
  }
  return [...matches.values()];
};

/** A link column can provide both the text and the URL. */
const sharesWell = ({ field, column }: FieldMatch): boolean =>
  column.kind === 'link' && (field.meaning === 'url' || field.format === 'uri');

const score = (field: SchemaField, column: Column): number => {
  const byName = Math.max(
    0,
    ...column.names.map((words, i) => nameScore(field, words) * FADING ** i),
  );
  const named = Math.max(byName, byNature(field, column));
  if (named < ENOUGH) return 0;
  const fitting = fits(field, column.values);
  return fitting < 0.5 ? 0 : named * (0.8 + 0.2 * fitting) * (0.9 + 0.1 * coverage(column));
};

const nameScore = (field: SchemaField, words: readonly string[]): number => {
  const { path, about } = field;
  const parents = path.slice(0, -1).flatMap((name) => name.toLowerCase().split(' '));
  const isDescribed = words.length > 0 && words.every((word) => about.includes(word));
  return Math.max(
    compareWords(field.words, words),
    compareWords([...parents, ...field.words], words),
    isDescribed ? 0.5 : 0,
  );
};

const CURRENCY = /[$€£¥₹₽₩]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|kr|zł)\b/;

/**
 * Score by kind of element (heading, link, image, time) or by content, for columns without a
 * matching name.
 */
const byNature = ({ meaning, format, type }: SchemaField, { kind, values }: Column): number => {
  const sample = values.find((value) => value !== undefined)?.text ?? '';
  if (kind === 'heading') return meaning === 'name' ? 0.7 : 0;
  if (kind === 'link' && (meaning === 'url' || format === 'uri')) return 0.6;
  if (kind === 'link') return meaning === 'name' && sample !== '' ? 0.5 : 0;
  if (kind === 'image') return meaning === 'image' ? 0.7 : 0;
  if (kind === 'time')
    return meaning === 'date' || format === 'date' || format === 'date-time' ? 0.7 : 0;
  if (meaning === 'price' && CURRENCY.test(sample) && /\d/.test(sample) && sample.length < 40)
    return 0.6;
  if ((meaning === 'description' || meaning === 'body') && kind === 'text' && sample.length > 40)
    return 0.45;
  if (
    meaning === 'rating' &&
    type === 'number' &&
    /\b\d(?:[.,]\d)?\s*(?:\/|out of|von)\s*5\b/.test(sample)
  )
    return 0.6;
  return 0;
};

const present = (values: readonly (ExtractedValue | undefined)[]): ExtractedValue[] =>
  values.filter(
    (value) =>
      value !== undefined &&
      (value.text !== '' || value.url !== undefined || value.data !== undefined),
  ) as ExtractedValue[];

/** Share of the values that can be converted to the type of the field. */
const fits = (field: SchemaField, values: readonly (ExtractedValue | undefined)[]): number => {
  const sample = present(values).slice(0, SAMPLE);
  if (sample.length === 0) return 0;
  return sample.filter((value) => coerce(field, value) !== undefined).length / sample.length;
};

const coverage = ({ values }: Column): number =>
  values.length === 0 ? 0 : present(values).length / values.length;
