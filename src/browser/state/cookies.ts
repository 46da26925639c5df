// Reads, sets and deletes cookies of Chrome as a tab sees them.
import type { Protocol } from 'devtools-protocol';
import { defined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import { CdpError } from '../cdp/errors.ts';
import type { Tab } from '../tabs/tab.ts';

type CdpCookie = Protocol.Network.Cookie;
export type SameSite = Protocol.Network.CookieSameSite;

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  /** Seconds since 1970; -1 for a session cookie. */
  readonly expires: number;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite?: SameSite;
  /** The top-level site of a partitioned cookie. */
  readonly partition?: string;
}

/** Selects cookies by URL, by domain including subdomains, by name or by path; all if empty. */
export interface CookieFilter {
  readonly url?: string | undefined;
  readonly domain?: string | undefined;
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

export interface NewCookie {
  readonly name: string;
  readonly value: string;
  readonly url?: string | undefined;
  readonly domain?: string | undefined;
  readonly path?: string | undefined;
  /** Seconds since 1970. */
  readonly expires?: number | undefined;
  readonly httpOnly?: boolean | undefined;
  readonly secure?: boolean | undefined;
  readonly sameSite?: SameSite | undefined;
}

export const readCookies = async (
  tab: Tab,
  { url, domain, name, path }: CookieFilter,
  signal: AbortSignal,
): Promise<Cookie[]> => {
  const { cookies } =
    url === undefined
      ? await tab.readCookieStore(signal)
      : await tab.cdp.send('Network.getCookies', { urls: [url] }, signal);
  return cookies
    .filter((cookie) => domain === undefined || isOfDomain(cookie.domain, domain))
    .filter(
      (cookie) =>
        (name === undefined || cookie.name === name) &&
        (path === undefined || cookie.path === path),
    )
    .map(toCookie);
};

/** Returns all cookies of a browser context; of Chrome's profile if it is undefined. */
export const readAllCookies = async (
  root: Pick<Tab['cdp'], 'send'>,
  contextId: string | undefined,
  signal: AbortSignal,
): Promise<Cookie[]> => {
  const store = defined({ browserContextId: contextId });
  return (await root.send('Storage.getCookies', store, signal)).cookies.map(toCookie);
};

/** Sets a cookie and reads it back; throws if Chrome did not keep it. */
export const setCookie = async (
  tab: Tab,
  cookie: NewCookie,
  signal: AbortSignal,
): Promise<Cookie | undefined> => {
  const given = defined({ ...cookie });
  const { success } = await tab.cdp
    .send('Network.setCookie', given as Protocol.Network.SetCookieRequest, signal)
    .catch((error: unknown) => {
      if (error instanceof CdpError) return { success: false };
      throw error;
    });
  if (!success) throw cookieRejectedFailure(cookie);
  const { domain: host = cookie.url === undefined ? '' : new URL(cookie.url).hostname } = cookie;
  const held = await readCookies(
    tab,
    { domain: host, name: cookie.name, path: cookie.path },
    signal,
  );
  const kept = held.find(({ value }) => value === cookie.value);
  if (!kept && !(cookie.expires !== undefined && cookie.expires * 1000 <= Date.now()))
    throw cookieRejectedFailure(cookie);
  return kept;
};

/** A cookie as saved in a file. */
type KeptCookie = Omit<Cookie, 'sameSite' | 'partition'> & {
  readonly sameSite?: SameSite | undefined;
};

/**
 * Sets many cookies; returns those that Chrome did not keep: expired, or not allowed for the
 * domain.
 */
export const setCookies = async (
  tab: Tab,
  cookies: readonly KeptCookie[],
  signal: AbortSignal,
): Promise<KeptCookie[]> => {
  const now = Date.now() / 1000;
  const alive = cookies.filter(({ expires }) => expires < 0 || expires > now).map(toParameters);
  await tab.cdp
    .send('Network.setCookies', { cookies: alive }, signal)
    .catch(async (error: unknown) => {
      if (!(error instanceof CdpError)) throw error;
      // Chrome rejects the whole list if it rejects one cookie, so set each one separately.
      await Promise.allSettled(
        alive.map((cookie) => tab.cdp.send('Network.setCookie', cookie, signal)),
      );
      signal.throwIfAborted();
    });
  const held = new Map(
    (await readCookies(tab, {}, signal)).map((cookie) => [cookieKey(cookie), cookie.value]),
  );
  return cookies.filter((cookie) => held.get(cookieKey(cookie)) !== cookie.value);
};

const cookieKey = ({ name, domain, path }: KeptCookie): string =>
  JSON.stringify([name, domain.replace(/^\./, ''), path]);

/** A host-only cookie is set by URL, because a `domain` would include the subdomains. */
const toParameters = ({
  name,
  value,
  domain,
  path,
  expires,
  httpOnly,
  secure,
  sameSite,
}: KeptCookie): Protocol.Network.CookieParam => {
  const isHostOnly = !domain.startsWith('.');
  return defined({
    ...{ name, value, path, httpOnly, secure },
    domain: valueIf(!isHostOnly, domain),
    url: isHostOnly ? `http${textIf(secure, 's')}://${domain}${path}` : undefined,
    expires: valueIf(expires >= 0, expires),
    sameSite,
  });
};

const cookieRejectedFailure = ({ name, domain, url }: NewCookie): Error => {
  const scope = (domain ?? url ?? '').slice(0, 200);
  return fail(
    'value_rejected',
    `Chrome rejected the cookie "${name.slice(0, 100)}" for ${scope}.`,
    {
      hint:
        'SameSite None needs secure; secure needs https (or localhost); ' +
        '__Host- and __Secure- names have additional rules.',
    },
  );
};

/** Deletes the matching cookies; returns how many are gone. */
export const deleteCookies = async (
  tab: Tab,
  filter: CookieFilter,
  signal: AbortSignal,
): Promise<number> => {
  const before = await readCookies(tab, filter, signal);
  const all = (await tab.readCookieStore(signal)).cookies;
  await Promise.all(
    before.map(({ name, domain, path, partition }) => {
      const partitionKey = all.find(
        (cookie) =>
          cookie.name === name && cookie.domain === domain && readPartition(cookie) === partition,
      )?.partitionKey;
      return tab.cdp.send(
        'Network.deleteCookies',
        defined({ name, domain, path, partitionKey }),
        signal,
      );
    }),
  );
  return before.length - (await readCookies(tab, filter, signal)).length;
};

/** `.example.com` and `www.example.com` both belong to `example.com`. */
const isOfDomain = (cookieDomain: string, domain: string): boolean => {
  const own = cookieDomain.replace(/^\./, '').toLowerCase();
  const wanted = domain.replace(/^\./, '').toLowerCase();
  return own === wanted || own.endsWith(`.${wanted}`);
};

const readPartition = ({ partitionKey }: CdpCookie): string | undefined =>
  partitionKey?.topLevelSite;

const toCookie = (cookie: CdpCookie): Cookie => {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, session } = cookie;
  const partition = readPartition(cookie);
  return defined({
    ...{ name, value, domain, path, httpOnly, secure, expires: session ? -1 : expires },
    sameSite,
    partition,
  });
};
