// Tests of the diff of two sequences.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sequenceDiff } from './sequence-diff.ts';

const signs = (before: string, now: string): string =>
  sequenceDiff([...before], [...now], (a, b) => a === b)
    .map(({ kind, a, b }) =>
      kind === 'same' ? before[a] : kind === 'removed' ? `-${before[a]}` : `+${now[b]}`,
    )
    .join('');

describe('The difference of two sequences', () => {
  it('is nothing for equal ones', () => expect(signs('abc', 'abc')).toBe('abc'));
  it('is short', () => expect(signs('abcabba', 'cbabac')).toBe('-a-bc+bab-ba+c'));
  it('is all of one against nothing', () =>
    expect([signs('', 'ab'), signs('ab', '')]).toEqual(['+a+b', '-a-b']));
  it('transforms the first into the second, for any input', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
    fc.assert(
      fc.property(letters, letters, (before, now) => {
        const steps = sequenceDiff(before, now, (a, b) => a === b);
        expect(steps.filter(({ kind }) => kind !== 'added').map(({ a }) => before[a])).toEqual(
          before,
        );
        expect(steps.filter(({ kind }) => kind !== 'removed').map(({ b }) => now[b])).toEqual(now);
        for (const { kind, a, b } of steps) if (kind === 'same') expect(before[a]).toBe(now[b]);
      }),
    );
  });
  it('stops to search for the shortest path if the sequences have little in common', () => {
    const before = Array.from({ length: 3000 }, (_, i) => `a${i}`);
    const now = Array.from({ length: 3000 }, (_, i) => `b${i}`);
    expect(sequenceDiff(before, now, (a, b) => a === b)).toHaveLength(6000);
  });
});
