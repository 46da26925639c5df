// Decodes escapes of URLs, forms, JSON, JavaScript and HTML, and keeps each byte's position.
// Reads numbers of typed arrays; positions outside the array count as 0.

export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

export const positionAt = (positions: Uint32Array, at: number): number => positions[at] ?? 0;

interface Decoded {
  readonly bytes: Uint8Array;
  /** The source position of byte `i`; the last entry is the length of the source. */
  readonly starts: Uint32Array;
}

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const SEMICOLON = 0x3b;
const HASH = 0x23;

const PLAIN = 0;
const ESCAPE_START = 1;
const CONTROL = 2;
const NOT_ASCII = 3;

/** The kind of each byte. Control characters are invisible, except tabs and line ends. */
const byteKinds = new Uint8Array(256).fill(CONTROL, 0, 0x20).fill(NOT_ASCII, 0x80);
byteKinds.fill(PLAIN, 0x09, 0x0b);
byteKinds[0x0d] = PLAIN;
byteKinds[0x7f] = CONTROL;
for (const byte of [PERCENT, AMPERSAND, BACKSLASH]) byteKinds[byte] = ESCAPE_START;

const beginsEscape = (byte: number): boolean => byteKinds[byte] === ESCAPE_START;

const isControl = (byte: number): boolean => byteKinds[byte] === CONTROL;

/** Whether `decodeEscapes` may change a text that contains this byte. */
export const needsDecoding = (byte: number): boolean => byteKinds[byte] !== PLAIN;

const HEX = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit++) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** The value of a hex digit, -1 for other bytes. */
export const hexValue = (byte = 0): number => HEX[byte] ?? -1;

/** Escapes like `\n`. Every other escaped character is the character itself. */
const CONTROL_ESCAPES = new Map(
  Object.entries({ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, '0': 0 }).map(([name, code]) => [
    name.charCodeAt(0),
    code,
  ]),
);

/** Named references of ASCII characters and of invisible characters. */
const NAMED_REFERENCES = new Map<string, number>(
  Object.entries({
    amp: '&',
    AMP: '&',
    lt: '<',
    LT: '<',
    gt: '>',
    GT: '>',
    quot: '"',
    QUOT: '"',
    apos: "'",
    nbsp: ' ',
    Tab: '\t',
    NewLine: '\n',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
    rsqb: ']',
    rbrack: ']',
    Hat: '^',
    lowbar: '_',
    UnderBar: '_',
    grave: '`',
    DiacriticalGrave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    VerticalLine: '|',
    rcub: '}',
    rbrace: '}',
    shy: '\u00AD',
    ZeroWidthSpace: '\u200B',
    zwj: '\u200D',
    zwnj: '\u200C',
    lrm: '\u200E',
    rlm: '\u200F',
    NoBreak: '\u2060',
  }).map(([name, character]) => [name, character.charCodeAt(0)]),
);
/** Browsers also accept these without a semicolon: `&ampb` is `&b`. */
const UNTERMINATED = ['amp', 'AMP', 'lt', 'LT', 'gt', 'GT', 'quot', 'QUOT', 'nbsp', 'shy'];
const LONGEST_REFERENCE = Math.max(...[...NAMED_REFERENCES.keys()].map(({ length }) => length));
const MAX_REFERENCE_DIGITS = 10;

/** One escape: its length in bytes, and the code point or (for `%XX`) the byte that it encodes. */
interface Escape {
  readonly length: number;
  readonly code: number;
  readonly isByte: boolean;
}

/**
 * Returns the source without escapes and invisible characters; undefined if it contains neither.
 */
export const decodeEscapes = (source: Uint8Array): Decoded | undefined => {
  const out = new ByteWriter(source.length);
  let changed = false;
  for (let at = 0; at < source.length;) {
    const byte = byteAt(source, at);
    const escape = beginsEscape(byte) ? readEscape(source, at) : undefined;
    if (!escape) changed = out.write(byte, at++) || changed;
    else {
      changed = true;
      if (escape.isByte) out.write(escape.code, at);
      else out.writeCodePoint(escape.code, at);
      at += escape.length;
    }
  }
  return changed ? out.finish(source.length) : undefined;
};

const readEscape = (source: Uint8Array, at: number): Escape | undefined => {
  const byte = source[at];
  if (byte === PERCENT) return readPercent(source, at);
  return byte === BACKSLASH ? readBackslash(source, at) : readReference(source, at);
};

/** Lower-case letters by the numbers of their bytes. */
const [LETTER_U, LETTER_X] = [0x75, 0x78];

/** Whether the byte at `at` is this lower-case letter, or its upper-case letter. */
const isLetterAt = (source: Uint8Array, at: number, letter: number): boolean =>
  (byteAt(source, at) | 0x20) === letter;

/** 1 if a semicolon ends a reference at `at`, otherwise 0: browsers accept both. */
const semicolonLength = (source: Uint8Array, at: number): number =>
  Number(source[at] === SEMICOLON);

