// A table that is asked with words of a page: it knows its own rows and no others, not even
// "constructor".

export const createLookupTable = <T>(
  rows: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, T>, rows));
