// Text measured and cut in UTF-8, never inside a character.

const encoder = new TextEncoder();

/** The longest beginning of `text` that takes at most `maxBytes` in UTF-8. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes) return text;
  const scratch = new Uint8Array(maxBytes);
  const { read } = encoder.encodeInto(text, scratch);
  return text.slice(0, read);
};

/**
 * Browsers take addresses of two megabytes; nobody reads the end of one, and every reply that names
 * it would carry it.
 */
const ADDRESS_CHARS = 2000;

/** An address as it is told. */
export const formatAddress = (url: string): string =>
  url.length > ADDRESS_CHARS ? `${url.slice(0, ADDRESS_CHARS)}…` : url;

const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** In Node since 20, in the library of TypeScript only later. */
const isWellFormed = (text: string): boolean =>
  (text as unknown as { isWellFormed(): boolean }).isWellFormed();

/**
 * The text without halves of characters (lone surrogates, from cuts and from hostile pages): UTF-8
 * cannot say them, so that they would come out as U+FFFD on disk, and some clients cannot read a
 * reply that holds one.
 */
export const cutToCharacters = (text: string): string =>
  isWellFormed(text) ? text : text.replace(HALF, '');

/** How far before `at` the character begins in which `at` lies; 0 when a character begins there. */
export const isInsideCharacter = (utf8: Uint8Array, at: number): number => {
  let steps = 0;
  while (steps < 3 && steps < at && isContinuation(utf8[at - steps])) steps++;
  return steps;
};

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;
