// How fast a host is asked: requests to one host begin no closer together than it, or the caller,
// wishes.
import { monotonicMs, sleep } from '../../core/time.ts';

/** Whatever a robots.txt wishes, nobody waits longer than this between two pages. */
const MAX_DELAY_MS = 30_000;

export class Politeness {
  readonly #delayOf: (host: string) => number;
  readonly #wishes = new Map<string, number>();
  /** When the next request to a host may begin. */
  readonly #freeAt = new Map<string, number>();

  constructor(delayOf: (host: string) => number) {
    this.#delayOf = delayOf;
  }

  /** The host itself asks for this much time between requests. */
  wish(host: string, delayMs: number): void {
    this.#wishes.set(host, Math.min(delayMs, MAX_DELAY_MS));
  }

  /** The host wants to be left alone for a while. */
  rest(host: string, ms: number): void {
    this.#freeAt.set(host, Math.max(this.#freeAt.get(host) ?? 0, monotonicMs() + ms));
  }

  /** Waits for the next turn at a host. */
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
