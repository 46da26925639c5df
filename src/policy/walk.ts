// Maps JSON data and copies only the parts that change.
import type { TimeSlices } from '../core/time.ts';

export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The mapped values; the same array if none of them changed. */
export const mapChanged = (
  values: readonly unknown[],
  map: (value: unknown) => unknown,
): readonly unknown[] => {
  let mapped: unknown[] | undefined;
  for (let i = 0; i < values.length; i++) {
    const next = map(values[i]);
    if (!mapped && next !== values[i]) mapped = values.slice(0, i);
    mapped?.push(next);
  }
  return mapped ?? values;
};

/** As `mapChanged`, for large arrays. */
export const mapChangedInSlices = async (
  values: readonly unknown[],
  map: (value: unknown) => unknown,
  slices: TimeSlices,
): Promise<readonly unknown[]> => {
  let mapped: unknown[] | undefined;
  for (let i = 0; i < values.length; i++) {
    if (slices.isOver) await slices.pause();
    const result = map(values[i]);
    const next: unknown = result instanceof Promise ? await result : result;
    if (!mapped && next !== values[i]) mapped = values.slice(0, i);
    mapped?.push(next);
  }
  return mapped ?? values;
};

/** A copy of an object with other names or values; the object itself if nothing changes. */
export class ChangedObject {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly keys: readonly string[];
  #entries: [string, unknown][] | undefined;
  #count = 0;

  constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
    this.keys = Object.keys(members);
  }

  /** Sets the next member. Must be called once for each of `keys`, in their order. */
  push(name: string, value: unknown): void {
    const key = this.keys[this.#count] as string;
    if (!this.#entries && (name !== key || value !== this.#members[key]))
      this.#entries = this.keys
        .slice(0, this.#count)
        .map((earlier) => [earlier, this.#members[earlier]]);
    this.#entries?.push([name, value]);
    this.#count++;
  }

  get result(): Readonly<Record<string, unknown>> {
    return this.#entries ? Object.fromEntries(this.#entries) : this.#members;
  }
}

/** Larger data is cleaned in slices, and its large texts in a worker thread. */
const LARGE_CHARS = 64 * 1024;
/** Weight of a value, compared with a character of text. */
const VALUE_CHARS = 16;

/** Whether cleaning the data could block the event loop. Stops counting at the limit. */
export const isLarge = (data: unknown): boolean => subtractSize(LARGE_CHARS, data) < 0;

/** What is left of the limit after the data. Each level costs, so that the depth is bounded too. */
const subtractSize = (limit: number, value: unknown): number => {
  let left = limit - VALUE_CHARS;
  if (typeof value === 'string') return left - value.length;
  if (typeof value !== 'object' || value === null) return left;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  left -= members.length * VALUE_CHARS;
  for (let i = 0; i < members.length && left >= 0; i++) left = subtractSize(left, members[i]);
  return left;
};

const BLOB_CHARS = 2048;

/**
 * Whether the whole text is base64, for example of a picture or archive. Such text has no words and
 * no invisible characters, but can match any pattern by chance. One other character makes it
 * ordinary text.
 */
export const isBlob = (text: string): boolean =>
  text.length > BLOB_CHARS && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
