// Starts, lists, shows, cancels and waits for tasks, also those of other processes with this home.
import { ifDefined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { Deadline, monotonicMs, settlesWithin, sleep } from '../../core/time.ts';
import type { PayloadWriter } from '../../store/files/payload-writer.ts';
import {
  ENVELOPE_KIND,
  type SavedResult,
  type TaskEvent,
  type TaskLedger,
  type TaskMeta,
  type TaskOwners,
} from '../../store/tasks/task-ledger.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import {
  TaskListing,
  showTask,
  summariseArgs,
  type TaskFilter,
  type TaskList,
} from './task-view.ts';
import type { CallOutcome } from './envelope-record.ts';
import {
  Envelopes,
  type EnvelopeShown,
  type EnvelopeStart,
  type EnvelopeUpdate,
} from './envelopes.ts';
import type { RemoteVisits, TaskKind } from './kind.ts';
import { Reaper } from './reaper.ts';
import type { TaskLease, TaskLeases } from '../../store/cluster/cluster-store.ts';
import { Slots } from './slots.ts';
import { advance, hasEnded } from './task-state.ts';
import { LedTask, type TaskBeginning, TaskStart, TaskSubmission } from './task-beginning.ts';

/** Number of tasks that one engine runs at a time; further ones wait as PENDING. */
const AT_ONCE = 16;
/** How long `cancel` and `stop` wait for the work to end. */
const STOP_MS = 2_000;
/** How long the work may take to return its result after a request to end early. */
const FINISH_MS = 30_000;
/** How long to wait for the first progress report. */
const PROGRESS_MS = 5_000;
const EVENTS_SHOWN = 20;
/** Shortest time between two reports of changes. */
const REPORT_MS = 100;

/** The tool call that does the work of a task; it runs through the normal pipeline. */
export interface TaskCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly session: string;
  readonly folder?: string | undefined;
  readonly signal: AbortSignal;
  /** Begins when the call has passed its checks. */
  readonly task: TaskBeginning;
}

/** The workers that run distributed tasks. */
interface TaskCluster {
  readonly leases: TaskLeases;
  /** A hash of the settings that limit calls. */
  readonly limits: string;
  /** Throws if no worker takes tasks of this process. */
  readonly requireWorker: () => Promise<void>;
}

/** A task of the cluster that this process leads. */
interface TaskLead {
  readonly lease: TaskLease;
  readonly visits: RemoteVisits;
  /** Aborts when this process must not lead the task any more. */
  readonly signal: AbortSignal;
}

interface TasksOptions {
  readonly store: TaskLedger;
  readonly owners: TaskOwners;
  /** Undefined on one machine. */
  readonly cluster?: TaskCluster | undefined;
  readonly kinds: readonly TaskKind[];
  /** Never rejects: errors are in `failure`. */
  readonly call: (call: TaskCall) => Promise<{ readonly failure?: Failure }>;
  readonly writer: PayloadWriter;
  /** Removes text that people cannot see. */
  readonly sanitise: <T>(data: T) => T;
  /** As `sanitise`, for data of any size. */
  readonly sanitiseLarge: <T>(data: T) => Promise<T>;
  readonly log: Log;
}

export interface StartRequest {
  readonly kind: string;
  readonly args: unknown;
  readonly session: string;
  /** The caller's working folder, which relative paths in `args` are resolved against. */
  readonly folder?: string | undefined;
  /** Id of an ended task of the same kind to continue. */
  readonly resumeFrom?: string | undefined;
}

export interface TaskWaitOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called after each possible change of the row, and at intervals. */
  readonly tell?: (meta: TaskMeta, elapsedMs: number) => void;
}

export interface TaskDetails {
  readonly meta: TaskMeta;
  /** The last events, oldest first. */
  readonly events: readonly TaskEvent[];
  /** Only for envelopes. */
  readonly envelope?: EnvelopeShown;
}

