// Parses a body as JSON; undefined if it is not JSON or would lose number precision.
import { attempt } from '../core/attempt.ts';
import { parseJson } from '../core/json.ts';

export interface JsonBody {
  readonly value: unknown;
}

/** Deeper data is shown as text, so that recursive code does not overflow the stack. */
const MAX_DEPTH = 100;

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

const JSON_TYPE =
  /^(?:application|text)\/(?:[\w.+-]+\+)?(?:json|x-json|json5|graphql-response\+json)\b/i;

const isJsonType = (contentType: string): boolean => JSON_TYPE.test(contentType);

/**
 * Also parses other content types, because many APIs send JSON as text/plain; there, only objects
 * and arrays count as JSON.
 */
export const parseJsonBody = (text: string, contentType: string): JsonBody | undefined => {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (!isJsonType(contentType) && !/^\s*[[{]/.test(bare)) return undefined;
  if (isTooDeep(bare)) return undefined;
  return attempt(() => ({ value: parseJson(bare) }));
};

/** How the nesting depth changes at a character. */
const NESTING = new Map([
  [0x5b, 1], // [
  [0x7b, 1], // {
  [0x5d, -1], // ]
  [0x7d, -1], // }
]);

/** Checked before parsing, because a value with a million levels takes long to collect. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = findStringEnd(text, i + 1) - 1;
    else if (code >= 0x5b) depth += NESTING.get(code) ?? 0;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

/** A number with so many digits that parsing would change it. */
const LONG_NUMBER =
  /(?:^|[[:,\s])-?\d{16,}(?:[\s,.\]}eE]|$)|(?:^|[[:,\s])-?\d[\d.]{17,}|\d[eE]\+?\d{3}/;

/** Whether parsing and serialising the text keeps all numbers. Most texts pass the first test. */
export const keepsNumbers = (text: string): boolean =>
  !LONG_NUMBER.test(text) || !LONG_NUMBER.test(removeStrings(text));

/** JSON with every string empty. One pass, also over text that is not JSON. */
const removeStrings = (text: string): string => {
  const rest: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    rest.push(text.slice(from, open));
    from = findStringEnd(text, open + 1);
  }
  rest.push(text.slice(from));
  return rest.join('""');
};

/** The position after the closing quote; the end of the text if there is none. */
const findStringEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i++;
  }
  return text.length;
};
