// Samples the event loop and the memory at intervals, and keeps those of the last hour.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { defined } from '../../core/defined.ts';
import { Events } from '../../core/events.ts';
import { every } from '../../core/time.ts';
import type { Engine } from '../../pipeline/engine.ts';
import { measureGroupMemory } from '../../system/linux-process.ts';
import type { SampleRow } from './messages.ts';

const EVERY_MS = 15_000;
const KEPT = 240;
const RESOLUTION_MS = 100;
const MB = 1024 * 1024;

export class Samples implements Disposable {
  readonly events = new Events<{ added: SampleRow }>();
  readonly #health: Engine['health'];
  readonly #delays: IntervalHistogram;
  readonly #timer: Disposable;
  #kept: SampleRow[] = [];

  constructor(health: Engine['health']) {
    this.#health = health;
    this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delays.enable();
    this.#timer = every(EVERY_MS, () => this.#add());
  }

  /** Oldest first; one sample for each interval of the last hour. */
  get all(): readonly SampleRow[] {
    return this.#kept;
  }

  async #add(): Promise<void> {
    const { chrome } = this.#health();
    const chromeBytes =
      chrome?.pid === undefined ? undefined : await measureGroupMemory(chrome.pid);
    const longest = this.#delays.count === 0 ? 0 : this.#delays.max / 1e6 - RESOLUTION_MS;
    this.#delays.reset();
    const sample: SampleRow = defined({
      ts: Date.now(),
      delayMs: Math.max(0, Math.round(longest)),
      serverMb: Math.round(process.memoryUsage.rss() / MB),
      chromeMb: chromeBytes === undefined ? undefined : Math.round(chromeBytes / MB),
    });
    this.#kept = [...this.#kept.slice(1 - KEPT), sample];
    this.events.emit('added', sample);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#delays.disable();
  }
}
