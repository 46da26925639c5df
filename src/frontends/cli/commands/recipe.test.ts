// CSV tables of `recipe run --repeat`.
import { expect, it } from 'vitest';
import { parseCsvRows } from './recipe.ts';

it('parses a header and rows with quotes, commas and line breaks', () => {
  expect(parseCsvRows('name,note\r\nAda,"a ""b"", c"\nBob,"two\nlines"\n\n')).toEqual([
    { name: 'Ada', note: 'a "b", c' },
    { name: 'Bob', note: 'two\nlines' },
  ]);
});

it('fills missing cells with an empty text, and rejects an open quote', () => {
  expect(parseCsvRows('a,b\n1')).toEqual([{ a: '1', b: '' }]);
  expect(() => parseCsvRows('a\n"1')).toThrow('not closed');
});
