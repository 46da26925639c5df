// Runs a garbage collection while the process is idle, and rarely while it is busy: V8 alone keeps
// garbage until it needs space.
import { after, monotonicMs } from './time.ts';

interface IdleStage {
  /** Time without work before this stage, after the stage before it. */
  readonly idleMs: number;
  /** Growth of the memory that triggers a collection, which takes 10 to 50 ms. */
  readonly grownBytes: number;
}

const MIB = 1024 * 1024;

/**
 * The first stage is shorter than a model's pause between two calls, and longer than the pauses
 * within a burst of calls. In the second one a call is unlikely to arrive during the collection.
 */
const STAGES: readonly IdleStage[] = [
  { idleMs: 400, grownBytes: 8 * MIB },
  { idleMs: 2000, grownBytes: 2 * MIB },
];

/** Work without pauses reaches no stage; its memory would grow to several times of what it needs. */
const BUSY = { everyMs: 30_000, grownBytes: 64 * MIB };

export class IdleMemory {
  #running = 0;
  #settledBytes = 0;
  #checkedAt = monotonicMs();
  #timer: Disposable | undefined;
  readonly #collect: () => Promise<void>;
  readonly #residentBytes: () => number;

  constructor(collect = collectGarbage, residentBytes = (): number => process.memoryUsage.rss()) {
    this.#collect = collect;
    this.#residentBytes = residentBytes;
    this.#settleLater(); // loading the program leaves garbage too
  }

  /** Runs `work`. A collection starts while it runs only if other work has left no pause. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#timer?.[Symbol.dispose]();
    try {
      return await work();
    } finally {
      if (--this.#running === 0) this.#settleLater();
      else if (monotonicMs() - this.#checkedAt >= BUSY.everyMs) void this.#settleBusy();
    }
  }

  async #settleBusy(): Promise<void> {
    this.#checkedAt = monotonicMs();
    if (this.#residentBytes() >= this.#settledBytes + BUSY.grownBytes) await this.#runCollection();
  }

  #settleLater([stage, ...later]: readonly IdleStage[] = STAGES): void {
    this.#timer?.[Symbol.dispose]();
    if (stage) this.#timer = after(stage.idleMs, () => void this.#settle(stage, later));
  }

  async #settle({ grownBytes }: IdleStage, later: readonly IdleStage[]): Promise<void> {
    const residentBytes = this.#residentBytes();
    // memory that was released since the last collection, such as that of a thread
    this.#settledBytes = Math.min(this.#settledBytes, residentBytes);
    if (residentBytes < this.#settledBytes + grownBytes) return this.#settleLater(later);
    await this.#runCollection();
  }

  async #runCollection(): Promise<void> {
    await this.#collect();
    this.#settledBytes = this.#residentBytes();
    this.#checkedAt = monotonicMs();
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
