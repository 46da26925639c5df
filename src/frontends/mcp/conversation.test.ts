// Tests of lines.ts.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitLines } from './conversation.ts';

const split = (chunks: readonly Buffer[], maxBytes = 1000): string[] => {
  const seen: string[] = [];
  const { take } = splitLines({
    maxBytes,
    onLine: (line) => seen.push(line),
    onTooLong: () => seen.push('<too long>'),
  });
  for (const chunk of chunks) take(chunk);
  return seen;
};

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [
    ...new Set([...places.map((place) => place % (bytes.length + 1)), bytes.length]),
  ].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

it('returns the same lines for chunks of any size', () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .map((text) => text.replace(/\s/g, ''))
    .filter((text) => text !== '');
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(fc.nat()),
      fc.constantFrom('\n', '\r\n'),
      (lines, places, ending) => {
        const bytes = Buffer.from(lines.map((text) => text + ending).join(''));
        expect(split(cut(bytes, places))).toEqual(lines);
      },
    ),
  );
});

it('waits for the end of a line, and passes over empty ones', () => {
  expect(split([Buffer.from('\n \r\n{"a"'), Buffer.from(':1}\n{"b')])).toEqual(['{"a":1}']);
});

it('drops a line that is too long, reports it once, and continues with the next', () => {
  const chunks = [
    'x'.repeat(600),
    'x'.repeat(600),
    'x'.repeat(600),
    '\nnext\n',
    `${'y'.repeat(1001)}\n`,
    `${'z'.repeat(1000)}\n`,
  ].map((text) => Buffer.from(text));
  expect(split(chunks)).toEqual(['<too long>', 'next', '<too long>', 'z'.repeat(1000)]);
});
