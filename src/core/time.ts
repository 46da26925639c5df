// All timers: deadlines, abortable sleeps, intervals, and a clock that never runs backwards.
import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fail, type Failure } from './failure.ts';

/** Monotonic milliseconds, for durations. */
export const monotonicMs = (): number => performance.now();

/**
 * Resolves after `ms`, or rejects with the signal's reason. For back-off, and for polling state
 * that has no events.
 */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

/**
 * Settles like `work`, or rejects with the signal's reason as soon as it aborts; `work` itself is
 * not stopped.
 */
export const abortable = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) {
      work.catch(() => {}); // its outcome no longer matters
      return stop();
    }
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
};

/** Waits until `work` has settled either way, but no longer than `ms`. Never rejects. */
export const settlesWithin = async (work: Promise<unknown>, ms: number): Promise<void> => {
  const done = new AbortController();
  const settled = work.then(
    () => {},
    () => {},
  );
  await Promise.race([settled, sleep(ms, done.signal).catch(() => {})]);
  done.abort();
};

/**
 * A deadline for one piece of work: its signal aborts when time is up or when the parent signal
 * aborts.
 */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #endsAt: number;
  /** The time that remained when the deadline was paused; undefined while it runs. */
  #leftMs: number | undefined;
  #pauses = 0;
  readonly #unlink: () => void;

  constructor(
    readonly ms: number,
    onExpire: () => Failure = () => fail('timeout', `No response within ${ms} ms.`),
    parent?: AbortSignal,
  ) {
    // Every wait within this work adds a listener to the signal.
    setMaxListeners(0, this.#controller.signal);
    this.#expire = () => this.#controller.abort(onExpire());
    this.#endsAt = monotonicMs() + ms;
    this.#start(ms);
    const follow = (): void => this.#controller.abort(parent?.reason);
    if (parent?.aborted) follow();
    else parent?.addEventListener('abort', follow, { once: true });
    this.#unlink = () => parent?.removeEventListener('abort', follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #start(ms: number): void {
    this.#timer = setTimeout(this.#expire, ms);
    this.#timer.unref?.();
  }

  get remainingMs(): number {
    return this.#leftMs ?? Math.max(0, this.#endsAt - monotonicMs());
  }

  /** Stops the clock until the result is disposed: the work waits for the user. */
  pause(): Disposable {
    if (this.#pauses++ === 0) {
      this.#leftMs = this.remainingMs;
      clearTimeout(this.#timer);
    }
    return { [Symbol.dispose]: () => this.#resume() };
  }

  #resume(): void {
    if (--this.#pauses > 0 || this.#leftMs === undefined) return;
    const ms = this.#leftMs;
    this.#leftMs = undefined;
    this.#endsAt = monotonicMs() + ms;
    this.#start(ms);
  }

  /**
   * Time for the work itself: keeps `endMs` to return the results, but at most half of the
   * remaining time.
   */
  workMs(endMs: number): number {
    return Math.max(this.remainingMs - endMs, this.remainingMs / 2);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  [Symbol.dispose](): void {
    this.#pauses = Infinity; // a pause that ends later must not start the clock again
    clearTimeout(this.#timer);
    this.#unlink();
  }
}

/**
 * Runs `task` every `everyMs` until disposed. Skips a run while the previous one is still running;
 * does not keep the process alive.
 */
export const every = (everyMs: number, task: () => Promise<void> | void): Disposable => {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void Promise.resolve()
      .then(task)
      .catch(() => {})
      .finally(() => (running = false));
  }, everyMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
};

/** Calls `task` once after `ms` unless disposed before; does not keep the process alive. */
export const after = (ms: number, task: () => void): Disposable => {
  const timer = setTimeout(task, ms);
  timer.unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
};

/** Calls `task` after the current event and its promises have been handled. */
export const afterThisTurn = (task: () => void): void => {
  setImmediate(task);
};

interface IdleOptions {
  /** Work besides the counted one. */
  readonly isBusy: () => boolean;
  readonly onIdle: () => Promise<void>;
}

const MAX_IDLE_CHECK_MS = 30_000;

/** Calls `onIdle` after `idleMs` without work, once per idle time; 0 means never. */
export class IdleTimer {
  readonly #timer: Disposable | undefined;
  #running = 0;
  #lastBusyAt = monotonicMs();
  #isDone = true;

  constructor(idleMs: number, { isBusy, onIdle }: IdleOptions) {
    if (idleMs <= 0) return;
    this.#timer = every(Math.min(idleMs / 4, MAX_IDLE_CHECK_MS), async () => {
      if (this.#running > 0 || isBusy()) this.#lastBusyAt = monotonicMs();
      if (this.#isDone || monotonicMs() - this.#lastBusyAt < idleMs) return;
      this.#isDone = true;
      await onIdle();
    });
  }

  /** Counts the work while it runs. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    this.#isDone = false;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#lastBusyAt = monotonicMs();
    }
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}

/** Wall-clock milliseconds that never decrease, even if the system clock steps back. */
export const createSteadyClock = (now: () => number = Date.now): (() => number) => {
  let last = 0;
  return () => (last = Math.max(last, now()));
};

// Divides long work on the main thread into slices, so that other calls run between them.

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
