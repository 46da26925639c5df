// Small operations on maps and lists of callbacks.
interface MapLike<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of `key`, created on first use. */
export const getOrCreate = <K, V>(map: MapLike<K, V>, key: K, create: () => V): V => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
};

/** Adds `by` to the count of `key`. */
export const addCount = <K>(counts: Map<K, number>, key: K, by = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + by);
};

/** Calls functions such as the unsubscribe functions of listeners. */
export const callAll = (functions: Iterable<() => void>): void => {
  for (const one of functions) one();
};

/** The items if the condition is truthy, otherwise an empty list. */
export const listIf = <T>(condition: unknown, ...items: T[]): T[] => (condition ? items : []);

/** The items that are not undefined. */
export const listDefined = <T>(...items: (T | undefined)[]): T[] =>
  items.filter((item) => item !== undefined);

// Calls the function for the kind of a value.

/** One function per kind, each with the type of its kind. */
export type ByKind<V extends { readonly kind: string }, A extends unknown[], R> = {
  readonly [K in V['kind']]: (value: Extract<V, { readonly kind: K }>, ...rest: A) => R;
};

export const callByKind = <V extends { readonly kind: string }, A extends unknown[], R>(
  functions: ByKind<V, A, R>,
  value: V,
  ...rest: A
): R => {
  const call = functions[value.kind as V['kind']] as (value: V, ...rest: A) => R;
  return call(value, ...rest);
};
