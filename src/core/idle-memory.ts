// Gives memory back while a process has no work: V8 alone keeps the garbage of a burst of calls
// until it needs the space.
import { after } from './time.ts';

/**
 * Shorter than the pause of a model between two calls, longer than the pauses inside of a burst.
 */
const IDLE_MS = 400;
/** A collection takes 10 to 50 ms, so it must be worth it. */
const GROWN_BYTES = 12 * 1024 * 1024;

export class IdleMemory {
  #running = 0;
  #settledBytes = 0;
  #timer: Disposable | undefined;
  readonly #collect: () => Promise<void>;
  readonly #residentBytes: () => number;

  constructor(collect = collectGarbage, residentBytes = (): number => process.memoryUsage.rss()) {
    this.#collect = collect;
    this.#residentBytes = residentBytes;
  }

  /** Runs `work`, during which no memory is collected by this class. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#timer?.[Symbol.dispose]();
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#timer = after(IDLE_MS, () => void this.#settle());
    }
  }

  async #settle(): Promise<void> {
    if (this.#residentBytes() < this.#settledBytes + GROWN_BYTES) return;
    await this.#collect();
    this.#settledBytes = this.#residentBytes();
  }
}

/** A full collection through V8's own inspector protocol, which needs no flag. */
const collectGarbage = async (): Promise<void> => {
  const { Session } = await import('node:inspector');
  const session = new Session();
  session.connect();
  await new Promise((done) => session.post('HeapProfiler.collectGarbage', done));
  session.disconnect();
};
