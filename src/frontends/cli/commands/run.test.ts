// Splitting lines of a batch into words.
import { expect, it } from 'vitest';
import { splitShellWords } from './run.ts';

it.each([
  ['click Sign in', ['click', 'Sign', 'in']],
  ['  fill "First name" \'Ada "L"\'  # a comment', ['fill', 'First name', 'Ada "L"']],
  ['type a\\ b "c\\"d"', ['type', 'a b', 'c"d']],
  ['fill Name ""', ['fill', 'Name', '']],
  ['open http://x/#part', ['open', 'http://x/#part']],
  ['# only a comment', []],
  ['', []],
])('the words of %s', (line, words) => {
  expect(splitShellWords(line)).toEqual(words);
});

it('rejects a quote that is not closed', () => {
  expect(() => splitShellWords('fill "Name')).toThrow('not closed');
});
