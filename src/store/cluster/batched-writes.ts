// Collects items that are added while a statement runs, and saves them together in the next one.
import { sleep } from '../../core/time.ts';

interface WaitingItem<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface BatchOptions<T> {
  /** How many of the first items fit into one statement; at least one. Default: all. */
  readonly countFitting?: (items: readonly T[]) => number;
  /** How long to wait for further items before each statement. */
  readonly windowMs?: number;
}

export class BatchedWrites<T> {
  readonly #save: (items: readonly T[]) => Promise<void>;
  readonly #options: BatchOptions<T>;
  readonly #waiting: WaitingItem<T>[] = [];
  #isSaving = false;

  constructor(save: (items: readonly T[]) => Promise<void>, options: BatchOptions<T> = {}) {
    this.#save = save;
    this.#options = options;
  }

  /** Resolves when the item is committed. Items are saved in the order of the calls. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isSaving) void this.#saveAll();
    });
  }

  async #saveAll(): Promise<void> {
    const { windowMs = 0, countFitting = (items) => items.length } = this.#options;
    this.#isSaving = true;
    while (this.#waiting.length > 0) {
      // Items of the same turn, or of the window, are saved together.
      await (windowMs > 0 ? sleep(windowMs) : Promise.resolve());
      const count = countFitting(this.#waiting.map(({ item }) => item));
      const batch = this.#waiting.splice(0, count);
      try {
        await this.#save(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isSaving = false;
  }
}
