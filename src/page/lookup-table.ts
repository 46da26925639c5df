// A lookup table without inherited keys, so that page words such as "constructor" are not found.

export const createLookupTable = <T>(
  rows: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, T>, rows));
