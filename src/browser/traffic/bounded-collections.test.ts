// The bounded list: what stays, what goes, and where a cursor points.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Bytes, clip, decodeUtf8, Ring, SharedTexts } from './bounded-collections.ts';

const item = (sequence: number, heldBytes = 1) => ({ sequence, heldBytes });

describe('a ring', () => {
  it('returns the items after a cursor, repeatedly', () => {
    const ring = new Ring<ReturnType<typeof item>>({ count: 10, bytes: 100 });
    for (const sequence of [2, 3, 5, 8]) ring.push(item(sequence));
    expect(ring.since(3).map(({ sequence }) => sequence)).toEqual([5, 8]);
    expect(ring.since(3).map(({ sequence }) => sequence)).toEqual([5, 8]);
    expect(ring.since(0, 2).map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(ring.since(ring.cursor)).toEqual([]);
    expect(ring.find(5)?.sequence).toBe(5);
    expect(ring.find(4)).toBeUndefined();
  });

  it('keeps the newest item of any size, and counts an item that grows', () => {
    const evicted: number[] = [];
    const ring = new Ring<ReturnType<typeof item>>({ count: 10, bytes: 100 }, ({ sequence }) =>
      evicted.push(sequence),
    );
    const first = item(1, 40);
    ring.push(first);
    ring.push(item(2, 40));
    ring.grow(first, 30);
    expect(evicted).toEqual([1]);
    ring.grow(first, 1_000);
    expect(ring.heldBytes).toBe(40);
    ring.push(item(3, 5_000));
    expect(ring.size).toBe(1);
    expect([...ring][0]?.sequence).toBe(3);
  });

  it('never exceeds its limits, and loses nothing uncounted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { maxLength: 500 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 300 }),
        (sizes, count, bytes) => {
          const ring = new Ring<ReturnType<typeof item>>({ count, bytes });
          for (const [index, size] of sizes.entries()) ring.push(item(index + 1, size));
          const kept = [...ring];
          expect(ring.size).toBe(kept.length);
          expect(ring.size + ring.evicted).toBe(sizes.length);
          expect(ring.size).toBeLessThanOrEqual(count);
          expect(ring.heldBytes).toBe(kept.reduce((sum, { heldBytes }) => sum + heldBytes, 0));
          expect(ring.size <= 1 || ring.heldBytes <= bytes).toBe(true);
          expect(kept.map(({ sequence }) => sequence)).toEqual(
            sizes.map((_, index) => index + 1).slice(sizes.length - kept.length),
          );
        },
      ),
    );
  });
});

it('are cut without breaking a character', () => {
  expect(clip('abc', 5)).toBe('abc');
  expect(clip('abcdef', 3)).toBe('abc');
  expect(clip('ab😀cd', 3)).toBe('ab');
  expect(clip('ab😀cd', 4)).toBe('ab😀');
});

it('are distinguished from bytes that are not text', () => {
  expect(decodeUtf8(Buffer.from('\ufeffé'))).toBe('\ufeffé');
  expect(decodeUtf8(Buffer.from([0xff, 0]))).toBeUndefined();
});

it('have a size in bytes behind their base64', () => {
  for (const length of [0, 1, 2, 3, 4, 100])
    expect(base64Bytes(Buffer.alloc(length, 7).toString('base64'))).toBe(length);
});

it('that repeat are shared, within a bound', () => {
  const texts = new SharedTexts();
  const values = texts.shareValues({ a: 'x', long: 'y'.repeat(1_000) });
  expect(values).toEqual({ a: 'x', long: 'y'.repeat(1_000) });
  for (let i = 0; i < 10_000; i++) expect(texts.share(`value ${i}`)).toBe(`value ${i}`);
});
