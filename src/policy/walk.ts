// How data is gone through by what changes its texts: nothing is copied that stays the same.

export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The mapped values; the same array where none of them changed. */
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

const BLOB_CHARS = 2048;

/**
 * Whether the whole text is base64, as of pictures and archives. Such a text has no words and no
 * invisible characters, but by chance it contains anything that a pattern looks for. One other
 * character makes it an ordinary text.
 */
export const isBlob = (text: string): boolean =>
  text.length > BLOB_CHARS && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
