// Finds known secrets in text, also escaped, in base64 or hex, and in any letter case.
import { byteAt, decodeEscapes, needsDecoding, positionAt } from './escapes.ts';
import { cutToCharacters } from '../core/text.ts';
import {
  Base64Filter,
  decodeBase64,
  decodeHex,
  mayBeCoded,
  MIN_CODED_BYTES,
} from './coded-text.ts';
import { foldByte, SecretAutomaton } from './secret-automaton.ts';

/** A shorter secret is part of too many ordinary words, so it is not searched inside text. */
export const MIN_CHARS_IN_TEXT = 4;
/** How many times escapes are decoded: `%25252F`. */
const MAX_ESCAPE_LEVELS = 4;
/** How many times base64 and hex are decoded: base64 of base64, hex of base64. */
const MAX_CODE_LEVELS = 2;

/** A part of the text: `from` is its first character, `to` the one after its last. */
export type TextRange = readonly [from: number, to: number];

/** Bytes that were decoded from the text, and a function that returns their range in the text. */
interface TextView {
  readonly bytes: Uint8Array;
  readonly locate: (from: number, to: number) => TextRange;
}

interface Depth {
  readonly escapes: number;
  readonly codes: number;
}

const NEEDS_DECODING = Uint8Array.from({ length: 256 }, (_, byte) => (needsDecoding(byte) ? 1 : 0));
const encoder = new TextEncoder();

export class SecretSearch {
  /** For the text itself and its decoded escapes. */
  readonly #plain: SecretAutomaton;
  /** For bytes decoded from base64 and hex. */
  readonly #coded: SecretAutomaton;
  readonly #filter: Base64Filter;

  constructor(secrets: readonly string[]) {
    const patterns = distinct(
      secrets.filter(({ length }) => length >= MIN_CHARS_IN_TEXT).flatMap(spellPatterns),
    );
    const longer = patterns.filter(({ length }) => length >= MIN_CODED_BYTES);
    this.#plain = new SecretAutomaton(patterns);
    this.#coded = new SecretAutomaton(longer);
    this.#filter = new Base64Filter(longer);
  }

  /** The ranges of the text that contain a secret, in order and without overlaps. */
  find(text: string): readonly TextRange[] {
    if (text.length < this.#plain.shortest) return [];
    if (!mayMatch(text, this.#plain) && !mayBeCoded(text, this.#filter)) return [];
    const found: TextRange[] = [];
    this.#search(toView(text), { escapes: 0, codes: 0 }, found);
    return mergeRanges(found);
  }

  #search(view: TextView, depth: Depth, found: TextRange[]): void {
    const escaped = scanView(view, depth.codes === 0 ? this.#plain : this.#coded, found);
    if (escaped && depth.escapes < MAX_ESCAPE_LEVELS) this.#searchUnescaped(view, depth, found);
    if (depth.codes >= MAX_CODE_LEVELS) return;
    for (const run of decodeBase64(view.bytes, this.#filter))
      this.#searchCoded(view, run, depth, found);
    for (const run of decodeHex(view.bytes)) this.#searchCoded(view, run, depth, found);
  }

  #searchUnescaped(
    { bytes, locate }: TextView,
    { escapes, codes }: Depth,
    found: TextRange[],
  ): void {
    const decoded = decodeEscapes(bytes);
    if (!decoded) return;
    const { starts } = decoded;
    const locateDecoded = (from: number, to: number): TextRange =>
      locate(positionAt(starts, from), positionAt(starts, to));
    this.#search(
      { bytes: decoded.bytes, locate: locateDecoded },
      { escapes: escapes + 1, codes },
      found,
    );
  }

  #searchCoded({ locate }: TextView, run: TextView, { codes }: Depth, found: TextRange[]): void {
    const locateDecoded = (from: number, to: number): TextRange => locate(...run.locate(from, to));
    this.#search(
      { bytes: run.bytes, locate: locateDecoded },
      { escapes: 0, codes: codes + 1 },
      found,
    );
  }
}

/**
 * The bytes to search for: the secret, its upper and lower case (for letters outside ASCII), and
 * its decoded forms.
 */
const spellPatterns = (secret: string): Uint8Array[] => {
  const whole = cutToCharacters(secret);
  const patterns = [whole, whole.toLowerCase(), whole.toUpperCase()].flatMap((spelling) => {
    const forms: Uint8Array[] = [encoder.encode(spelling)];
    for (let level = 0; level < MAX_ESCAPE_LEVELS; level++) {
      const decoded = decodeEscapes(forms.at(-1) ?? new Uint8Array());
      if (!decoded) break;
      forms.push(decoded.bytes);
    }
    return forms;
  });
  return patterns.filter(({ length }) => length >= MIN_CHARS_IN_TEXT);
};

const distinct = (patterns: readonly Uint8Array[]): Uint8Array[] => [
  ...new Map(
    patterns.map((pattern) => [Buffer.from(pattern.map(foldByte)).toString('latin1'), pattern]),
  ).values(),
];

/**
 * A quick pass without a copy: whether the text contains a secret, or anything that must be
 * decoded.
 */
const mayMatch = (text: string, { columns, rows }: SecretAutomaton): boolean => {
  let row = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f || NEEDS_DECODING[code] === 1) return true;
    row = rows[row + byteAt(columns, code)] ?? 0;
    if (row < 0) return true;
  }
  return false;
};

