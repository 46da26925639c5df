// Words are the same to a reader: case, accents, widths, scripts without spaces.
import { expect, it } from 'vitest';
import {
  bare,
  excerpt,
  fold,
  includesWords,
  includesEachWord,
  isSimilarTo,
  wordsIn,
} from './words.ts';

it.each([
  ['  Sign \n In ', 'sign in'],
  ['Résumé', 'resume'],
  ['Re\u0301sume\u0301', 'resume'],
  ['STRASSE', fold('Straße')],
  ['İstanbul', 'istanbul'],
  ['Łódź', 'lodz'],
  ['ΟΔΟΣ', fold('οδός')],
  ['Ёлка', 'елка'],
  ['ＡＢＣ１２３', 'abc123'],
  ['ﾃｽﾄ', 'テスト'],
  ['ガ', 'ガ'],
  ['한국어', '한국어'],
  ['שָׁלוֹם', 'שלום'],
  ['مُحَمَّد', 'محمد'],
  ['کتاب', 'كتاب'],
  ['۱۲۳', '123'],
  ['٤٥', '45'],
  ['Don’t', "don't"],
  ['a\u200fb\u00adc', 'abc'],
])('folds %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

it('keeps vowels that are letters of their script', () => {
  expect(fold('की')).not.toBe(fold('का'));
  expect(fold('が')).not.toBe(fold('か'));
});

it('splits a text into words; a symbol is a word only if there are no others', () => {
  expect(wordsIn(fold('Name *'))).toEqual(['name']);
  expect(bare(fold('E-mail: (work)'))).toBe('e mail work');
  expect(wordsIn('+')).toEqual(['+']);
  expect(wordsIn('')).toEqual([]);
});

it('finds whole words only, except in scripts without spaces', () => {
  expect(includesWords('sign in now', 'sign in')).toBe(true);
  expect(includesWords('redesign in', 'sign in')).toBe(false);
  expect(includesWords('ada q1500', 'ada q150')).toBe(false);
  expect(includesWords('新規登録する', '登録')).toBe(true);
  expect(includesWords('ยกเลิกการจอง', 'การจอง')).toBe(true);
  expect(includesWords('𝒳y', 'y')).toBe(false);
  expect(includesEachWord('lovelace, ada', ['ada', 'lovelace'])).toBe(true);
});

it('returns the similarity of two texts', () => {
  expect(isSimilarTo('aprove')('approve')).toBeGreaterThan(0.7);
  expect(isSimilarTo('送信する')('送信')).toBeGreaterThan(0.4);
  expect(isSimilarTo('cancel')('approve')).toBe(0);
  expect(isSimilarTo('+')('+')).toBe(1);
});

it('shows the part of a long line that contains the words', () => {
  const line =
    'The quick brown fox jumps over the lazy dog and runs into the dark forest behind the hill';
  expect(excerpt(line, 'lazy dog', 40)).toBe('…jumps over the lazy dog and runs into…');
  expect(excerpt(line, 'the quick', 20)).toBe('The quick brown fox…');
  expect(excerpt(line, 'behind the hill', 30)).toBe('…dark forest behind the hill');
  expect(excerpt('short', 'x', 20)).toBe('short');
});
