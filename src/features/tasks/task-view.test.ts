// Tests of args-summary.ts: small arguments are kept, large ones are cut.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { summariseArgs } from './task-view.ts';

it('keeps small arguments as they are', () => {
  expect(summariseArgs({ url: 'https://example.com', max_pages: 20 })).toEqual({
    url: 'https://example.com',
    max_pages: 20,
  });
});

it('cuts long values and keeps their names', () => {
  expect(
    summariseArgs({
      url: 'https://example.com',
      include: Array.from({ length: 500 }, (_, i) => `/page/${i}`),
    }),
  ).toEqual({
    url: 'https://example.com',
    include: expect.stringMatching(/^\["\/page\/0".*…$/) as string,
  });
});

it('is at most 2048 bytes for any input', () => {
  fc.assert(
    fc.property(
      fc.anything({ maxDepth: 3, withUnicodeString: true } as object),
      fc.nat(3_000),
      (value, length) => {
        const args = JSON.parse(
          JSON.stringify({ value, long: '漢'.repeat(length) }) ?? '{}',
        ) as unknown;
        expect(Buffer.byteLength(JSON.stringify(summariseArgs(args)))).toBeLessThanOrEqual(2048);
      },
    ),
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`name-${i}`, i]));
  expect(summariseArgs(many)).toEqual({ omitted: expect.stringMatching(/^\d+ bytes$/) as string });
});