export class Tasks {
  readonly #options: TasksOptions;
  readonly #store: TaskLedger;
  readonly #reaper: Reaper;
  readonly #listing: TaskListing;
  /** Tasks that the client drives itself. */
  readonly envelopes: Envelopes;
  readonly #slots = new Slots(AT_ONCE);
  readonly #running = new Map<
    TaskBeginning,
    { readonly session: string; readonly work: Promise<unknown> }
  >();
  #swept: Promise<void> | undefined;
  #stopped = false;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#reaper = new Reaper(options);
    this.#listing = new TaskListing(options.store);
    this.envelopes = new Envelopes(options);
  }

  /** Number of tasks of this engine, pending ones included. */
  get running(): number {
    return this.#running.size;
  }

  /** Number of tasks that the session started. */
  runningIn(session: string): number {
    return [...this.#running.values()].filter((started) => started.session === session).length;
  }

  /**
   * Returns after the row is written; throws if the call itself is invalid, without writing a row.
   */
  async start({ kind: name, args, session, folder, resumeFrom }: StartRequest): Promise<TaskMeta> {
    const kind = this.#requireKind(name);
    await this.#ready();
    const previous = resumeFrom === undefined ? undefined : await this.#kept(kind, resumeFrom);
    if (this.#stopped)
      throw fail('engine_stopped', 'The engine is stopping and does not start new tasks.');
    const argsSummary = summariseArgs(this.#options.writer.clean(args));
    const { cluster } = this.#options;
    const task =
      cluster && isDistributed(kind, args)
        ? new TaskSubmission(
            { ...this.#options, ...cluster },
            { kind, argsSummary },
            { arguments: args, resumeFrom },
          )
        : new TaskStart({ ...this.#options, slots: this.#slots }, { kind, argsSummary, previous });
    const work = this.#work(task, { name, arguments: args, session, folder });
    const rejected = work.then(({ failure }): never => {
      throw failure ?? new Error(`${name} did not create a task`);
    });
    rejected.catch(() => {}); // the failure of a begun task is in its row
    return Promise.race([task.begun, rejected]);
  }

  /** Leads a task of the cluster until it ends or the signal aborts. */
  async lead({ lease, visits, signal }: TaskLead): Promise<void> {
    const { cluster } = this.#options;
    if (!cluster) throw new Error('only a member of a cluster leads tasks');
    const { arguments: args, session, resumeFrom } = lease.call;
    const kind = this.#requireKind(lease.kind);
    const previous = ifDefined(resumeFrom, (id) => this.#store.files(id));
    const store = cluster.leases.bind(lease);
    const task = new LedTask({ ...this.#options, store }, { kind, previous, visits }, lease);
    const stop = (): void =>
      task.abort(fail('engine_stopped', `This worker no longer leads task ${lease.taskId}.`));
    if (signal.aborted) return;
    signal.addEventListener('abort', stop, { once: true });
    const call = { name: kind.name, arguments: args, session };
    const { failure } = await this.#work(task, call).finally(() =>
      signal.removeEventListener('abort', stop),
    );
    if (failure) await task.reject(failure);
  }

  async update(id: string, change: EnvelopeUpdate): Promise<TaskMeta> {
    await this.#look(id);
    return this.envelopes.update(id, change);
  }

  async finish(id: string, outcome: CallOutcome, note: string | undefined): Promise<TaskMeta> {
    await this.#look(id);
    return this.envelopes.finish(id, outcome, note);
  }

  /** Starts no work: the client works on the task, call by call. */
  async startEnvelope(start: EnvelopeStart): Promise<TaskMeta> {
    await this.#ready();
    return this.envelopes.start(start);
  }

  async #work(
    task: TaskBeginning,
    call: Pick<TaskCall, 'name' | 'arguments' | 'session' | 'folder'>,
  ): Promise<{ failure?: Failure }> {
    const work = this.#options.call({
      ...call,
      signal: task.signal,
      task,
    });
    this.#running.set(task, { session: call.session, work });
    try {
      return await work;
    } finally {
      this.#running.delete(task);
    }
  }

  async list(filter: TaskFilter): Promise<TaskList> {
    await this.#ready();
    return this.#listing.list(filter, (meta) => this.#current(meta));
  }

  /** Ids that start with these characters, newest first. */
  async findIds(start: string, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of this.#store.scan({ skip: (one) => !one.startsWith(start) })) {
      ids.push(id);
      if (ids.length >= limit) break;
    }
    return ids;
  }

  /**
   * Calls `onChange` after each change of a task, also by other processes, until it is disposed.
   * Throws if the task does not exist.
   */
  async watch(id: string, onChange: () => void): Promise<Disposable> {
    const ended = new AbortController();
    const first = await this.#readMarks(id);
    // Ends when it is disposed, or if the task was removed.
    this.#follow(id, first, onChange, ended.signal).catch(() => {});
    return { [Symbol.dispose]: () => ended.abort() };
  }

  async #follow(
    id: string,
    first: string,
    onChange: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    using changes = this.#store.watch(id);
    for (let last = first; ;) {
      const changed = changes.next(signal);
      changed.catch(() => {}); // unused if the task has changed since the last look
      const marks = await this.#readMarks(id);
      if (marks === last) await changed;
      else {
        last = marks;
        onChange();
        await sleep(REPORT_MS, signal);
      }
    }
  }

  /** Equal texts mean an unchanged task. */
  async #readMarks(id: string): Promise<string> {
    const { meta, events } = await this.get(id);
    return JSON.stringify([meta, events]);
  }

  /** Returns the row for clients, with the current budget of an envelope. */
  async show(meta: TaskMeta): Promise<object> {
    const shown = showTask(meta);
    if (meta.kind !== ENVELOPE_KIND) return shown;
    try {
      const { signals: _s, reply_tokens: _t, ...budget } = await this.envelopes.show(meta);
      return { ...shown, ...budget };
    } catch (error) {
      // one unreadable envelope must not hide the other tasks
      if (error instanceof Failure) return { ...shown, unreadable: error.message };
      throw error;
    }
  }

  async get(id: string): Promise<TaskDetails> {
    const meta = await this.#look(id);
    if (meta.kind !== ENVELOPE_KIND)
      return { meta, events: await this.#store.tail(id, EVENTS_SHOWN) };
    return {
      meta,
      events: await this.envelopes.recentEvents(id),
      envelope: await this.envelopes.show(meta),
    };
  }

  /** Returns the full or partial result; undefined if there is none. */
  async result(id: string): Promise<SavedResult | undefined> {
    await this.#look(id);
    return this.#store.loadResult(id);
  }

  /** The working files of a task, for viewers of its progress. */
  async files(id: string): Promise<KeptFiles> {
    await this.#look(id);
    return this.#store.files(id);
  }

  /** Whether a new task of this kind can continue an ended one. */
  canResume(name: string): boolean {
    return this.#options.kinds.some((kind) => kind.name === name && kind.resumes);
  }

  /** Requests cancellation and waits for it briefly; returns an ended task unchanged. */
  async cancel(id: string, signal: AbortSignal): Promise<TaskMeta> {
    const found = await this.#look(id);
    if (found.kind === ENVELOPE_KIND) return this.envelopes.cancel(found);
    const requested = await this.#store.change(id, (meta) => {
      if (hasEnded(meta) || meta.cancel_requested_at !== undefined) return undefined;
      // A pending task has no work to wait for, so it is cancelled at once.
      return advance(
        meta,
        { type: meta.status === 'RUNNING' ? 'request_cancel' : 'cancel' },
        Date.now(),
      );
    });
    if (hasEnded(requested)) return requested;
    return this.wait(id, { timeoutMs: STOP_MS, signal }).catch((error: unknown) => {
      if ((error as Failure).code === 'task_wait_timeout') return this.#store.require(id);
      throw error;
    });
  }

  /**
   * Asks the work to end early with its result and waits for it; returns an ended task unchanged.
   */
  async finishEarly(id: string, signal: AbortSignal): Promise<TaskMeta> {
    await this.#look(id);
    const requested = await this.#store.change(id, (meta) => {
      if (hasEnded(meta) || meta.stop_requested_at !== undefined) return undefined;
      return advance(
        meta,
        { type: meta.status === 'RUNNING' ? 'request_stop' : 'cancel' },
        Date.now(),
      );
    });
    return hasEnded(requested) ? requested : this.wait(id, { timeoutMs: FINISH_MS, signal });
  }

  /** Waits until the work has reported progress or has ended, for at most `PROGRESS_MS`. */
  async waitForProgress(id: string, signal: AbortSignal): Promise<void> {
    using limit = new Deadline(PROGRESS_MS, undefined, signal);
    const reached = this.#waitUntil(
      id,
      (meta) => meta.progress !== undefined || hasEnded(meta),
      limit.signal,
    );
    await reached.catch(() => signal.throwIfAborted()); // a slow start is not an error
  }

  /** Waits until the task has ended, in any process, and returns its row. */
  async wait(id: string, { timeoutMs, signal, tell }: TaskWaitOptions): Promise<TaskMeta> {
    const startedAt = monotonicMs();
    await this.#look(id);
    let last: Partial<Pick<TaskMeta, 'status' | 'progress'>> = {};
    const onTimeout = (): Failure =>
      fail('task_wait_timeout', `Task ${id} has not ended within ${timeoutMs} ms.`, {
        task_id: id,
        ...last,
      });
    using limit = new Deadline(timeoutMs, onTimeout, signal);
    const test = (meta: TaskMeta): boolean => {
      if (hasEnded(meta)) return true;
      last = { status: meta.status, progress: meta.progress };
      tell?.(meta, monotonicMs() - startedAt);
      return false;
    };
    return await this.#waitUntil(id, test, limit.signal);
  }

  /** Returns the first row that passes the test; tests the row after each change. */
  async #waitUntil(
    id: string,
    test: (meta: TaskMeta) => boolean,
    signal: AbortSignal,
  ): Promise<TaskMeta> {
    using watch = this.#store.watch(id);
    for (;;) {
      const changed = watch.next(signal);
      changed.catch(() => {}); // unused if the row passes the test now
      const meta = await this.#look(id);
      if (test(meta)) return meta;
      await changed;
    }
  }

  /**
   * Aborts all tasks, or those of one session, and waits until their end is written. With
   * `forGood`, no new task can start.
   */
  async stop(
    reason: Failure,
    { forGood = false, session }: { forGood?: boolean; session?: string } = {},
  ): Promise<number> {
    this.#stopped ||= forGood;
    const running = [...this.#running].filter(
      ([, started]) => session === undefined || started.session === session,
    );
    for (const [task] of running) task.abort(reason);
    await settlesWithin(Promise.all(running.map(([, { work }]) => work)), STOP_MS + 1_000);
    return running.length;
  }

  /** Returns the current row; ends the task first if its process is dead. */
  async #look(id: string): Promise<TaskMeta> {
    await this.#ready();
    return this.#current(await this.#store.require(id));
  }

  #current(meta: TaskMeta): Promise<TaskMeta> {
    if (meta.kind !== ENVELOPE_KIND) return this.#reaper.reap(meta);
    return this.envelopes.settle(meta).catch((error: unknown) => {
      this.#options.log.warn(`the history of task ${meta.task_id} cannot be read`, error);
      return meta;
    });
  }

  /** Sweeps all tasks once, before the first request. */
  #ready(): Promise<void> {
    this.#swept ??= this.#reaper
      .sweep((meta) => this.#listing.remember(meta))
      .catch((error: unknown) => {
        this.#swept = undefined; // the next call tries again
        throw error;
      });
    return this.#swept;
  }

  #requireKind(name: string): TaskKind {
    const { kinds } = this.#options;
    const kind = kinds.find((candidate) => candidate.name === name);
    if (kind) return kind;
    const known = kinds.map((candidate) => candidate.name);
    throw fail(
      'unknown_task_kind',
      `"${name.slice(0, 100)}" cannot run as a task (available: ${known.join(', ')}).`,
      { known },
    );
  }

  async #kept(kind: TaskKind, id: string): Promise<KeptFiles> {
    const meta = await this.#look(id);
    const wrong = (message: string): Failure =>
      fail('invalid_argument', message, { argument: 'resume_from' });
    if (!kind.resumes) throw wrong(`${kind.name} cannot continue another task.`);
    if (meta.kind !== kind.name)
      throw wrong(`Task ${id} is a ${meta.kind}, which a ${kind.name} cannot continue.`);
    if (!hasEnded(meta)) throw wrong(`Task ${id} has not ended yet.`);
    return this.#store.files(id);
  }
}

/** Files are on this machine. */
const isDistributed = (kind: TaskKind, args: unknown): boolean =>
  kind.distributed && !(isRecord(args) && /^\s*file:/i.test(String(args['url'])));
