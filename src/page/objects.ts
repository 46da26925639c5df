// Small operations on objects, maps and lists of callbacks. page/ cannot import core/.

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
