// Tests of dotenv.ts.
import { expect, it } from 'vitest';
import { parseDotenv } from './dotenv.ts';

it.each([
  ['A=1', { A: '1' }],
  ['export A = spaced value  # comment', { A: 'spaced value' }],
  ['A="with # and \\"quotes\\"\\nline"', { A: 'with # and "quotes"\nline' }],
  ["A='raw \\n $x'", { A: 'raw \\n $x' }],
  ['A="first\nsecond"\nB=2', { A: 'first\nsecond', B: '2' }],
  ['# comment\n\nnot a line\nA=\r\nB=x=y\r\n', { A: '', B: 'x=y' }],
  ['\uFEFFA=1', { A: '1' }],
  ['A="never closed\nB=2', { A: 'never closed\nB=2' }],
])('%j', (text, expected) => {
  expect(Object.fromEntries(parseDotenv(text))).toEqual(expected);
});
