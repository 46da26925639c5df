// Runs the calls on one tab in order of arrival; a cancelled call leaves the queue.

export class Queue {
  #last: Promise<void> = Promise.resolve();
  #running: string | undefined;

  /** Name of the running call, for the messages of calls that wait. */
  get running(): string | undefined {
    return this.#running;
  }

  /**
   * Runs `work` after all earlier calls have ended; rejects with the signal's reason if it aborts
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
    // The next call waits for all earlier ones, even if this one was cancelled in the queue.
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
