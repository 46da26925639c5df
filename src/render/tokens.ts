// Estimates the tokens of a text, quickly and slightly too high, so that budgets are kept.
/** Tokens per character up to a code; measured on real pages with o200k. */
const BANDS: readonly (readonly [end: number, weight: number])[] = [
  [0x250, 0.55], // accented Latin
  [0x370, 1], // phonetic signs, combining marks
  [0x530, 0.42], // Greek, Cyrillic
  [0x700, 0.48], // Armenian, Hebrew, Arabic
  [0x1200, 0.55], // scripts of South and South-East Asia, Georgian
  [0x1400, 2.4], // Ethiopic, Cherokee
  [0x2000, 1.5],
  [0x3000, 1.2], // punctuation, arrows, symbols
  [0x3100, 0.8], // kana
  [0xa000, 1.05], // ideographs
  [0xac00, 1.2],
  [0xd7b0, 0.9], // Hangul
  [0xd800, 1.2],
  [0xe000, 2], // surrogates, mostly of emoji
  [0x10000, 1.2],
];

/** The weights of blocks of 16 characters; all bands begin at a block. */
const weights = new Float64Array(0x1000);
for (const [end, weight] of BANDS.toReversed()) weights.fill(weight, 0, end >> 4);

const weighCharacter = (code: number): number => weights[code >> 4] ?? 1.2;

/**
 * How many tokens the words of a language need: 0 for English, 1 for languages with Latin-1 accents
 * (Spanish, German), 2 for languages with further letters (Polish, Turkish).
 */
export type Fineness = 0 | 1 | 2;

/** A smaller share of accented letters (a single name) does not make a text foreign. */
const FOREIGN_SHARE = 0.004;
const SAMPLE_CHARS = 20_000;

export const measureFineness = (text: string): Fineness => {
  const length = Math.min(text.length, SAMPLE_CHARS);
  let western = 0;
  let eastern = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xc0 && code < 0x100) western++;
    else if ((code >= 0x100 && code < 0x250) || code === 0xfffd) eastern++;
  }
  if (eastern > length * FOREIGN_SHARE) return 2;
  return western > length * FOREIGN_SHARE ? 1 : 0;
};

// Kinds of characters. Every reply is counted, so the loop over its characters must be fast: a
// table is faster than a test per kind, above all before V8 has compiled the code.
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const ASCII = 5;

const kinds = new Uint8Array(0x10000)
  .fill(ASCII, 0, 128)
  .fill(SPACE, 32, 33)
  .fill(DIGIT, 48, 58)
  .fill(UPPER, 65, 91)
  .fill(LOWER, 97, 123);

/** The kind of a character; undefined before the start and after the end of the text. */
const kindAt = (text: string, at: number): number | undefined => kinds[text.charCodeAt(at)];

/** The end of the run of characters of one kind from `from` on; of other signs of the same sign. */
const runEnd = (text: string, from: number, kind: number): number => {
  const code = text.charCodeAt(from);
  const { length } = text;
  let end = from + 1;
  if (kind === ASCII) while (end < length && text.charCodeAt(end) === code) end++;
  else while (end < length && kinds[text.charCodeAt(end)] === kind) end++;
  return end;
};

/** Letters of a word that cost one token together, and the cost of each further letter. */
const WORD_COSTS: Readonly<Record<Fineness, readonly [letters: number, perLetter: number]>> = {
  0: [6, 0.24],
  1: [5, 0.24],
  2: [4, 0.3],
};

const lowerCost = (length: number, fineness: Fineness): number => {
  const [letters, perLetter] = WORD_COSTS[fineness];
  return 1 + Math.max(0, length - letters) * perLetter;
};

/** The tokens of a run of characters of one kind. */
const runCost = (
  text: string,
  from: number,
  end: number,
  kind: number,
  fineness: Fineness,
): number => {
  const length = end - from;
  switch (kind) {
    case LOWER: {
      // Letters next to digits are not words and need more tokens.
      const isCode = kindAt(text, from - 1) === DIGIT || kindAt(text, end) === DIGIT;
      return isCode ? 0.4 + length * 0.6 : lowerCost(length, fineness);
    }
    case UPPER:
      // A capital belongs to the word that it begins; words in capitals need more tokens.
      return length === 1 && kindAt(text, end) === LOWER ? 0.2 : 0.6 + length * 0.3;
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      // A single space belongs to the word after it, unless that is a number.
      return length > 1 || kindAt(text, end) === DIGIT ? 1 : 0;
    default:
      // A row of dots or dashes needs few tokens.
      return 0.9 + (length - 1) * 0.1;
  }
};

/** The tokens of one line of text, without its line end. */
export const estimateTokens = (text: string, fineness = measureFineness(text)): number => {
  let tokens = 0;
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i);
    const kind = kinds[code] as number;
    const end = kind === 0 ? i + 1 : runEnd(text, i, kind);
    tokens += kind === 0 ? weighCharacter(code) : runCost(text, i, end, kind, fineness);
    i = end;
  }
  return tokens * 1.02;
};

/** The average cost of a line end: often it is one token with the punctuation before it. */
export const LINE_END_TOKENS = 0.6;

/** The tokens of a text of any number of lines. */
export const countTokens = (text: string): number => {
  const fineness = measureFineness(text);
  let tokens = 0;
  for (const line of text.split('\n')) tokens += estimateTokens(line, fineness) + LINE_END_TOKENS;
  return Math.ceil(tokens - LINE_END_TOKENS);
};

// Estimates the tokens of a reply, quickly.

interface ReplyLike {
  readonly text?: string;
  readonly images?: readonly { readonly data: string }[];
  readonly notes: readonly string[];
}

/** Only this many characters of a text are counted; the rest is extrapolated. */
const COUNTED_CHARS = 16_384;
/** A picture costs one token per this many pixels, up to the size at which models scale it down. */
const PIXELS_PER_TOKEN = 750;
const MOST_PER_IMAGE = 1600;

export const estimateReplyTokens = ({ text = '', images = [], notes }: ReplyLike): number =>
  textTokens(text) +
  notes.reduce((sum, note) => sum + textTokens(note), 0) +
  images.reduce((sum, { data }) => sum + imageTokens(data), 0);

const textTokens = (text: string): number => {
  if (text === '') return 0;
  if (text.length <= COUNTED_CHARS) return countTokens(text);
  return Math.round(countTokens(text.slice(0, COUNTED_CHARS)) * (text.length / COUNTED_CHARS));
};

const imageTokens = (base64: string): number => {
  const size = pngSize(base64);
  return size
    ? Math.min(MOST_PER_IMAGE, Math.ceil((size.width * size.height) / PIXELS_PER_TOKEN))
    : MOST_PER_IMAGE;
};

/** Reads the size from the PNG header; other formats are not parsed. */
const pngSize = (
  base64: string,
): { readonly width: number; readonly height: number } | undefined => {
  const head = Buffer.from(base64.slice(0, 32), 'base64');
  if (head.length < 24 || head.toString('latin1', 1, 4) !== 'PNG') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
};
