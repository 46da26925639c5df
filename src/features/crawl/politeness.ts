// Limits the request rate per host by the caller's delay and the host's crawl-delay.
import { monotonicMs, sleep } from '../../core/time.ts';

/** Upper limit for the crawl-delay of a robots.txt. */
const MAX_DELAY_MS = 30_000;

export class Politeness {
  readonly #delayOf: (host: string) => number;
  readonly #wishes = new Map<string, number>();
  /** Time of the next allowed request, by host. */
  readonly #freeAt = new Map<string, number>();

  constructor(delayOf: (host: string) => number) {
    this.#delayOf = delayOf;
  }

  /** Sets the crawl-delay of a host. */
  wish(host: string, delayMs: number): void {
    this.#wishes.set(host, Math.min(delayMs, MAX_DELAY_MS));
  }

  /** Pauses requests to a host, for example after a Retry-After header. */
  rest(host: string, ms: number): void {
    this.#freeAt.set(host, Math.max(this.#freeAt.get(host) ?? 0, monotonicMs() + ms));
  }

  /** Waits until the next request to the host is allowed. */
  async turn(host: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = (this.#freeAt.get(host) ?? 0) - monotonicMs();
      if (waitMs <= 0) break;
      await sleep(waitMs, signal);
    }
    signal.throwIfAborted();
    this.#freeAt.set(
      host,
      monotonicMs() + Math.max(this.#delayOf(host), this.#wishes.get(host) ?? 0),
    );
  }
}
