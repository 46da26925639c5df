// The turns of all workers at a host; requests without a delay need no database.
import type { HostTurn, HostTurns } from '../../store/cluster/cluster-store.ts';
import { OwnTurns } from '../crawl/politeness.ts';

export class FleetTurns implements HostTurns {
  readonly #shared: HostTurns;
  readonly #own = new OwnTurns();

  constructor(shared: HostTurns) {
    this.#shared = shared;
  }

  async take(host: string, delayMs: number, signal: AbortSignal): Promise<HostTurn> {
    const own = await this.#own.take(host, 0, signal);
    return delayMs > 0 ? this.#shared.take(host, delayMs, signal) : own;
  }

  async rest(host: string, ms: number): Promise<void> {
    await Promise.all([this.#own.rest(host, ms), this.#shared.rest(host, ms)]);
  }
}
