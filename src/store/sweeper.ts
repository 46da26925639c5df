// Applies every store's retention rule, one after the other: what is kept, for how long and how much, has one enforcer.
import type { Log } from '../core/log.ts';
import { after, every } from '../core/time.ts';

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** How long and how much of it a store keeps. */
export interface RetentionRule {
  readonly name: string;
  /** Removes what is no longer kept; must tolerate other processes that sweep the same folder. */
  sweep(now: number): Promise<Swept>;
}

interface SweeperOptions {
  readonly rules: readonly RetentionRule[];
  readonly log: Log;
  readonly now?: () => number;
  readonly everyMs?: number;
}

/** Starting must stay quick, so the first sweep waits until the first calls are done. */
const FIRST_AFTER_MS = 30_000;
const EVERY_MS = 60 * 60_000;

export class Sweeper implements Disposable {
  readonly #options: SweeperOptions;
  readonly #timers: readonly Disposable[];

  constructor(options: SweeperOptions) {
    this.#options = options;
    const everyMs = options.everyMs ?? EVERY_MS;
    const sweep = async (): Promise<void> => void (await this.sweepNow());
    this.#timers = [after(Math.min(FIRST_AFTER_MS, everyMs), () => void sweep()), every(everyMs, sweep)];
  }

  /** Runs every rule; one that fails is logged and does not keep the others from running. */
  async sweepNow(): Promise<Readonly<Record<string, Swept>>> {
    const { rules, log, now = Date.now } = this.#options;
    const done: Record<string, Swept> = {};
    for (const rule of rules) {
      try {
        const swept = await rule.sweep(now());
        done[rule.name] = swept;
        if (swept.files > 0) log.info(`swept ${swept.files} files (${swept.bytes} bytes) of ${rule.name}`);
      } catch (error) {
        log.warn(`sweeping ${rule.name} failed`, error);
      }
    }
    return done;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }
}
