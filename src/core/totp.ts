// Computes time-based one-time codes (RFC 6238) from a base32 key or an otpauth:// address. Pure.
import { createHmac } from 'node:crypto';

export interface TotpKey {
  readonly key: Uint8Array;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly digits: number;
  readonly periodMs: number;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** A code that expires sooner may be rejected before the form arrives. */
const MIN_REMAINING_MS = 3_000;

/** Throws an error without the key if the text is not a key or an address of one. */
export const parseTotpKey = (text: string): TotpKey => {
  const isAddress = text.startsWith('otpauth://');
  const url = isAddress && URL.canParse(text) ? new URL(text) : undefined;
  if (isAddress && url?.hostname !== 'totp') throw new Error('it is not an otpauth://totp address');
  const given = (name: string): string | undefined => url?.searchParams.get(name) ?? undefined;
  return {
    key: decodeBase32(isAddress ? (given('secret') ?? '') : text),
    algorithm: parseAlgorithm(given('algorithm')),
    digits: parseWithin(given('digits') ?? '6', 6, 10),
    periodMs: parseWithin(given('period') ?? '30', 10, 600) * 1000,
  };
};

/** The code at a time in milliseconds since 1970. */
export const computeTotpCode = (
  { key, algorithm, digits, periodMs }: TotpKey,
  timeMs: number,
): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(timeMs / periodMs)));
  const hash = createHmac(algorithm, key).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0x0f;
  const number = hash.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
};

/** How long to wait for the next code, because the current one expires too soon; usually 0. */
export const computeTotpDelayMs = ({ periodMs }: TotpKey, timeMs: number): number => {
  const remainingMs = periodMs - (timeMs % periodMs);
  return remainingMs <= MIN_REMAINING_MS ? remainingMs : 0;
};

const decodeBase32 = (text: string): Uint8Array => {
  const digits = [...text.toUpperCase().replace(/[\s=-]/g, '')].map((digit) =>
    BASE32.indexOf(digit),
  );
  if (digits.length < 2 || digits.includes(-1)) throw new Error('its key is not base32');
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  const bytes = Math.floor(bits.length / 8);
  return Uint8Array.from({ length: bytes }, (_, i) =>
    Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2),
  );
};

const ALGORITHMS = new Map([
  ['SHA1', 'sha1'],
  ['SHA256', 'sha256'],
  ['SHA512', 'sha512'],
] as const);

const parseAlgorithm = (text = 'SHA1'): TotpKey['algorithm'] => {
  const [, algorithm] =
    [...ALGORITHMS].find(([name]) => name === text.toUpperCase().replace('-', '')) ?? [];
  if (!algorithm) throw new Error('its algorithm is not SHA1, SHA256 or SHA512');
  return algorithm;
};

const parseWithin = (text: string, min: number, max: number): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < min || number > max)
    throw new Error(`its digits or period are not within ${min} and ${max}`);
  return number;
};