/**
 * Adds the matches in the view; returns whether the view contains anything that must be decoded.
 */
const scanView = (
  { bytes, locate }: TextView,
  automaton: SecretAutomaton,
  found: TextRange[],
): boolean => {
  const { columns, rows } = automaton;
  let [row, escaped] = [0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const byte = byteAt(bytes, i);
    escaped |= byteAt(NEEDS_DECODING, byte);
    row = rows[row + byteAt(columns, byte)] ?? 0;
    if (row >= 0) continue;
    row = -row - 1;
    addRange(found, locate(i + 1 - automaton.matchedIn(row), i + 1));
  }
  return escaped === 1;
};

/**
 * The text in UTF-8 without lone surrogates: other code removes them, which would join the parts of
 * a secret.
 */
const toView = (text: string): TextView => {
  const ascii = Buffer.from(text, 'latin1');
  // oxlint-disable-next-line no-control-regex
  if (!/[^\0-\x7f]/.test(text)) return { bytes: ascii, locate: (from, to) => [from, to] };
  const bytes = new Uint8Array(text.length * 3);
  const starts = new Uint32Array(text.length * 3 + 1);
  let length = 0;
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const end = writeUtf8(code, bytes, length);
    starts.fill(at, length, end);
    length = end;
    at += code > 0xffff ? 2 : 1;
  }
  starts[length] = text.length;
  return {
    bytes: bytes.subarray(0, length),
    locate: (from, to) => [positionAt(starts, from), positionAt(starts, to)],
  };
};

/** Returns the position after the character. */
const writeUtf8 = (code: number, bytes: Uint8Array, at: number): number => {
  if (code >= 0xd800 && code <= 0xdfff) return at;
  let end = at;
  if (code < 0x80) bytes[end++] = code;
  else {
    if (code < 0x800) bytes[end++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[end++] = 0xe0 | (code >> 12);
      else {
        bytes[end++] = 0xf0 | (code >> 18);
        bytes[end++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[end++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[end++] = 0x80 | (code & 0x3f);
  }
  return end;
};

/** Merges a range with the last one if they overlap, so that many matches need little memory. */
const addRange = (found: TextRange[], [from, to]: TextRange): void => {
  const last = found.at(-1);
  if (last && from >= last[0] && from <= last[1])
    found[found.length - 1] = [last[0], Math.max(last[1], to)];
  else found.push([from, to]);
};

const mergeRanges = (ranges: TextRange[]): TextRange[] => {
  const merged: [number, number][] = [];
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
};
