// Parses the definitions of secrets: dotenv lines, hosts, and keys of one-time codes. Pure.
import { createHmac } from 'node:crypto';
import { valueIf } from './defined.ts';
import { fail } from './failure.ts';
import { matchGroups, parseUrl, textAt } from './text.ts';

const WEB_PROTOCOL = /^https?:$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * `example.com`, `example.com:8443` or `*.example.com` (its subdomains), in the spelling of URLs.
 */
export const parseSecretHost = (text: string): string => {
  const host = text.trim();
  const url = valueIf(!/[/?#@\\\s]/.test(host), parseUrl(`https://${host}`));
  if (!url || !hasOnlyLeadingWildcard(url.hostname))
    throw fail(
      'invalid_argument',
      `"${text.slice(0, 200)}" is not a host ` +
        `(expected example.com, example.com:8443 or *.example.com).`,
      {
        argument: 'host',
      },
    );
  return host.endsWith(':443') ? `${url.hostname}:443` : url.host;
};

/** `*.example.com` is a host, `*.com` and `a.*.com` are not. */
const hasOnlyLeadingWildcard = (hostname: string): boolean => {
  if (!hostname.includes('*')) return true;
  const rest = hostname.slice(2);
  return hostname.startsWith('*.') && !rest.includes('*') && rest.slice(1, -1).includes('.');
};

/** Whether a page address belongs to the host; a host without a port matches every port. */
export const matchesSecretHost = (host: string, address: string): boolean => {
  const url = parseUrl(address);
  if (!url || !WEB_PROTOCOL.test(url.protocol)) return false;
  const [suffix, port] = /:(\d{1,5})$/.exec(host) ?? [''];
  const name = host.slice(0, host.length - suffix.length);
  if (port !== undefined && port !== (url.port || DEFAULT_PORTS[url.protocol])) return false;
  return name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : url.hostname === name;
};

// Parses dotenv files: NAME=value and NAME@host,host=value lines. Ignores other lines.

const LINE = /^(?:export[ \t]+)?([A-Za-z_][\w.-]*(?:@[^\s=]*)?)[ \t]*=(.*)$/;

export const parseDotenv = (text: string): Map<string, string> => {
  const values = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    const [, name, given] = matchGroups(LINE, textAt(lines, i).trimStart());
    if (name === undefined || given === undefined) continue;
    const rest = given.trimStart();
    const quote = /^["'`]/.exec(rest)?.[0];
    if (quote === undefined) {
      values.set(name, withoutComment(rest).trim());
      continue;
    }
    // A quoted value may span several lines.
    const parts = [rest.slice(1)];
    while (findQuoteEnd(textAt(parts, -1), quote) < 0 && i + 1 < lines.length)
      parts.push(textAt(lines, ++i));
    const last = textAt(parts.splice(-1), 0);
    const end = findQuoteEnd(last, quote);
    const value = [...parts, end < 0 ? last : last.slice(0, end)].join('\n');
    values.set(name, quote === '"' ? unescaped(value) : value);
  }
  return values;
};

/** A comment starts at a # at the beginning or after a space. */
const withoutComment = (text: string): string => textAt(text.split(/(?:^|\s)#/, 1), 0);

const findQuoteEnd = (text: string, quote: string): number => {
  for (let i = 0; i < text.length; i++) {
    if (quote === '"' && text[i] === '\\') i++;
    else if (text[i] === quote) return i;
  }
  return -1;
};

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);

// Computes time-based one-time codes (RFC 6238) from a base32 key or an otpauth:// address. Pure.

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
  const url = valueIf(isAddress, parseUrl(text));
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

const ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const;

const parseAlgorithm = (text = 'SHA1'): TotpKey['algorithm'] => {
  const wanted = text.toLowerCase().replace('-', '');
  const algorithm = ALGORITHMS.find((name) => name === wanted);
  if (!algorithm) throw new Error('its algorithm is not SHA1, SHA256 or SHA512');
  return algorithm;
};

const parseWithin = (text: string, min: number, max: number): number => {
  const number = Number(text);
  if (!Number.isInteger(number) || number < min || number > max)
    throw new Error(`its digits or period are not within ${min} and ${max}`);
  return number;
};
