// Converts a value from the page to the type of a schema field; undefined if that is impossible.
import { ifDefined, valueIf } from '../../core/defined.ts';
import type { SchemaField } from './schema-fields.ts';
import { getOwn, isObject, isRecord, isUnknownArray } from '../../core/json.ts';
import { matchGroups, textIf } from '../../core/text.ts';

/** A value from the page: its text, link URL, machine-readable time, or structured data. */
export interface ExtractedValue {
  readonly text: string;
  readonly url?: string | undefined;
  readonly when?: string | undefined;
  readonly data?: unknown;
}

export const coerce = (field: SchemaField, found: ExtractedValue): unknown => {
  const value = byType(field, found);
  return ifDefined(value, (value) => fromChoices(field, value));
};

type Converter = (field: SchemaField, found: ExtractedValue) => unknown;

const byType: Converter = (field, found) => {
  const convert = getOwn(CONVERTERS, field.type) ?? toText;
  return convert(field, found);
};

const toInteger = (found: ExtractedValue): number | undefined => {
  const number = parseNumber(found);
  return valueIf(Number.isInteger(number), number);
};

const CONVERTERS: Readonly<Record<string, Converter>> = {
  number: (_, found) => parseNumber(found),
  integer: (_, found) => toInteger(found),
  boolean: (_, found) => toBoolean(found),
  array: (field, found) => toArray(field, found),
  object: (_, { data }) => valueIf(isRecord(data), data),
};

const ADDRESS_FORMATS = new Set(['uri', 'url', 'uri-reference']);
const ADDRESS_MEANINGS = new Set<string | undefined>(['url', 'image']);
const DATE_FORMATS = new Set(['date', 'date-time']);
const DATE_MEANINGS = new Set<string | undefined>(['date', 'modified']);
const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/;

const toText = (
  { format = '', meaning, words }: SchemaField,
  found: ExtractedValue,
): string | undefined => {
  if (ADDRESS_FORMATS.has(format)) return pickAddress(found);
  if (DATE_FORMATS.has(format)) return toDate(found, format);
  if (format === 'email') return EMAIL.exec(found.text)?.[0];
  if (ADDRESS_MEANINGS.has(meaning)) return pickAddress(found) ?? pickText(found);
  if (words.at(-1) === 'url') return pickAddress(found);
  if (DATE_MEANINGS.has(meaning)) return found.when ?? pickText(found);
  if (meaning === 'author') return pickText(found)?.replace(/^(?:written |posted )?by:?\s+/i, '');
  return pickText(found);
};

const pickText = ({ text, when, url }: ExtractedValue): string | undefined =>
  text !== '' ? text : (when ?? url);

const pickAddress = ({ url, text }: ExtractedValue): string | undefined => url ?? addressIn(text);

const addressIn = (text: string): string | undefined =>
  /^(?:https?:)?\/\/\S+$/.exec(text.trim())?.[0];

const NUMBER = /[-+−]?\d[\d.,'’\u00A0\u202F ]*\d|[-+−]?\d/;

/** The first number in the text, with any style of thousands and decimal separators. */
export const parseNumber = ({ text, data }: ExtractedValue): number | undefined => {
  if (typeof data === 'number' && Number.isFinite(data)) return data;
  const found = NUMBER.exec(text)?.[0];
  if (found === undefined) return undefined;
  const plain = found.replace('−', '-').replace(/['’\u00A0\u202F ]/g, '');
  const number = Number(withPoint(plain));
  return valueIf(Number.isFinite(number), number);
};

/**
 * `1.234,56` and `1,234.56` are equal. A single comma before three digits separates thousands,
 * unless the number starts with `0,`.
 */
const withPoint = (text: string): string => {
  const [comma, point] = [text.lastIndexOf(','), text.lastIndexOf('.')];
  if (comma >= 0 && point >= 0)
    return comma > point ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '');
  const separator = comma >= 0 ? ',' : '.';
  const parts = text.split(separator);
  const grouped =
    parts.length > 2 ||
    (parts.length === 2 && parts[1]?.length === 3 && separator === ',' && parts[0] !== '0');
  return grouped ? parts.join('') : text.replace(',', '.');
};

const YES = [
  /^(?:true|yes|y|1|on|✓|✔|x|ja|oui|sí|available|in[ -]?stock|instock)$/i,
  /^(?:https?:\/\/schema\.org\/)?InStock$/i,
];
const NO = [
  /^(?:false|no|n|0|off|✗|✘|-|–|nein|non|unavailable|sold[ -]?out|out[ -]?of[ -]?stock)$/i,
  /^(?:https?:\/\/schema\.org\/)?(?:OutOfStock|SoldOut|Discontinued)$/i,
];

const toBoolean = ({ text, data }: ExtractedValue): boolean | undefined => {
  if (typeof data === 'boolean') return data;
  const plain = text.trim();
  if (YES.some((pattern) => pattern.test(plain))) return true;
  return NO.some((pattern) => pattern.test(plain)) ? false : undefined;
};

const toArray = (field: SchemaField, found: ExtractedValue): unknown[] | undefined => {
  const items = field.schema['items'];
  const schema = isObject(items) ? items : {};
  const type = (asText(schema['type']) ?? 'string') as SchemaField['type'];
  const one: SchemaField = { ...field, type, schema, format: asText(schema['format']) };
  const out = listValues(found)
    .map((value) => coerce(one, value))
    .filter((value) => value !== undefined);
  return valueIf(out.length > 0, out);
};

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const listValues = (found: ExtractedValue): ExtractedValue[] => {
  if (isUnknownArray(found.data)) return found.data.map(toExtractedValue);
  return found.url === undefined ? split(found.text).map((text) => ({ text })) : [found];
};

const split = (text: string): string[] =>
  text
    .split(/[,;|•·]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const PLAIN_TYPES = new Set(['string', 'number']);

/** Converts structured data. An object is represented by its name, value or headline. */
export const toExtractedValue = (data: unknown): ExtractedValue => {
  if (typeof data === 'string') return { text: data, url: addressIn(data), data };
  if (typeof data === 'number' || typeof data === 'boolean') return { text: String(data), data };
  if (Array.isArray(data)) return { ...toExtractedValue(data[0]), data };
  if (!isObject(data)) return { text: '' };
  const text = ['name', '@value', 'value', 'text', 'headline']
    .map((name) => data[name])
    .find((part) => PLAIN_TYPES.has(typeof part));
  const url = ['url', 'contentUrl', '@id']
    .map((name) => data[name])
    .find((part) => typeof part === 'string');
  return {
    text: textIf(text !== undefined, String(text)),
    url: ifDefined(url, addressIn),
    data,
  };
};

const toDate = ({ text, when }: ExtractedValue, format: string): string | undefined => {
  const given = when ?? text;
  const [iso] = matchGroups(
    /\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/,
    given,
  );
  if (iso !== undefined && format === 'date') return iso.slice(0, 10);
  const ms = Date.parse(iso ?? `${given} UTC`);
  if (Number.isNaN(ms)) return undefined;
  const date = new Date(ms).toISOString();
  return format === 'date' ? date.slice(0, 10) : date;
};

/**
 * Returns the enum value that the value equals or ends with, ignoring case, spaces and punctuation.
 */
const fromChoices = ({ schema }: SchemaField, value: unknown): unknown => {
  const choices = schema['enum'];
  if (!Array.isArray(choices) || typeof value !== 'string' || choices.includes(value)) return value;
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const wanted = plain(value);
  return (
    choices.find(
      (choice) =>
        typeof choice === 'string' && (plain(choice) === wanted || wanted.endsWith(plain(choice))),
    ) ?? value
  );
};
