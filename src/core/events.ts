// A typed event emitter; a listener that throws does not stop the other listeners.

export type Unsubscribe = () => void;

/**
 * Runs `work` and rethrows its error in a microtask, so that the caller's loop continues. The error
 * becomes an `uncaughtException`, after which the process shuts down cleanly.
 */
export const runIsolated = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};

export class Events<Payloads extends object> {
  readonly #listeners = new Map<keyof Payloads, Set<(payload: never) => void>>();

  on<K extends keyof Payloads>(name: K, listener: (payload: Payloads[K]) => void): Unsubscribe {
    let set = this.#listeners.get(name);
    if (!set) this.#listeners.set(name, (set = new Set()));
    set.add(listener);
    return () => set.delete(listener);
  }

  /**
   * Resolves with the next payload that passes `test`; rejects with an error of `test`, or with the
   * signal's reason if it aborts first.
   */
  next<K extends keyof Payloads>(
    name: K,
    test: (payload: Payloads[K]) => boolean = () => true,
    signal?: AbortSignal,
  ): Promise<Payloads[K]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const done = (): void => {
        off();
        signal?.removeEventListener('abort', stop);
      };
      const stop = (): void => {
        done();
        reject(signal?.reason as Error);
      };
      const off = this.on(name, (payload) => {
        try {
          if (!test(payload)) return;
          resolve(payload);
        } catch (error) {
          reject(error);
        }
        done();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  emit<K extends keyof Payloads>(name: K, payload: Payloads[K]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      runIsolated(() => (listener as (payload: Payloads[K]) => void)(payload));
    }
  }

  /** Removes every listener. */
  clear(): void {
    this.#listeners.clear();
  }
}
