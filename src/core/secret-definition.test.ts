// Tests of the hosts that a secret is for.
import { describe, expect, it } from 'vitest';
import {
  computeTotpCode,
  computeTotpDelayMs,
  matchesSecretHost,
  parseDotenv,
  parseSecretHost,
  parseTotpKey,
} from './secret-definition.ts';

describe('a host of a secret', () => {
  it.each([
    ['example.com', 'https://example.com/login', true],
    ['Example.COM', 'http://example.com:8080/', true],
    ['example.com', 'https://www.example.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['example.com', 'https://evil.test/?example.com', false],
    ['example.com', 'https://example.com@evil.test/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['[::1]', 'http://[::1]:3000/', true],
    ['127.0.0.1', 'http://127.0.0.1:3000/', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['example.com', 'about:blank', false],
    ['example.com', 'data:text/html,example.com', false],
    ['example.com', 'file:///example.com', false],
    ['example.com', '', false],
  ])('%s for a page at %s: %s', (host, address, expected) => {
    expect(matchesSecretHost(parseSecretHost(host), address)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'https://example.com',
    'example.com/path',
    'a@b',
    '*',
    '*.com',
    'a b',
    '*.*.com',
    'x.*',
  ])('is not %j', (text) => {
    expect(() => parseSecretHost(text)).toThrow('is not a host');
  });
});

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

const KEYS = {
  SHA1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA',
  SHA512:
    'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' +
    'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA',
};

it.each([
  ['SHA1', 59, '94287082'],
  ['SHA256', 59, '46119246'],
  ['SHA512', 59, '90693936'],
  ['SHA1', 1111111109, '07081804'],
  ['SHA256', 1111111109, '68084774'],
  ['SHA512', 1111111109, '25091201'],
  ['SHA1', 20000000000, '65353130'],
] as const)('the code of %s at %d s is %s', (algorithm, seconds, code) => {
  const address = `otpauth://totp/A:b?secret=${KEYS[algorithm]}&algorithm=${algorithm}&digits=8`;
  expect(computeTotpCode(parseTotpKey(address), seconds * 1000)).toBe(code);
});

it('a base32 key gives six digits every 30 s, with spaces and lower case allowed', () => {
  const key = parseTotpKey('gezd gnbv gy3t qojq gezd gnbv gy3t qojq');
  expect(computeTotpCode(key, 59_000)).toBe('287082');
  expect(computeTotpCode(key, 30_000)).toBe('287082');
});

it('waits for the next code in the last 3 s of a code', () => {
  const key = parseTotpKey(KEYS.SHA1);
  expect(computeTotpDelayMs(key, 26_900)).toBe(0);
  expect(computeTotpDelayMs(key, 27_000)).toBe(3_000);
  expect(computeTotpDelayMs(key, 29_999)).toBe(1);
  expect(computeTotpDelayMs(key, 30_000)).toBe(0);
});

it.each([
  ['not base32!', 'not base32'],
  ['otpauth://hotp/a?secret=GEZDGNBV', 'not an otpauth://totp address'],
  ['otpauth://totp/a?secret=GEZDGNBV&digits=40', 'within 6 and 10'],
  ['otpauth://totp/a?secret=GEZDGNBV&algorithm=MD5', 'not SHA1'],
])('rejects %s without repeating the key', (text, why) => {
  expect(() => parseTotpKey(text)).toThrow(why);
  expect(() => parseTotpKey(text)).not.toThrow('GEZDGNBV');
});
