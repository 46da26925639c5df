// Resolves host names with the system's resolver, cached for 30 s, at most three at a time.
import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { monotonicMs } from '../../core/time.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';

/**
 * Node has four threads for DNS lookups and file access. One thread stays free for files if a DNS
 * server hangs.
 */
const AT_ONCE = 3;
const KEPT_MS = 30_000;
const KEPT_NAMES = 1000;

interface Answer {
  readonly at: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

export class NameLookup {
  readonly #answers = new BoundedMap<string, Answer>(KEPT_NAMES);
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  of(name: string): Promise<readonly LookupAddress[]> {
    const known = this.#answers.get(name);
    if (known && monotonicMs() - known.at < KEPT_MS) return known.addresses;
    const addresses = this.#ask(name);
    this.#answers.set(name, { at: monotonicMs(), addresses });
    addresses.catch(() => this.#answers.delete(name)); // a failed lookup is not cached
    return addresses;
  }

  async #ask(name: string): Promise<readonly LookupAddress[]> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await lookup(name, { all: true });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
