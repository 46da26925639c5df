// Parses JSON to `unknown`, so that callers must check what they got, and writes large JSON.
import { valueIf } from './defined.ts';
import { attempt } from './attempt.ts';
import { TimeSlices } from './time.ts';

/** Throws a SyntaxError for text that is not JSON. */
export const parseJson = (text: string): unknown => JSON.parse(text);

/** Like Array.isArray, which would make the items `any`. */
export const isUnknownArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The parsed text, or undefined if it is not JSON. No JSON text parses to undefined. */
export const tryParseJson = (text: string): unknown => attempt(() => parseJson(text));

/** Whether the value is an object or an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Whether the value is an object, but not an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !Array.isArray(value);

/** A field of a value that may not be an object. */
export const getField = (value: unknown, key: string): unknown =>
  isRecord(value) ? value[key] : undefined;

/** A field of the table itself, never an inherited one such as "constructor". */
export const getOwn = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined =>
  valueIf(Object.hasOwn(table, key), table[key]);

/** How many levels of objects are written member by member, down to a long array of results. */
const OBJECT_LEVELS = 3;
/** Items of an array that are written at once, because a call per item is slow. */
const BATCH_ITEMS = 32;

/**
 * The same text as JSON.stringify, written in parts, so that other calls run in between. A value
 * that JSON cannot represent is written as `null`.
 */
export const stringifyInSlices = async (value: unknown, signal?: AbortSignal): Promise<string> =>
  (await stringify(value, OBJECT_LEVELS, new TimeSlices(signal))) ?? 'null';

const stringify = async (
  value: unknown,
  levels: number,
  slices: TimeSlices,
): Promise<string | undefined> => {
  if (slices.isOver) await slices.pause();
  if (Array.isArray(value)) return stringifyArray(value, slices);
  if (levels === 0 || !isPlainObject(value)) return JSON.stringify(value);
  const parts: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const text = await stringify(member, levels - 1, slices);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(',')}}`;
};

const stringifyArray = async (items: readonly unknown[], slices: TimeSlices): Promise<string> => {
  const parts: string[] = [];
  for (let from = 0; from < items.length; from += BATCH_ITEMS) {
    if (slices.isOver) await slices.pause();
    parts.push(JSON.stringify(items.slice(from, from + BATCH_ITEMS)).slice(1, -1));
  }
  return `[${parts.join(',')}]`;
};

/** Other objects may have their own form of JSON. */
const isPlainObject = (value: unknown): value is object =>
  isObject(value) && !('toJSON' in value) && Object.getPrototypeOf(value) === Object.prototype;
