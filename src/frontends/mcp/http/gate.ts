// Checks the Host, the Origin and the token of an HTTP request before its body is read.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../../core/config.ts';
import { ifDefined } from '../../../core/defined.ts';
import { fail } from '../../../core/failure.ts';
import { matchGroups, parseUrl } from '../../../core/text.ts';

const LOOPBACK_HOSTS = new Set<string>(['localhost', '::1']);
const ANY_ADDRESSES = new Set<string>(['0.0.0.0', '::']);

export interface Visitor {
  readonly headers: IncomingHttpHeaders;
  /** The local address of the connection. */
  readonly localAddress: string | undefined;
}

export interface Gate {
  /** Throws if the Host or the Origin is not allowed. */
  checkSource(visitor: Visitor): void;
  /** Throws if a token is set and the request does not contain it. */
  checkToken(visitor: Visitor): void;
  /** The Origin of the request if it is one of --allow-origin, otherwise undefined. */
  trustedOrigin(headers: IncomingHttpHeaders): string | undefined;
}

type GateOptions = Pick<Config, 'host' | 'token' | 'allowHost' | 'allowOrigin'>;

/** Throws if the server would be reachable from other machines without a token. */
export const createGate = ({ host, token, allowHost, allowOrigin }: GateOptions): Gate => {
  if (token === undefined && !isLoopback(host)) {
    throw fail('invalid_argument', `Listening on ${host} needs a token.`, {
      argument: 'token',
      hint: 'Add --token, or listen on 127.0.0.1.',
    });
  }
  const hosts = new Set(allowHost.map((name) => name.toLowerCase()));
  const origins = new Set(allowOrigin.map((origin) => originOf(origin) ?? origin));
  const expected = ifDefined(token, digest);
  const trustedOrigin = ({ origin }: IncomingHttpHeaders): string | undefined =>
    origin !== undefined && origins.has(origin) ? origin : undefined;

  return {
    trustedOrigin,
    checkSource: ({ headers, localAddress }) => {
      if (!isOwnHost(headers.host, host, localAddress, hosts))
        throw fail('forbidden_host', 'The Host header does not match this server.');
      // Non-browser clients send no Origin. Browsers send one for every page. Allowed are our own
      // pages (same scheme, name and port as the checked Host) and those of --allow-origin. Another
      // loopback port is another program, and any page can have the origin "null".
      const { origin } = headers;
      if (origin === undefined || origin === `http://${headers.host}` || trustedOrigin(headers))
        return;
      throw fail('forbidden_origin', 'This web origin may not call the server.');
    },
    checkToken: ({ headers }) => {
      if (expected === undefined) return;
      const [, given = ''] = matchGroups(/^Bearer +(\S+) *$/i, headers.authorization ?? '');
      // Hashes have equal lengths, so the comparison takes the same time for any input.
      if (!timingSafeEqual(digest(given), expected))
        throw fail('unauthorized', 'The request has no valid token.');
    },
  };
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** DNS rebinding can point a foreign name to this machine, so the name must be a known one. */
const isOwnHost = (
  header: string | undefined,
  bound: string,
  localAddress: string | undefined,
  allowed: ReadonlySet<string>,
): boolean => {
  const url = ifDefined(header, (header) => parseUrl(`http://${header}`));
  if (!url || url.pathname !== '/' || url.username !== '') return false;
  const name = unbracketed(url.hostname);
  const own = isWildcard(bound) ? plainAddress(localAddress) : bound;
  return isLoopback(name) || name === own || allowed.has(url.hostname) || allowed.has(url.host);
};

export const isLoopback = (host: string): boolean =>
  LOOPBACK_HOSTS.has(host) || /^127(\.\d{1,3}){3}$/.test(host);

const isWildcard = (address: string): boolean => ANY_ADDRESSES.has(address);

const unbracketed = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** A dual-stack socket writes IPv4 addresses as ::ffff:1.2.3.4. */
const plainAddress = (address: string | undefined): string | undefined =>
  address?.replace(/^::ffff:/, '');

const originOf = (text: string): string | undefined => parseUrl(text)?.origin;
