// Applies the retention rule of every store at regular intervals.
import type { Log } from '../../core/log.ts';
import { after, every } from '../../core/time.ts';

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** The retention rule of one store. */
export interface RetentionRule {
  readonly name: string;
  /** Default: one hour. */
  readonly everyMs?: number;
  /** Removes expired files. Other processes may sweep the same folder at the same time. */
  sweep(now: number): Promise<Swept>;
}

/** The first sweep is delayed, so that it does not slow down the start and the first calls. */
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

  /** Logs a failure. The rule runs again at its next interval. */
  async #sweep(rule: RetentionRule): Promise<void> {
    try {
      const { files, bytes } = await rule.sweep(Date.now());
      if (files > 0)
        this.#log.info(`deleted ${files} expired files (${bytes} bytes): ${rule.name}`);
    } catch (error) {
      this.#log.warn(`deleting expired files failed: ${rule.name}`, error);
    }
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }
}
