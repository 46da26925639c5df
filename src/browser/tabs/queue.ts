// Calls on one tab run in order: whoever came first goes first, and one that gives up waiting
// leaves the line.

export class Queue {
  #last: Promise<void> = Promise.resolve();
  #running: string | undefined;

  /** What holds the tab now, for messages to those who wait. */
  get running(): string | undefined {
    return this.#running;
  }

  /**
   * Runs `work` when everything before it has ended; rejects with the signal's reason if that comes
   * first.
   */
  run<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last;
    const result = this.#turn(before, signal).then(async () => {
      this.#running = name;
      try {
        return await work();
      } finally {
        this.#running = undefined;
      }
    });
    // Whoever comes next waits for all before, also where this one gave up in the line.
    this.#last = Promise.allSettled([before, result]).then(() => {});
    return result;
  }

  #turn(before: Promise<void>, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const stop = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      void before.then(() => {
        signal.removeEventListener('abort', stop);
        if (signal.aborted) reject(signal.reason as Error);
        else resolve();
      });
    });
  }
}
