// Converts a value from the page to the type of a schema field; undefined if that is impossible.
import { ifDefined } from '../../core/defined.ts';
import type { SchemaField } from './schema-fields.ts';
import { isObject, isUnknownArray } from '../../core/json.ts';
import { matchGroups } from '../../core/text.ts';

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

const byType = (field: SchemaField, found: ExtractedValue): unknown => {
  switch (field.type) {
    case 'number':
      return parseNumber(found);
    case 'integer': {
      const number = parseNumber(found);
      return number !== undefined && Number.isInteger(number) ? number : undefined;
    }
    case 'boolean':
      return toBoolean(found);
    case 'array':
      return toArray(field, found);
    case 'object':
      return typeof found.data === 'object' && found.data !== null && !Array.isArray(found.data)
        ? found.data
        : undefined;
    default:
      return toText(field, found);
  }
};

const WANTS_ADDRESS = new Set(['url', 'image']);

const toText = (
  { format, meaning, words }: SchemaField,
  found: ExtractedValue,
): string | undefined => {
  if (format === 'uri' || format === 'url' || format === 'uri-reference')
    return found.url ?? addressIn(found.text);
  if (format === 'date' || format === 'date-time') return toDate(found, format);
  if (format === 'email')
    return /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,190}/.exec(found.text)?.[0];
  if (meaning !== undefined && WANTS_ADDRESS.has(meaning))
    return found.url ?? addressIn(found.text) ?? pickText(found);
  if (words.at(-1) === 'url') return found.url ?? addressIn(found.text);
  if (meaning === 'date' || meaning === 'modified') return found.when ?? pickText(found);
  if (meaning === 'author') return pickText(found)?.replace(/^(?:written |posted )?by:?\s+/i, '');
  return pickText(found);
};

const pickText = ({ text, when, url }: ExtractedValue): string | undefined =>
  text !== '' ? text : (when ?? url);

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
  return Number.isFinite(number) ? number : undefined;
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
  const type = (
    typeof schema['type'] === 'string' ? schema['type'] : 'string'
  ) as SchemaField['type'];
  const one: SchemaField = {
    ...field,
    type,
    schema,
    format: typeof schema['format'] === 'string' ? schema['format'] : undefined,
  };
  const out = listValues(found)
    .map((value) => coerce(one, value))
    .filter((value) => value !== undefined);
  return out.length > 0 ? out : undefined;
};

const listValues = (found: ExtractedValue): ExtractedValue[] => {
  if (isUnknownArray(found.data)) return found.data.map(toExtractedValue);
  return found.url === undefined ? split(found.text).map((text) => ({ text })) : [found];
};

const split = (text: string): string[] =>
  text
    .split(/[,;|•·]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Converts structured data. An object is represented by its name, value or headline. */
export const toExtractedValue = (data: unknown): ExtractedValue => {
  if (typeof data === 'string') return { text: data, url: addressIn(data), data };
  if (typeof data === 'number' || typeof data === 'boolean') return { text: String(data), data };
  if (Array.isArray(data)) return { ...toExtractedValue(data[0]), data };
  if (!isObject(data)) return { text: '' };
  const object = data;
  const text = [
    object['name'],
    object['@value'],
    object['value'],
    object['text'],
    object['headline'],
  ].find((part) => typeof part === 'string' || typeof part === 'number');
  const url = [object['url'], object['contentUrl'], object['@id']].find(
    (part) => typeof part === 'string',
  );
  return {
    text: text === undefined ? '' : String(text),
    url: typeof url === 'string' ? addressIn(url) : undefined,
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
  return format === 'date' ? new Date(ms).toISOString().slice(0, 10) : new Date(ms).toISOString();
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
