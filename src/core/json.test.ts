// Tests of JSON that is written in slices.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringifyInSlices } from './json.ts';

describe('JSON written in slices', () => {
  it('is the text of JSON.stringify for any value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.anything({ withBigInt: false, withDate: true, withNullPrototype: true }),
        async (value) => {
          expect(await stringifyInSlices(value)).toBe(JSON.stringify(value) ?? 'null');
        },
      ),
    );
  });

  it('lets other work run meanwhile', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ({ i, text: 'x'.repeat(100) }));
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const text = await stringifyInSlices({ rows });
    clearInterval(turning);
    expect(text.length).toBeGreaterThan(20_000_000);
    expect(turns).toBeGreaterThan(3);
  });

  it('ends when it is cancelled', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ({ i, text: 'x'.repeat(100) }));
    const cancel = new AbortController();
    const work = stringifyInSlices({ rows }, cancel.signal);
    cancel.abort(new Error('cancelled by the client'));
    await expect(work).rejects.toThrow('cancelled by the client');
  });
});
