// Parses JSON to `unknown`, so that callers must check what they got, and writes large JSON.
import { TimeSlices } from './time-slices.ts';

/** Throws a SyntaxError for text that is not JSON. */
export const parseJson = (text: string): unknown => JSON.parse(text);

/** Like Array.isArray, which would make the items `any`. */
export const isUnknownArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

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
  typeof value === 'object' &&
  value !== null &&
  !('toJSON' in value) &&
  Object.getPrototypeOf(value) === Object.prototype;
