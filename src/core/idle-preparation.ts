// Prepares later calls once, in the first pause between calls that is long enough.
import { after } from './time.ts';

/** Shorter than the pause of a model between two calls, and longer than those of most programs. */
const IDLE_MS = 250;

interface IdlePreparationOptions {
  /** Whether the preparation is useful already; checked in each pause until it has run. */
  readonly isDue: () => boolean;
  readonly prepare: () => void;
}

export class IdlePreparation implements Disposable {
  readonly #options: IdlePreparationOptions;
  #running = 0;
  #isDone = false;
  #timer: Disposable | undefined;

  constructor(options: IdlePreparationOptions) {
    this.#options = options;
  }

  /** Runs a call. The preparation does not start while a call runs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#timer?.[Symbol.dispose]();
    try {
      return await work();
    } finally {
      if (--this.#running === 0 && !this.#isDone) this.#timer = after(IDLE_MS, () => this.#check());
    }
  }

  #check(): void {
    if (!this.#options.isDue()) return;
    this.#isDone = true;
    this.#options.prepare();
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    this.#timer?.[Symbol.dispose]();
  }
}
