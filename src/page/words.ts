// Words of people and of pages in one comparable form: case, accents, widths and look-alikes
// folded, in any script.
import { oneLine } from './visible-text.ts';
import { createLookupTable } from './lookup-table.ts';

/** Plain text, of which only the case can differ. */
const PLAIN = /^[\x20-\x7e]*$/;
/**
 * Marks that readers leave out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of
 * Arabic. Those of other scripts are letters.
 */
const MARKS = new RegExp(
  `[${[
    String.raw`\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f`,
    String.raw`\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7`,
    String.raw`\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed`,
  ].join('')}]+`,
  'g',
);

/** Letters that Unicode keeps apart although people write one for the other. */
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

/** The last digit of its number is the digit that a character of these ranges stands for. */
const alike = (character: string): string =>
  ALIKE[character] ?? String(character.charCodeAt(0) & 15);

/** The text as one line in which equal words are equal strings. */
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

/** The words of a folded text; of one that has none (a sign, an emoji) the whole. */
export const wordsIn = (folded: string): string[] =>
  folded.match(WORD) ?? (folded === '' ? [] : [folded]);

/**
 * A folded text without what stands between its words: "Name *" and "name:" are the same to a
 * reader.
 */
export const bare = (folded: string): string => wordsIn(folded).join(' ');

/** Scripts that are written without spaces: any place in them may be the end of a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;

/** Whether a word can end between these two characters. */
const isEdge = (before: string | undefined, after: string | undefined): boolean => {
  if (before === undefined || after === undefined || !LETTER.test(before) || !LETTER.test(after))
    return true;
  return UNSPACED.test(before) || UNSPACED.test(after);
};

/** Characters, not halves of them. */
const characterBefore = (text: string, at: number): string | undefined => {
  if (at <= 0) return undefined;
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(at - 2, at) : text[at - 1];
};
const characterAt = (text: string, at: number): string | undefined => {
  const code = text.codePointAt(at);
  return code === undefined ? undefined : String.fromCodePoint(code);
};

/** Where the words stand in the text as whole words; -1 where they do not. Both are folded. */
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

/** Whether the words stand in the text as whole words, one after the other. */
export const includesWords = (text: string, words: string): boolean =>
  findWordPosition(text, words) >= 0;

/** Whether each of the words stands in the text as a whole word, wherever. */
export const includesEachWord = (text: string, words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => includesWords(text, word));

/** Whether each of the words is part of the text. */
export const containsEach = (text: string, words: readonly string[]): boolean =>
  words.length > 0 && words.every((word) => text.includes(word));

const MAX_COMPARED = 100;

/** Pairs of neighbouring characters, so that nobody needs to know where words end. */
const pairsOf = (text: string): string[] => {
  const letters = text.length > MAX_COMPARED ? text.slice(0, MAX_COMPARED) : text;
  const pairs: string[] = [];
  for (let i = 1; i < letters.length; i++)
    if (letters[i] !== ' ' && letters[i - 1] !== ' ') pairs.push(letters.slice(i - 1, i + 1));
  return pairs.length > 0 ? pairs : letters === '' ? [] : [letters];
};

/**
 * Says how alike other folded texts are to this one, from 0 to 1: by the pairs of characters they
 * share.
 */
export const isSimilarTo = (text: string): ((other: string) => number) => {
  const wanted = new Map<string, number>();
  const own = pairsOf(text);
  for (const pair of own) wanted.set(pair, (wanted.get(pair) ?? 0) + 1);
  return (other) => {
    const pairs = pairsOf(other);
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
 * The part of a line around the words, at most `max` characters of it; its start where the words
 * are not in it.
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
  return `…${whole(line.slice(from, end))}${end < line.length ? '…' : ''}`;
};

/** Without halves of characters at its ends. */
const whole = (text: string): string =>
  text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').trim();
