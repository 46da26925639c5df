// Folds words for comparison: case, accents, widths and look-alike letters, in any script.
import { oneLine, textIf } from './visible-text.ts';
import { addCount, createLookupTable, listIf, ifDefined } from './objects.ts';

/** ASCII text, which needs only lower case. */
const PLAIN = /^[\x20-\x7e]*$/;
/**
 * Marks that writers often omit: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of
 * Arabic. In other scripts marks are letters.
 */
const MARKS = new RegExp(
  `[${[
    String.raw`\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`,
    String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`,
    String.raw`\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed`,
  ].join('')}]+`,
  'g',
);

/** Different letters and signs that people type in place of each other. */
const ALIKE = createLookupTable<string>({
  ß: 'ss',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ħ: 'h',
  ς: 'σ',
  ی: 'ي',
  ى: 'ي',
  ک: 'ك',
  ە: 'ه',
  ة: 'ه',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '⁄': '/',
});
const LOOK_ALIKE = new RegExp(
  `[${Object.keys(ALIKE).join('')}\\u0660-\\u0669\\u06f0-\\u06f9]`,
  'g',
);

/** For the Arabic digits, the last hex digit of the code is the value of the digit. */
const alike = (character: string): string =>
  ALIKE[character] ?? String(character.charCodeAt(0) & 15);

/** The text as one line; texts that differ only in case, accents or similar become equal. */
export const fold = (text: string): string => {
  if (PLAIN.test(text))
    return (text.includes('  ') ? text.replace(/ {2,}/g, ' ') : text).trim().toLowerCase();
  const line = oneLine(text).toLowerCase();
  if (PLAIN.test(line)) return line;
  return oneLine(
    line.normalize('NFKD').replace(MARKS, '').normalize('NFC').replace(LOOK_ALIKE, alike),
  ).toLowerCase();
};

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a folded text; a text without words (a sign, an emoji) is returned as one. */
export const wordsIn = (folded: string): string[] =>
  folded.match(WORD) ?? listIf(folded !== '', folded);

/** The words of a folded text without punctuation: "Name *" and "name:" become equal. */
export const bare = (folded: string): string => wordsIn(folded).join(' ');

/** Scripts without spaces between words: a word may end at any character. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々〆]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

/** Whether a word can end between these two characters. */
const isEdge = (before: string | undefined, after: string | undefined): boolean => {
  if (before === undefined || after === undefined || !LETTER.test(before) || !LETTER.test(after))
    return true;
  return UNSPACED.test(before) || UNSPACED.test(after);
};

/** Whole characters, not halves of surrogate pairs. */
const characterBefore = (text: string, at: number): string | undefined => {
  if (at <= 0) return undefined;
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(at - 2, at) : text[at - 1];
};
const characterAt = (text: string, at: number): string | undefined => {
  const code = text.codePointAt(at);
  return ifDefined(code, (code) => String.fromCodePoint(code));
};

/** The position of the words as whole words in the text, or -1. Both must be folded. */
const findWordPosition = (text: string, words: string): number => {
  if (words === '') return -1;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (
      isEdge(characterBefore(text, at), characterAt(text, at)) &&
      isEdge(characterBefore(text, end), characterAt(text, end))
    )
      return at;
  }
  return -1;
};

/** Whether the text contains the words as whole words, one after the other. */
export const includesWords = (text: string, words: string): boolean =>
  findWordPosition(text, words) >= 0;

/** Whether the text contains each of the words as a whole word, anywhere. */
export const includesEachWord = (text: string, words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => includesWords(text, word));

/** Whether the text contains each of the words, also as part of a word. */
export const containsEach = (text: string, words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => text.includes(word));

const MAX_COMPARED = 100;

/** Pairs of neighbouring characters; they work for scripts without spaces too. */
const listPairs = (text: string): string[] => {
  const letters = text.length > MAX_COMPARED ? text.slice(0, MAX_COMPARED) : text;
  const pairs: string[] = [];
  for (let i = 1; i < letters.length; i++)
    if (letters[i] !== ' ' && letters[i - 1] !== ' ') pairs.push(letters.slice(i - 1, i + 1));
  if (pairs.length > 0) return pairs;
  return listIf(letters !== '', letters);
};

/**
 * Returns a function that rates the similarity of other folded texts, from 0 to 1, by shared pairs.
 */
export const isSimilarTo = (text: string): ((other: string) => number) => {
  const wanted = new Map<string, number>();
  const own = listPairs(text);
  for (const pair of own) addCount(wanted, pair);
  return (other) => {
    const pairs = listPairs(other);
    if (pairs.length === 0 || own.length === 0) return 0;
    const left = new Map(wanted);
    let shared = 0;
    for (const pair of pairs) {
      const count = left.get(pair);
      if (!count) continue;
      shared++;
      left.set(pair, count - 1);
    }
    return (2 * shared) / (own.length + pairs.length);
  };
};

/**
 * At most `max` characters of a line around the words, or its start if it does not contain them.
 */
export const excerpt = (line: string, words: string, max: number): string => {
  if (line.length <= max) return line;
  const at = line.toLowerCase().indexOf(words);
  if (at + words.length < max) return `${whole(line.slice(0, max - 1))}…`;
  const room = max - 2;
  const from = Math.max(
    1,
    Math.min(at - Math.max(0, Math.floor((room - words.length) / 2)), line.length - room),
  );
  const end = from + room;
  return `…${whole(line.slice(from, end))}${textIf(end < line.length, '…')}`;
};

/** Removes halves of surrogate pairs from both ends. */
const whole = (text: string): string =>
  text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').trim();

/** The whole match and its groups; empty if the text does not match. */
export const matchGroups = (pattern: RegExp, text: string): (string | undefined)[] =>
  pattern.exec(text) ?? [];

/** The text before the first `separator`, or all of it. */
export const textBefore = (text: string, separator: string): string => {
  const at = text.indexOf(separator);
  return at < 0 ? text : text.slice(0, at);
};
