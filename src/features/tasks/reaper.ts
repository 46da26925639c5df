// Ends the tasks of dead processes and saves their partial results.
import { fail } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { monotonicMs } from '../../core/time.ts';
import {
  ENVELOPE_KIND,
  type TaskLedger,
  type TaskMeta,
  type TaskOwners,
} from '../../store/tasks/task-ledger.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import type { Processes, ProcessIdentity, ProcessState } from '../../system/process-identity.ts';
import type { Assemble, TaskEnd, TaskKind } from './kind.ts';
import { advance, findReportedEnd, hasEnded, type TaskStep } from './task-state.ts';

// Checks whether a task's process is alive; on another machine, by the row's last update.

/**
 * Running tasks touch their row this often, for processes on other machines or in other containers.
 */
export const BEAT_MS = 60_000;
const SILENT_MS = 5 * BEAT_MS;
/** How long a process state is cached; longer on platforms where the check starts a process. */
const FRESH_MS = process.platform === 'linux' ? 2_000 : 15_000;

export class Owners implements TaskOwners {
  readonly #store: Pick<TaskStore, 'touchedAt'>;
  readonly #processes: Processes;
  readonly #states = new Map<
    string,
    { readonly at: number; readonly state: Promise<ProcessState> }
  >();

  constructor(store: Pick<TaskStore, 'touchedAt'>, processes: Processes) {
    this.#store = store;
    this.#processes = processes;
  }

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

// Saves the partial result of a task that did not complete.

interface PartialResultContext {
  readonly store: TaskLedger;
  readonly log: Log;
  /** Removes text that people cannot see. */
  readonly sanitiseLarge: <T>(data: T) => Promise<T>;
}

/**
 * Returns the path of the result; undefined if there is none. Logs errors instead of throwing, so
 * that the task can end.
 */
export const savePartialResult = async (
  { store, log, sanitiseLarge }: PartialResultContext,
  assemble: Assemble | undefined,
  id: string,
  end: TaskEnd,
): Promise<string | undefined> => {
  try {
    const result = await assemble?.(store.files(id), end);
    if (result === undefined) return undefined;
    return await store.savePartialResult(id, await sanitiseLarge(result));
  } catch (error) {
    log.warn(`the partial result of task ${id} could not be saved`, error);
    return undefined;
  }
};

/** Tasks that are ended in parallel, because each one waits for the disk. */
const REAPED_AT_ONCE = 32;

interface ReaperOptions {
  readonly store: TaskLedger;
  readonly owners: TaskOwners;
  readonly kinds: readonly TaskKind[];
  readonly sanitiseLarge: <T>(data: T) => Promise<T>;
  readonly log: Log;
}

export class Reaper {
  readonly #options: ReaperOptions;

  constructor(options: ReaperOptions) {
    this.#options = options;
  }

  /** Ends all orphaned tasks and calls `onRow` for every readable task. */
  async sweep(onRow: (meta: TaskMeta) => void): Promise<void> {
    const { store } = this.#options;
    const open: TaskMeta[] = [];
    const reapOpen = async (): Promise<void> => {
      for (const meta of await Promise.all(open.splice(0).map((row) => this.reap(row))))
        onRow(meta);
    };
    for await (const { row } of store.scan()) {
      if ('unreadable' in row) continue;
      if (hasEnded(row.meta)) onRow(row.meta);
      else if (open.push(row.meta) === REAPED_AT_ONCE) await reapOpen();
    }
    await reapOpen();
  }

  /**
   * Ends the task if its process is gone. Returns the current row, also if the task could not be
   * ended.
   */
  async reap(meta: TaskMeta): Promise<TaskMeta> {
    if (hasEnded(meta) || meta.kind === ENVELOPE_KIND || !(await this.#options.owners.isGone(meta)))
      return meta;
    return this.#end(meta).catch((error: unknown) => {
      this.#options.log.warn(
        `task ${meta.task_id} has no running process and could not be ended`,
        error,
      );
      return meta;
    });
  }

  async #end({ task_id: id, kind, pid }: TaskMeta): Promise<TaskMeta> {
    const { store, log } = this.#options;
    const reportedEnd = await this.#findReportedEnd(id);
    const step = reportedEnd ?? (await this.#orphaned(id, kind, pid));
    const ended = await store.change(id, (now) => {
      if (hasEnded(now)) return undefined; // another process has ended it
      const { meta, event } = advance(now, step, Date.now());
      return reportedEnd || !event ? { meta } : { meta, event };
    });
    log.info(`task ${id} (${kind}) lost its process ${pid}: ${ended.status}`);
    return ended;
  }

  /**
   * Returns the end that is in the history but not in the row, because the process died in between.
   */
  async #findReportedEnd(id: string): Promise<TaskStep | undefined> {
    const [last] = await this.#options.store.tail(id, 1);
    return last && findReportedEnd(last);
  }

  async #orphaned(id: string, kindName: string, pid: number): Promise<TaskStep> {
    const { code, message } = fail('orphaned', `Process ${pid}, which ran this task, has exited.`);
    const kind = this.#options.kinds.find(({ name }) => name === kindName);
    const resultPath = await savePartialResult(this.#options, kind?.assemble, id, {
      status: 'FAILED',
      code,
    });
    return { type: 'fail', error: { code, message }, resultPath };
  }
}
