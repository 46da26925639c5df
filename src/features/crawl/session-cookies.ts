// The session's cookies that fetches of a crawl send: in scope only, by Chrome's own rules.
import type { Browser } from '../../browser/browser.ts';
import type { Cookie } from '../../browser/state/cookies.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { monotonicMs } from '../../core/time.ts';
import type { Scope } from './scope.ts';

const LOOPBACK_HOSTS = new Set<string>(['localhost', '[::1]']);

interface SessionCookiesOptions {
  readonly browser: Browser;
  readonly session: Session;
  readonly start: string;
  /** The crawl's scope; for `any`, cookies are only sent to the start's origin. */
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/** Cookies are read again after this time, to notice a new login. */
const FRESH_MS = 1_000;

export class SessionCookies {
  readonly #options: SessionCookiesOptions;
  #cookies: Promise<readonly Cookie[]> | undefined;
  #readAt = 0;

  constructor(options: SessionCookiesOptions) {
    this.#options = options;
  }

  /** Returns the Cookie header of a request. `before`: the URLs that redirected to this one. */
  async headerFor(url: string, before: readonly string[] = []): Promise<string | undefined> {
    const { start } = this.#options;
    if (![...before, url].every((address) => this.#isInScope(address))) return undefined;
    const isSameSite = [...before, url].every(
      (address) => isSameScheme(address, start) && this.#isOneSite(address),
    );
    const now = Date.now() / 1000;
    const sent = (await this.#read())
      .filter(
        (cookie) =>
          fitsAddress(cookie, new URL(url)) && !(cookie.expires >= 0 && cookie.expires <= now),
      )
      .filter(({ sameSite }) => isSameSite || sameSite !== 'Strict')
      .filter(({ partition }) => partition === undefined)
      .sort((a, b) => b.path.length - a.path.length);
    return sent.length === 0
      ? undefined
      : sent.map(({ name, value }) => (name === '' ? value : `${name}=${value}`)).join('; ');
  }

  /** A redirect of the start page may add another site to the scope; that site gets no cookies. */
  #isInScope(url: string): boolean {
    const { scope, start } = this.#options;
    if (scope.kind === 'any') return new URL(url).origin === new URL(start).origin;
    return scope.holdsPlace(url) && this.#isOneSite(url);
  }

  #isOneSite(url: string): boolean {
    const { scope, start } = this.#options;
    return scope.isOneSite(url, start);
  }

  #read(): Promise<readonly Cookie[]> {
    const { browser, session, signal } = this.#options;
    if (!this.#cookies || monotonicMs() - this.#readAt > FRESH_MS) {
      this.#readAt = monotonicMs();
      // If Chrome exits meanwhile, fetch without cookies.
      this.#cookies = browser.readCookies(session, signal).catch(() => []);
    }
    return this.#cookies;
  }
}

const isSameScheme = (one: string, other: string): boolean =>
  new URL(one).protocol === new URL(other).protocol;

/** Whether the cookie's domain, path and Secure attribute match a URL (RFC 6265). */
const fitsAddress = (
  { domain, path, secure }: Cookie,
  { hostname, pathname, protocol }: URL,
): boolean => {
  const host = hostname.toLowerCase();
  const isOfHost = domain.startsWith('.')
    ? host === domain.slice(1) || host.endsWith(domain)
    : host === domain;
  return (
    isOfHost &&
    isBelowPath(pathname, path) &&
    (!secure || protocol === 'https:' || isLoopback(host))
  );
};

const isBelowPath = (pathname: string, path: string): boolean =>
  pathname === path ||
  (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));

/** Chrome sends Secure cookies to loopback hosts without TLS. */
const isLoopback = (host: string): boolean =>
  LOOPBACK_HOSTS.has(host) || host.endsWith('.localhost') || /^127(?:\.\d+){3}$/.test(host);
