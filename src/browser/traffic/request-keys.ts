// Stable keys for requests, assigned once when a request is first recorded.
import { parseUrl } from '../../core/text.ts';
import { createHash } from 'node:crypto';
import { textBefore } from '../../core/text.ts';
import { operationName } from './graphql.ts';
import { headerValue, type Headers } from './request-record.ts';

interface KeyedRequest {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders?: Headers;
  /** The request body, if it is text. */
  readonly body?: string | undefined;
}

const UNPARSABLE_CHARS = 120;

/**
 * The key without its repeat count: the GraphQL operation, else method, host and path. Never
 * contains `#`.
 */
export const buildBaseKey = ({ method, url, requestHeaders, body }: KeyedRequest): string => {
  const verb = method.toUpperCase();
  const address = parseUrl(url);
  // A CORS preflight must not get the key of the operation.
  const contentType = headerValue(requestHeaders, 'content-type') ?? '';
  const operation =
    verb === 'OPTIONS' ? undefined : operationName({ url: address, contentType, body });
  if (operation !== undefined) return operation;
  if (!address) return `${verb} ${withoutFragment(url).slice(0, UNPARSABLE_CHARS)}`;
  return `${verb} ${address.host}${address.pathname}`;
};

const withoutFragment = (url: string): string => textBefore(url, '#');

/** Longer keys are counted by their hash. */
const MAX_COUNTED_CHARS = 200;

/** Counts repeats: the first use of a key has no suffix, the next are `#2`, `#3` … */
export class KeyBook {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;

  /**
   * @param limit how many names are remembered: at least as many as requests are kept, so that no
   * two of them share a key
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  give(base: string): string {
    const name =
      base.length > MAX_COUNTED_CHARS ? createHash('sha256').update(base).digest('base64') : base;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.delete(name); // re-insert it as the most recent key
    this.#counts.set(name, count);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= this.#limit) break;
      this.#counts.delete(oldest);
    }
    return count === 1 ? base : `${base}#${count}`;
  }
}
