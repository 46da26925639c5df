// Counts the daemon's calls, hosts and tasks, and ends it after a period without any.
import { monotonicMs, every } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';

const SHORTEST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 60_000;

export class DaemonActivity {
  readonly #tasks: () => number;
  #calls = 0;
  #hosts = 0;
  #lastBusyAt = monotonicMs();

  constructor(tasks: () => number) {
    this.#tasks = tasks;
  }

  /** The current number of calls, hosts and tasks. */
  get now(): { readonly calls: number; readonly hosts: number; readonly tasks: number } {
    return { calls: this.#calls, hosts: this.#hosts, tasks: this.#tasks() };
  }

  get busy(): boolean {
    const { calls, hosts, tasks } = this.now;
    return calls + hosts + tasks > 0;
  }

  /** Time since the last call, host or task. */
  get idleMs(): number {
    if (this.busy) this.#lastBusyAt = monotonicMs();
    return monotonicMs() - this.#lastBusyAt;
  }

  /** Wraps `call` to count each call. */
  counted(call: Engine['call']): Engine['call'] {
    return async (request) => {
      this.#calls++;
      try {
        return await call(request);
      } finally {
        this.#calls--;
        this.#lastBusyAt = monotonicMs();
      }
    };
  }

  /** Counts a host until the returned function is called. */
  host(): () => void {
    this.#hosts++;
    return () => {
      this.#hosts--;
      this.#lastBusyAt = monotonicMs();
    };
  }
}

/** Calls `onIdle` after `idleMs` without work; 0 means never. */
export const watchIdle = (
  occupation: DaemonActivity,
  idleMs: number,
  onIdle: () => void,
): Disposable => {
  if (idleMs === 0) return { [Symbol.dispose]: () => {} };
  const lookMs = Math.min(Math.max(idleMs / 10, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
  return every(lookMs, () => {
    if (occupation.idleMs >= idleMs) onIdle();
  });
};
