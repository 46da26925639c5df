// Limits the request rate per host by the caller's delay and the host's crawl-delay.
import { monotonicMs, sleep } from '../../core/time.ts';
import type { HostTurn, HostTurns } from '../../store/cluster/cluster-store.ts';

/** Upper limit for the crawl-delay of a robots.txt. */
const MAX_DELAY_MS = 30_000;

export class Politeness {
  readonly #delayOf: (host: string) => number;
  readonly #turns: HostTurns;
  readonly #wishes = new Map<string, number>();

  constructor(delayOf: (host: string) => number, turns: HostTurns = new OwnTurns()) {
    this.#delayOf = delayOf;
    this.#turns = turns;
  }

  /** Sets the crawl-delay of a host. */
  wish(host: string, delayMs: number): void {
    this.#wishes.set(host, Math.min(delayMs, MAX_DELAY_MS));
  }

  /** Pauses requests to a host, for example after a Retry-After header. */
  async rest(host: string, ms: number): Promise<void> {
    await this.#turns.rest(host, ms);
  }

  /** Waits until the next request to the host is allowed. */
  async turn(host: string, signal: AbortSignal): Promise<HostTurn> {
    const delayMs = Math.max(this.#delayOf(host), this.#wishes.get(host) ?? 0);
    return this.#turns.take(host, delayMs, signal);
  }
}

/** In one process the delay counts from the start of the request. */
const OWN_TURN: HostTurn = { answered: () => {} };

/** The turns of the requests of this process only. */
export class OwnTurns implements HostTurns {
  /** Time of the next allowed request, by host. */
  readonly #freeAt = new Map<string, number>();

  async take(host: string, delayMs: number, signal: AbortSignal): Promise<HostTurn> {
    for (;;) {
      const waitMs = (this.#freeAt.get(host) ?? 0) - monotonicMs();
      if (waitMs <= 0) break;
      await sleep(waitMs, signal);
    }
    signal.throwIfAborted();
    this.#freeAt.set(host, monotonicMs() + delayMs);
    return OWN_TURN;
  }

  async rest(host: string, ms: number): Promise<void> {
    this.#freeAt.set(host, Math.max(this.#freeAt.get(host) ?? 0, monotonicMs() + ms));
  }
}
