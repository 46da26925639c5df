// Collects items that are added while a statement runs, and saves them together in the next one.

interface WaitingItem<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class BatchedWrites<T> {
  readonly #save: (items: readonly T[]) => Promise<void>;
  readonly #countFitting: (items: readonly T[]) => number;
  readonly #waiting: WaitingItem<T>[] = [];
  #isSaving = false;

  /** `countFitting`: how many of the first items fit into one statement; at least one. */
  constructor(
    save: (items: readonly T[]) => Promise<void>,
    countFitting: (items: readonly T[]) => number = (items) => items.length,
  ) {
    this.#save = save;
    this.#countFitting = countFitting;
  }

  /** Resolves when the item is committed. Items are saved in the order of the calls. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isSaving) void this.#saveAll();
    });
  }

  async #saveAll(): Promise<void> {
    this.#isSaving = true;
    await Promise.resolve(); // items of the same turn are saved together
    while (this.#waiting.length > 0) {
      const count = this.#countFitting(this.#waiting.map(({ item }) => item));
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
