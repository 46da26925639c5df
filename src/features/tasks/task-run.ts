// One task that this process runs, from its first row to its last.
import { defined } from '../../core/defined.ts';
import { Failure, fail } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { every, sleep } from '../../core/time.ts';
import type { TaskLedger, TaskOwners, TaskProgress } from '../../store/tasks/task-ledger.ts';
import type { TaskRow } from '../../store/tasks/task-row.ts';
import type { KeptFiles, WorkingFiles } from '../../store/tasks/working-files.ts';
import type { Job, RemoteVisits, TaskEnd, TaskKind } from './kind.ts';
import { BEAT_MS, savePartialResult } from './reaper.ts';
import type { Slots } from './slots.ts';
import { advance, hasEnded, type TaskStep } from './task-state.ts';

/**
 * Delays between retries if the end cannot be written (disk full). After the last one, the next
 * start of the program ends the task.
 */
const RETRIES_MS = [100, 1_000, 5_000, 15_000];

export interface TaskRunContext {
  readonly store: TaskLedger;
  readonly owners: TaskOwners;
  readonly slots: Slots;
  readonly sanitise: <T>(data: T) => T;
  readonly sanitiseLarge: <T>(data: T) => Promise<T>;
  readonly log: Log;
}

export interface Assignment {
  readonly kind: TaskKind;
  /** Redacted and shortened. */
  readonly argsSummary: unknown;
  readonly previous?: KeptFiles | undefined;
  /** Visits of pages that the workers of a cluster make. */
  readonly visits?: RemoteVisits;
  /** Another worker continues the task when this process stops. */
  readonly handsOver?: true;
}

interface BegunTask {
  readonly id: string;
  readonly hasSlot: boolean;
  readonly abort: AbortController;
}

/** A task from its first row to its last. */
export class TaskRun {
  readonly #context: TaskRunContext;
  readonly #assignment: Assignment;
  readonly #id: string;
  readonly #files: WorkingFiles;
  readonly #progress: ProgressWriter;
  readonly #abort: AbortController;
  readonly #stop = new AbortController();
  /** Aborts when nothing more may be written for the task. */
  readonly #over = new AbortController();
  #hasSlot: boolean;

  constructor(context: TaskRunContext, assignment: Assignment, { id, hasSlot, abort }: BegunTask) {
    const { store, log } = context;
    this.#context = context;
    this.#assignment = assignment;
    this.#id = id;
    this.#files = store.files(id);
    const paceMs = assignment.handsOver ? FLEET_PACE_MS : PACE_MS;
    this.#progress = new ProgressWriter({ store, id, log, paceMs });
    this.#abort = abort;
    this.#hasSlot = hasSlot;
    void this.#watchRow();
  }

  /** Waits for a slot if `begin` did not get one, and returns the job for the work. */
  async turn(): Promise<Job> {
    const id = this.#id;
    const files = this.#files;
    const { store, slots } = this.#context;
    if (!this.#hasSlot) {
      await slots.next(this.#abort.signal);
      this.#hasSlot = true;
      await store.change(id, (meta) => advance(meta, { type: 'start' }, Date.now()));
    }
    const { previous, visits } = this.#assignment;
    const { signal: over } = this.#over;
    const append = async (file: string, entry: unknown): Promise<void> => {
      over.throwIfAborted();
      await files.append(file, entry);
    };
    const appendLarge = (file: string, entry: unknown): Promise<void> =>
      files.appendLarge(file, entry, over);
    const entries = files.entries.bind(files);
    const stopRequested = this.#stop.signal;
    const job = { taskId: id, append, appendLarge, entries, stopRequested, previous, visits };
    return defined(job);
  }

  /** May be called often: writes are throttled. */
  progress({
    done,
    total,
    message = '',
  }: {
    readonly done: number;
    readonly total?: number;
    readonly message?: string;
  }): void {
    this.#progress.report(this.#context.sanitise(defined({ done, total, message })));
  }

  /** `json`: the result as saved. `notes`: messages that are added to the history. */
  async complete(json: string, notes: readonly string[]): Promise<void> {
    const { store } = this.#context;
    const id = this.#id;
    for (const message of notes)
      await store.append(id, {
        ts: Date.now(),
        kind: 'log',
        data: { message: this.#context.sanitise(message) },
      });
    await this.#finish({ type: 'complete', resultPath: await store.saveReply(id, json) });
  }

  /** Ends the task as failed or cancelled, with a partial result if there is one. */
  async fail({ code, message }: Failure): Promise<void> {
    if (this.#assignment.handsOver && code === 'engine_stopped') return this.#handOver();
    const status: TaskEnd['status'] = code === 'cancelled' ? 'CANCELLED' : 'FAILED';
    // without a slot the work never started and has no partial result
    const assemble = this.#hasSlot ? this.#assignment.kind.assemble : undefined;
    const resultPath = await savePartialResult(this.#context, assemble, this.#id, {
      status,
      code,
    });
    const error = this.#context.sanitise({ code, message });
    await this.#finish(
      status === 'CANCELLED' ? { type: 'cancel', resultPath } : { type: 'fail', error, resultPath },
    );
  }

  /** Writes nothing: another worker leads the task. */
  async #handOver(): Promise<void> {
    this.#over.abort(fail('engine_stopped', `This worker no longer leads task ${this.#id}.`));
    await this.#progress.end();
    this.#giveSlot();
  }

