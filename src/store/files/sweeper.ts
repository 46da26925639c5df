// Applies every store's retention rule in its own rhythm: what is kept, for how long and how much,
// has one enforcer.
import type { Log } from '../../core/log.ts';
import { after, every } from '../../core/time.ts';

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** How long and how much of it a store keeps. */
export interface RetentionRule {
  readonly name: string;
  /** An hour, unless the store says otherwise. */
  readonly everyMs?: number;
  /** Removes what is no longer kept; must tolerate other processes that sweep the same folder. */
  sweep(now: number): Promise<Swept>;
}

/** Starting must stay quick, so the first sweep waits until the first calls are done. */
const FIRST_AFTER_MS = 30_000;
const EVERY_MS = 60 * 60_000;

export class Sweeper implements Disposable {
  readonly #log: Log;
  readonly #timers: readonly Disposable[];

  constructor(rules: readonly RetentionRule[], log: Log) {
    this.#log = log;
    this.#timers = rules.flatMap((rule) => {
      const { everyMs = EVERY_MS } = rule;
      const sweep = (): Promise<void> => this.#sweep(rule);
      return [after(Math.min(FIRST_AFTER_MS, everyMs), () => void sweep()), every(everyMs, sweep)];
    });
  }

  /** A rule that fails is logged; it is tried again when its time comes. */
  async #sweep(rule: RetentionRule): Promise<void> {
    try {
      const { files, bytes } = await rule.sweep(Date.now());
      if (files > 0) this.#log.info(`swept ${files} files (${bytes} bytes) of ${rule.name}`);
    } catch (error) {
      this.#log.warn(`sweeping ${rule.name} failed`, error);
    }
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }
}
