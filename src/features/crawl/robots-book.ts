// Fetches and caches the robots.txt of each origin.
import { getOrCreate } from '../../core/collections.ts';
import { Failure } from '../../core/failure.ts';
import type { FetchedDocument, Fetcher } from './fetcher.ts';
import { PRODUCT } from './fetcher.ts';
import { Refused } from './refusal.ts';
import { ALLOW_ALL, DISALLOW_ALL, MAX_ROBOTS_BYTES, parseRobots, type Robots } from './robots.ts';
import type { Scope } from './scope.ts';

const TIMEOUT_MS = 10_000;

export class RobotsBook {
  readonly #fetcher: Fetcher;
  readonly #scope: Scope;
  readonly #books = new Map<string, Promise<Robots>>();

  constructor(fetcher: Fetcher, scope: Scope) {
    this.#fetcher = fetcher;
    this.#scope = scope;
  }

  of(address: string, signal: AbortSignal): Promise<Robots> {
    const { origin, protocol } = new URL(address);
    if (protocol === 'file:') return Promise.resolve(ALLOW_ALL);
    return getOrCreate(this.#books, origin, () => this.#load(origin, signal));
  }

  async #load(origin: string, signal: AbortSignal): Promise<Robots> {
    try {
      const mayGoTo = (target: string): void => this.#mayGoTo(target, origin);
      const options = {
        accept: 'text/plain,*/*;q=0.5',
        maxBytes: MAX_ROBOTS_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
        mayGoTo,
      };
      return read(await this.#fetcher.fetch(`${origin}/robots.txt`, options));
    } catch (error) {
      signal.throwIfAborted();
      // A timeout disallows the origin. After other errors everything is allowed: loading the page
      // then reports the error.
      return error instanceof Failure && error.code === 'timeout' ? DISALLOW_ALL : ALLOW_ALL;
    }
  }

  /**
   * Allows redirects within the scope or the same site (http to https, www). After any other
   * redirect the robots.txt counts as missing.
   */
  #mayGoTo(target: string, origin: string): void {
    if (!this.#scope.holdsPlace(target) && !this.#scope.isOneSite(target, origin))
      throw new Refused('scope', target);
  }
}

/**
 * Server errors and 429 disallow everything, any other failed status allows everything (RFC 9309).
 */
const read = ({ status, body }: FetchedDocument): Robots => {
  if (status >= 500 || status === 429) return DISALLOW_ALL;
  return status >= 200 && status < 300
    ? parseRobots(new TextDecoder().decode(body), PRODUCT)
    : ALLOW_ALL;
};
