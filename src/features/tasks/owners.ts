// Checks whether a task's process is alive; on another machine, by the row's last update.
import type { Processes, ProcessIdentity, ProcessState } from '../../system/process-identity.ts';
import { monotonicMs } from '../../core/time.ts';
import type { TaskMeta } from '../../store/tasks/task-meta.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';

/**
 * Running tasks touch their row this often, for processes on other machines or in other containers.
 */
export const BEAT_MS = 60_000;
const SILENT_MS = 5 * BEAT_MS;
/** How long a process state is cached; longer on platforms where the check starts a process. */
const FRESH_MS = process.platform === 'linux' ? 2_000 : 15_000;

export class Owners {
  readonly #store: TaskStore;
  readonly #processes: Processes;
  readonly #states = new Map<
    string,
    { readonly at: number; readonly state: Promise<ProcessState> }
  >();

  constructor(store: TaskStore, processes: Processes) {
    this.#store = store;
    this.#processes = processes;
  }

  /** Returns the row fields that identify this process. */
  ownFields(): Pick<TaskMeta, 'pid' | 'process_started_at' | 'process'> {
    const { pid, started, host } = this.#processes.own;
    return {
      pid,
      process_started_at: Math.round(performance.timeOrigin),
      process: { started, host },
    };
  }

  async isGone(meta: TaskMeta): Promise<boolean> {
    const owner = this.#readOwner(meta);
    if (isSame(owner, this.#processes.own)) return false;
    const state = await this.#findState(owner);
    if (state !== 'elsewhere') return state === 'gone';
    return Date.now() - (await this.#store.touchedAt(meta.task_id)) > SILENT_MS;
  }

  #readOwner({ pid, process_started_at: startedAt, process }: TaskMeta): ProcessIdentity {
    return {
      pid,
      started: process?.started ?? String(startedAt),
      host: process?.host ?? this.#processes.own.host,
    };
  }

  #findState(owner: ProcessIdentity): Promise<ProcessState> {
    const key = JSON.stringify(owner);
    const known = this.#states.get(key);
    if (known && monotonicMs() - known.at < FRESH_MS) return known.state;
    if (this.#states.size > 1000) this.#states.clear();
    const state = this.#processes.stateOf(owner);
    this.#states.set(key, { at: monotonicMs(), state });
    return state;
  }
}

const isSame = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.pid === b.pid && a.started === b.started && a.host === b.host;
