// Maps JSON data and copies only the parts that change.

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

const BLOB_CHARS = 2048;

/**
 * Whether the whole text is base64, for example of a picture or archive. Such text has no words and
 * no invisible characters, but can match any pattern by chance. One other character makes it
 * ordinary text.
 */
export const isBlob = (text: string): boolean =>
  text.length > BLOB_CHARS && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
