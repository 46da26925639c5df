// A typed event emitter; a listener that throws does not stop the other listeners.

import { getOrCreate } from './collections.ts';

export type Unsubscribe = () => void;

/**
 * An error of one event listener. It becomes an `uncaughtException` that is logged and does not end
 * the process: pages cause most events, so that a page could otherwise restart the engine.
 */
export class ListenerError extends Error {
  constructor(override readonly cause: unknown) {
    super(`An event listener failed: ${String(cause)}`);
  }
}

const rethrow = (error: unknown): void =>
  queueMicrotask(() => {
    throw new ListenerError(error);
  });

/** Runs `work` and reports its error as a `ListenerError`, so that the caller's loop continues. */
export const runIsolated = (work: () => void): void => {
  try {
    work();
  } catch (error) {
    rethrow(error);
  }
};

/** Like `runIsolated`, for the promise of an asynchronous listener. */
export const detach = (work: Promise<void>): void => void work.catch(rethrow);

export class Events<Payloads extends object> {
  readonly #listeners = new Map<keyof Payloads, Set<(payload: never) => void>>();

  on<K extends keyof Payloads>(name: K, listener: (payload: Payloads[K]) => void): Unsubscribe {
    const set = getOrCreate(this.#listeners, name, () => new Set());
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
