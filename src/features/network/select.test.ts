// Tests of what a listing is about: the patterns for addresses and the times that people write.
import { describe, expect, it } from 'vitest';
import { matchAddresses } from './address-pattern.ts';
import { parseMoment } from './moment.ts';

const URLS = [
  'https://a.test/api/v1/users',
  'https://a.test/api/v22/users?x=[1]',
  'https://b.test/orders',
];

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
  ])('by %s', (pattern, expected) => {
    const found = matchAddresses(URLS, pattern);
    expect(URLS.flatMap((url, i) => (found.has(url) ? [i] : []))).toEqual(expected);
  });

  it('never by an expression that takes for ever', () => {
    const from = performance.now();
    expect(() => matchAddresses([`https://a.test/${'a'.repeat(60)}!`], '(a+)+$b')).toThrow(
      'takes too long',
    );
    expect(performance.now() - from).toBeLessThan(3000);
  });

  it('not by what is meant as an expression and is none', () => {
    expect(() => matchAddresses(URLS, '/(/')).toThrow('not a regular expression');
  });
});

describe('a time', () => {
  it('is said as an age or as a moment', () => {
    expect(parseMoment('30s', 'since', 100_000)).toBe(70_000);
    expect(parseMoment('5m', 'since', 1_000_000)).toBe(700_000);
    expect(parseMoment('2h', 'since', 7_200_000)).toBe(0);
    expect(parseMoment('2026-01-02T03:04:05Z', 'since', 0)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5));
    expect(parseMoment('1767323045000', 'since', 0)).toBe(1_767_323_045_000);
    expect(() => parseMoment('yesterday', 'until', 0)).toThrow('"until" must be like 30s');
  });
});
