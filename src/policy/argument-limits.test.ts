// The limits of a call's arguments.
import { expect, it } from 'vitest';
import { findExceededLimit } from './argument-limits.ts';

const nest = (levels: number): unknown => {
  let value: unknown = 'x';
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { value };
  return value;
};

it('accepts arguments up to 64 levels and 100,000 values', () => {
  expect(findExceededLimit(undefined)).toBeUndefined();
  expect(findExceededLimit(nest(64))).toBeUndefined();
  expect(
    findExceededLimit({
      list: Array.from({ length: 99_000 }, (_, i) => i),
      text: 'x'.repeat(5_000_000),
    }),
  ).toBeUndefined();
});

it('reports arguments beyond them, at any depth', () => {
  for (const levels of [65, 3500, 1_000_000])
    expect(findExceededLimit(nest(levels))).toBe('more than 64 levels deep');
  expect(findExceededLimit({ list: Array.from({ length: 100_001 }, () => 0) })).toBe(
    'more than 100000 values',
  );
});
