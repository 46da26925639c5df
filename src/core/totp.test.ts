// Tests of one-time codes with the vectors of RFC 6238.
import { expect, it } from 'vitest';
import { computeTotpCode, computeTotpDelayMs, parseTotpKey } from './totp.ts';

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
