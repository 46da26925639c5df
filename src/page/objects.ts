// Small operations on objects, maps, tables and lists of callbacks. page/ cannot import core/.
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Adds `by` to the count of `key`. */
export const addCount = <K>(counts: Map<K, number>, key: K, by = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + by);
};

interface ValueMap<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of `key`, created on first use. */
export const getOrCreate = <K, V>(map: ValueMap<K, V>, key: K, create: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
};

/** The items if the condition is truthy, otherwise an empty list. */
export const listIf = <T>(condition: unknown, ...items: T[]): T[] => (condition ? items : []);

/** The items that are not undefined. */
export const listDefined = <T>(...items: (T | undefined)[]): T[] =>
  items.filter((item) => item !== undefined);

/** The result of `work`, or `fallback` if it throws. */
export const attempt = <T, F = undefined>(work: () => T, fallback?: F): T | F => {
  try {
    return work();
  } catch {
    return fallback as F;
  }
};

// Builds objects without missing or empty properties.

type UndefinedKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** `T` with every property that may be undefined made optional. */
type WithoutUndefined<T> = Omit<T, UndefinedKeys<T>> & {
  [K in UndefinedKeys<T>]?: Exclude<T[K], undefined>;
};

/**
 * For types with `exactOptionalPropertyTypes`, and for JSON: a missing key differs from undefined.
 */
export const defined = <const T extends object>(fields: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;

const EMPTY = new Set<unknown>([undefined, null, false, 0, '']);

const isEmpty = (value: unknown): boolean =>
  EMPTY.has(value) || (Array.isArray(value) && value.length === 0);

type NotEmpty<V> = V extends boolean ? true : V extends null | undefined ? never : V;

/** Builds an object without false, zero, empty texts, empty lists and missing values. */
export const compact = <const T extends object>(fields: T): { [K in keyof T]?: NotEmpty<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as {
    [K in keyof T]?: NotEmpty<T[K]>;
  };

/** `transform(value)`, or undefined if the value is undefined. */
export const ifDefined = <T, R>(value: T | undefined, transform: (value: T) => R): R | undefined =>
  value === undefined ? undefined : transform(value);

/** The value if the condition is truthy, otherwise undefined. */
export const valueIf = <const T>(condition: unknown, value: T): T | undefined =>
  condition ? value : undefined;

/**
 * A lookup table without inherited keys, so that page words such as "constructor" are not found.
 * The annotation lets the bundler leave out tables that a page script does not use.
 */
// @__NO_SIDE_EFFECTS__
export const createLookupTable = <T>(
  rows: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, T>, rows));
