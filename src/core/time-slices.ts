// Divides long work on the main thread into slices, so that other calls run between them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from './time.ts';

const SLICE_MS = 8;

/** One per piece of work. Call `pause` between two steps if `isOver`. */
export class TimeSlices {
  readonly #signal: AbortSignal | undefined;
  #endsAt = monotonicMs() + SLICE_MS;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True if the current slice has used up its time. */
  get isOver(): boolean {
    return monotonicMs() >= this.#endsAt;
  }

  /** Lets pending events run. Throws the signal's reason if the work was cancelled meanwhile. */
  async pause(): Promise<void> {
    await nextTurn();
    this.#signal?.throwIfAborted();
    this.#endsAt = monotonicMs() + SLICE_MS;
  }
}