  async #finish(step: TaskStep): Promise<void> {
    this.#over.abort(fail('task_already_ended', `Task ${this.#id} has already ended.`));
    const lastWord = await this.#progress.end();
    try {
      for (const retryMs of [...RETRIES_MS, undefined]) {
        if (await this.#tryToFinish(step, lastWord)) return;
        if (retryMs !== undefined) await sleep(retryMs);
      }
    } finally {
      this.#giveSlot();
    }
  }

  /** Returns true if the end was written or the row no longer exists. */
  async #tryToFinish(step: TaskStep, progress: TaskProgress | undefined): Promise<boolean> {
    const { store, log } = this.#context;
    const id = this.#id;
    try {
      if (progress) await store.append(id, { ts: Date.now(), kind: 'progress', data: progress });
      await store.change(id, (meta) =>
        hasEnded(meta)
          ? undefined
          : advance(progress ? { ...meta, progress } : meta, step, Date.now()),
      );
      return true;
    } catch (error) {
      if (isLeaseLost(error)) return true;
      log.warn(`the end of task ${id} could not be written`, error);
      return (await store.row(id).catch(() => null)) === undefined;
    }
  }

  /**
   * Watches the row for cancel and stop requests, and touches it so that other processes see that
   * this one is alive.
   */
  async #watchRow(): Promise<void> {
    const { store } = this.#context;
    const id = this.#id;
    const ended = AbortSignal.any([this.#over.signal, this.#abort.signal]);
    using watch = store.watch(id);
    using _beat = every(BEAT_MS, () => store.touch(id));
    while (!ended.aborted) {
      const changed = watch.next(ended).catch(() => {});
      const row = await store.row(id).catch(unreachable);
      if (ended.aborted) return;
      if (!row)
        this.#abort.abort(fail('task_not_found', `The folder of task ${id} no longer exists.`));
      else if ('meta' in row && (row.meta.cancel_requested_at !== undefined || hasEnded(row.meta)))
        this.#abort.abort(cancelled());
      else if ('meta' in row && row.meta.stop_requested_at !== undefined) this.#stop.abort();
      await changed;
    }
  }

  #giveSlot(): void {
    if (this.#hasSlot) this.#context.slots.give();
    this.#hasSlot = false;
  }
}

/** The work continues while the ledger cannot be read; the row is read again later. */
const unreachable = (): TaskRow => ({ unreadable: 'the ledger cannot be reached' });

/** Another worker leads the task, and ends it. */
const isLeaseLost = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'engine_stopped';

const cancelled = (): Failure => fail('cancelled', 'The task was cancelled.');

/** Shortest time between two writes of progress. */
const PACE_MS = 200;
/** In a cluster, where each write wakes all processes. */
const FLEET_PACE_MS = 500;

interface ProgressWriterOptions {
  readonly store: TaskLedger;
  readonly id: string;
  readonly log: Log;
  readonly paceMs: number;
}

class ProgressWriter {
  readonly #options: ProgressWriterOptions;
  readonly #ended = new AbortController();
  #unwritten: TaskProgress | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: ProgressWriterOptions) {
    this.#options = options;
  }

  /** Writes at most every `paceMs`; intermediate values are dropped. */
  report(progress: TaskProgress): void {
    this.#unwritten = progress;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Stops writing; returns the last progress if it was not written yet. */
  async end(): Promise<TaskProgress | undefined> {
    this.#ended.abort();
    await this.#writing;
    return this.#unwritten;
  }

  async #write(): Promise<void> {
    const { store, id, log, paceMs } = this.#options;
    while (this.#unwritten && !this.#ended.signal.aborted) {
      const progress = this.#unwritten;
      this.#unwritten = undefined;
      await store
        .change(id, (meta) =>
          hasEnded(meta) ? undefined : advance(meta, { type: 'progress', progress }, Date.now()),
        )
        .catch((error: unknown) =>
          log.warn(`the progress of task ${id} could not be written`, error),
        );
      await sleep(paceMs, this.#ended.signal).catch(() => {});
    }
  }
}
