// Runs a garbage collection while the process is idle: V8 alone keeps garbage until it needs space.
import { after } from './time.ts';

/**
 * Shorter than a model's pause between two calls, longer than the pauses within a burst of calls.
 */
const IDLE_MS = 400;
/** Heap growth that triggers a collection, which takes 10 to 50 ms. */
const GROWN_BYTES = 8 * 1024 * 1024;

export class IdleMemory {
  #running = 0;
  #settledBytes = 0;
  #timer: Disposable | undefined;
  readonly #collect: () => Promise<void>;
  readonly #residentBytes: () => number;

  constructor(collect = collectGarbage, residentBytes = (): number => process.memoryUsage.rss()) {
    this.#collect = collect;
    this.#residentBytes = residentBytes;
    this.#settleLater(); // loading the program leaves garbage too
  }

  /** Runs `work`; no collection starts while it runs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#timer?.[Symbol.dispose]();
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#settleLater();
    }
  }

  #settleLater(): void {
    this.#timer = after(IDLE_MS, () => void this.#settle());
  }

  async #settle(): Promise<void> {
    if (this.#residentBytes() < this.#settledBytes + GROWN_BYTES) return;
    await this.#collect();
    this.#settledBytes = this.#residentBytes();
  }
}

/** Runs a full collection through V8's inspector protocol, which needs no flag. */
const collectGarbage = async (): Promise<void> => {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  await new Promise((done) => session.post('HeapProfiler.collectGarbage', done));
  session.disconnect();
};
