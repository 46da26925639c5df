// Measures, truncates and quotes text, never inside a character.
import { attempt } from './attempt.ts';

const encoder = new TextEncoder();

/** The longest prefix of `text` that takes at most `maxBytes` in UTF-8. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes) return text;
  const scratch = new Uint8Array(maxBytes);
  const { read } = encoder.encodeInto(text, scratch);
  return text.slice(0, read);
};

/**
 * Browsers accept addresses of two megabytes, which would make every reply that contains one too
 * long.
 */
const ADDRESS_CHARS = 2000;

/** An address for output, truncated to `ADDRESS_CHARS`. */
export const formatAddress = (url: string): string =>
  url.length > ADDRESS_CHARS ? `${url.slice(0, ADDRESS_CHARS)}…` : url;

const QUOTED_CHARS = 200;

/**
 * Text of a page or a server for a message: in JSON quotes, so that it cannot imitate the words
 * around it, and short.
 */
export const quoteText = (text: string, maxChars = QUOTED_CHARS): string =>
  JSON.stringify(
    text.length > maxChars ? `${cutToCharacters(text.slice(0, maxChars))}…` : cutToCharacters(text),
  );

const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * Removes lone surrogates, which truncated or hostile text may contain. UTF-8 cannot encode them,
 * and some clients cannot parse a reply that contains one.
 */
export const cutToCharacters = (text: string): string =>
  text.isWellFormed() ? text : text.replace(HALF, '');

/** Distance from `at` back to the start of its character; 0 if a character begins at `at`. */
export const isInsideCharacter = (utf8: Uint8Array, at: number): number => {
  let steps = 0;
  while (steps < 3 && steps < at && isContinuation(utf8[at - steps])) steps++;
  return steps;
};

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** The text before the first `separator`, or all of it. */
export const textBefore = (text: string, separator: string): string => {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at);
};

/** The whole match and its groups; empty if the text does not match. */
export const matchGroups = (pattern: RegExp, text: string): (string | undefined)[] =>
  pattern.exec(text) ?? [];

/** The text if the condition is truthy, otherwise an empty text. */
export const textIf = (condition: unknown, text: string): string => (condition ? text : '');

/** The text at `index` (from the end if negative), or an empty text if there is none. */
export const textAt = (texts: readonly (string | undefined)[], index: number): string =>
  texts.at(index) ?? '';

/** `URL.canParse` of Node 20 and 22 rejects münchen.de once V8 has optimised it. */
export const canParseUrl = (text: string, base?: string | URL): boolean =>
  parseUrl(text, base) !== undefined;

export const parseUrl = (text: string, base?: string | URL): URL | undefined =>
  attempt(() => new URL(text, base));

/** `--name=value` is a flag with its value; any other text has none. */
export const splitFlag = (text: string): readonly [string, string | undefined] => {
  const at = text.startsWith('--') ? text.indexOf('=') : -1;
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};
