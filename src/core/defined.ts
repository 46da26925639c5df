// Builds objects without missing or empty properties.

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** `T` with every property that may be undefined made optional. */
export type Defined<T> = Omit<T, OptionalKeys<T>> & {
  [K in OptionalKeys<T>]?: Exclude<T[K], undefined>;
};

/**
 * Needed for types with `exactOptionalPropertyTypes` and for JSON, where a missing key differs from
 * an undefined value.
 */
export const defined = <const T extends object>(fields: T): Defined<T> => {
  // A loop, because this runs for every line of a page: entries and a filter take far longer.
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const value = fields[key as keyof T];
    if (value !== undefined) kept[key] = value;
  }
  return kept as Defined<T>;
};

const EMPTY = new Set<unknown>([undefined, null, false, 0, '']);

const isEmpty = (value: unknown): boolean =>
  EMPTY.has(value) || (Array.isArray(value) && value.length === 0);

type Filled<V> = V extends boolean ? true : V extends null | undefined ? never : V;

/** `T` with every property optional, and without empty values. */
export type Compact<T> = { [K in keyof T]?: Filled<T[K]> };

/** Builds an object without false, zero, empty texts, empty lists and missing values. */
export const compact = <const T extends object>(fields: T): Compact<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Compact<T>;

/** `transform(value)`, or undefined if the value is undefined. */
export const ifDefined = <T, R>(value: T | undefined, transform: (value: T) => R): R | undefined =>
  value === undefined ? undefined : transform(value);

/** The value if the condition is truthy, otherwise undefined. */
export const valueIf = <const T>(condition: unknown, value: T): T | undefined =>
  condition ? value : undefined;