/** The value of `count` hex digits; -1 if one of them is not a hex digit. */
const readHex = (source: Uint8Array, at: number, count: number): number => {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = hexValue(source[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
};

/** Reads `%2F`, and `%u002F` of the old `escape()`. */
const readPercent = (source: Uint8Array, at: number): Escape | undefined => {
  const isLong = isLetterAt(source, at + 1, LETTER_U);
  const code = isLong ? readHex(source, at + 2, 4) : readHex(source, at + 1, 2);
  return code < 0 ? undefined : { length: isLong ? 6 : 3, code, isByte: !isLong };
};

const readBackslash = (source: Uint8Array, at: number): Escape | undefined => {
  const byte = source[at + 1];
  if (byte === undefined) return undefined;
  if (isLetterAt(source, at + 1, LETTER_X)) {
    const code = readHex(source, at + 2, 2);
    if (code >= 0) return { length: 4, code, isByte: false };
  }
  if (isLetterAt(source, at + 1, LETTER_U))
    return readUnicode(source, at) ?? { length: 2, code: byte, isByte: true };
  return { length: 2, code: CONTROL_ESCAPES.get(byte) ?? byte, isByte: true };
};

/** Reads `\u002F`, `\u{2F}` and surrogate pairs. */
const readUnicode = (source: Uint8Array, at: number): Escape | undefined => {
  if (source[at + 2] === 0x7b) {
    let end = at + 3;
    while (end < at + 12 && hexValue(source[end]) >= 0) end++;
    const code = source[end] === 0x7d ? readHex(source, at + 3, end - at - 3) : -1;
    return code < 0 || end === at + 3 ? undefined : { length: end + 1 - at, code, isByte: false };
  }
  const high = readHex(source, at + 2, 4);
  if (high < 0) return undefined;
  const isHigh = high >= 0xd800 && high < 0xdc00 && source[at + 6] === BACKSLASH;
  const low = isHigh ? readHex(source, at + 8, 4) : -1;
  if (low < 0xdc00 || low > 0xdfff) return { length: 6, code: high, isByte: false };
  return { length: 12, code: 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), isByte: false };
};

const readReference = (source: Uint8Array, at: number): Escape | undefined => {
  if (source[at + 1] === HASH) return readNumericReference(source, at);
  let end = at + 1;
  while (end <= at + LONGEST_REFERENCE && isLetter(source[end])) end++;
  if (end === at + 1) return undefined;
  const name = String.fromCharCode(...source.subarray(at + 1, end));
  const code = NAMED_REFERENCES.get(name);
  if (code !== undefined)
    return { length: end - at + semicolonLength(source, end), code, isByte: false };
  const prefix = UNTERMINATED.find((candidate) => name.startsWith(candidate));
  return prefix === undefined
    ? undefined
    : { length: prefix.length + 1, code: NAMED_REFERENCES.get(prefix) ?? 0, isByte: false };
};

const isLetter = (byte = 0): boolean =>
  (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/** Reads `&#47;` and `&#x2F;`; browsers accept them without the semicolon. */
const readNumericReference = (source: Uint8Array, at: number): Escape | undefined => {
  const isHex = isLetterAt(source, at + 2, LETTER_X);
  const base = isHex ? 16 : 10;
  const first = at + 2 + Number(isHex);
  let end = first;
  let code = 0;
  for (; end < first + MAX_REFERENCE_DIGITS; end++) {
    const digit = hexValue(source[end]);
    if (digit < 0 || digit >= base) break;
    code = code * base + digit;
  }
  if (end === first) return undefined;
  return { length: end - at + semicolonLength(source, end), code, isByte: false };
};

/** Writes bytes with their source positions; removes an invisible character after its last byte. */
class ByteWriter {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  #length = 0;

  /** An escape is never shorter than the bytes that it encodes. */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
    this.#starts = new Uint32Array(capacity + 1);
  }

  /**
   * Returns whether the byte is or completes an invisible character, which is not part of the
   * output.
   */
  write(byte: number, start: number): boolean {
    if (isControl(byte)) return true;
    this.#bytes[this.#length] = byte;
    this.#starts[this.#length++] = start;
    if (byte < 0x80 || byte > 0xbf) return false;
    const length = invisibleLength(this.#bytes, this.#length);
    this.#length -= length;
    return length > 0;
  }

  writeCodePoint(code: number, start: number): void {
    if (code < 0x80) this.write(code, start);
    else for (const byte of encodeCodePoint(code)) this.write(byte, start);
  }

  finish(sourceLength: number): Decoded {
    this.#starts[this.#length] = sourceLength;
    return {
      bytes: this.#bytes.subarray(0, this.#length),
      starts: this.#starts.subarray(0, this.#length + 1),
    };
  }
}

const encoder = new TextEncoder();

const encodeCodePoint = (code: number): Uint8Array =>
  encoder.encode(code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD');

/**
 * Characters without a glyph: soft hyphen, joiners, direction marks, fillers, variation selectors,
 * tags.
 */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u;
/** The first UTF-8 bytes of all invisible characters. */
const INVISIBLE_LEADS = new Set([0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3]);
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const answers = new Map<number, boolean>();
const MAX_ANSWERS = 10_000;

/** The length of the invisible character that ends at `end`, 0 if that character is visible. */
const invisibleLength = (bytes: Uint8Array, end: number): number => {
  for (let length = 2; length <= 4 && length <= end; length++) {
    const lead = byteAt(bytes, end - length);
    if (lead < 0x80) return 0;
    if (lead >= 0xc0) return isInvisible(bytes, end - length, length) ? length : 0;
  }
  return 0;
};

const characterLength = (lead: number): number => {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
};

const isInvisible = (bytes: Uint8Array, at: number, length: number): boolean => {
  const lead = byteAt(bytes, at);
  if (!INVISIBLE_LEADS.has(lead) || characterLength(lead) !== length) return false;
  let number = 0;
  for (let i = at; i < at + length; i++) number = number * 256 + byteAt(bytes, i);
  const answer = answers.get(number);
  if (answer !== undefined) return answer;
  const found = INVISIBLE.test(decoder.decode(bytes.slice(at, at + length)));
  if (answers.size >= MAX_ANSWERS) answers.clear();
  answers.set(number, found);
  return found;
};
