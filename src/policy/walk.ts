// How data is gone through by what changes its texts: nothing is copied that stays the same.

export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** The mapped values; the same array where none of them changed. */
export const mapChanged = (values: readonly unknown[], map: (value: unknown) => unknown): readonly unknown[] => {
  let mapped: unknown[] | undefined;
  for (let i = 0; i < values.length; i++) {
    const next = map(values[i]);
    if (!mapped && next !== values[i]) mapped = values.slice(0, i);
    mapped?.push(next);
  }
  return mapped ?? values;
};

const BLOB_CHARS = 2048;

/** Pictures and archives in base64 have no words in them, but by chance anything may seem to stand there. */
export const isBlob = (text: string): boolean => text.length > BLOB_CHARS && /^[A-Za-z0-9+/]{2048}/.test(text);
