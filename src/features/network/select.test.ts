// Tests of what a listing is about: the patterns for addresses and the times that people write.
import { afterAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../core/worker-pool.ts';
import { matchAddresses } from './select.ts';
import { parseMoment } from './moment.ts';

const URLS = [
  'https://a.test/api/v1/users',
  'https://a.test/api/v22/users?x=[1]',
  'https://b.test/orders',
];

const workers = new WorkerPool();
afterAll(() => workers.close());

const match = (urls: readonly string[], pattern: string, signal = new AbortController().signal) =>
  matchAddresses(urls, pattern, { workers, signal });

describe('an address is chosen', () => {
  it.each([
    ['users', [0, 1]],
    ['/api/', [0, 1]],
    ['v\\d+/users', [0, 1]],
    ['/v\\d{2}/', [1]],
    ['/USERS$/i', [0]],
    ['x=[1]', [1]],
    ['^https://b', [2]],
    ['(', []],
    ['nowhere', []],
  ])('by %s', async (pattern, expected) => {
    const found = await match(URLS, pattern);
    expect(URLS.flatMap((url, i) => (found.has(url) ? [i] : []))).toEqual(expected);
  });

  it('never by an expression that would take forever, and the event loop stays free', async () => {
    const endless = match([`https://a.test/${'a'.repeat(60)}!`], '(a+)+$b');
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    await expect(endless).rejects.toThrow('takes too long');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(20);
  });

  it('until the call is cancelled', async () => {
    const cancel = new AbortController();
    const endless = match([`https://a.test/${'a'.repeat(60)}!`], '(a+)+$b', cancel.signal);
    cancel.abort(new Error('cancelled by the client'));
    await expect(endless).rejects.toThrow('cancelled by the client');
  });

  it('not by an invalid expression in slashes', async () => {
    await expect(match(URLS, '/(/')).rejects.toThrow('not a regular expression');
  });
});

describe('a time', () => {
  it('is an age or a point in time', () => {
    expect(parseMoment('30s', 'since', 100_000)).toBe(70_000);
    expect(parseMoment('5m', 'since', 1_000_000)).toBe(700_000);
    expect(parseMoment('2h', 'since', 7_200_000)).toBe(0);
    expect(parseMoment('2026-01-02T03:04:05Z', 'since', 0)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(parseMoment('1767323045000', 'since', 0)).toBe(1_767_323_045_000);
    expect(() => parseMoment('yesterday', 'until', 0)).toThrow(
      '"until" must be a duration such as 30s',
    );
  });
});
