// One task while this process works on it: from its first row to its last, whatever becomes of the
// work.
import { defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { parseTaskTime } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { Redactor } from '../../core/redactor.ts';
import { every, sleep } from '../../core/time.ts';
import type { TaskChange, TaskMeta, TaskProgress } from '../../store/tasks/task-meta.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import type { KeptFiles, WorkingFiles } from '../../store/tasks/working-files.ts';
import type { Job, TaskEnd, TaskKind } from './kind.ts';
import { BEAT_MS, type Owners } from './owners.ts';
import { savePartialResult } from './partial-result.ts';
import type { Slots } from './slots.ts';
import { advance, hasEnded, type TaskStep } from './task-state.ts';

/**
 * When the end cannot be written (a full disk), it is tried again after these times; then it is
 * left to the next start.
 */
const RETRIES_MS = [100, 1_000, 5_000, 15_000];

interface TaskRunContext {
  readonly store: TaskStore;
  readonly owners: Owners;
  readonly slots: Slots;
  readonly clean: <T>(data: T) => T;
  readonly redactor: Redactor;
  readonly log: Log;
}

interface Assignment {
  readonly kind: TaskKind;
  /** Redacted and small. */
  readonly argsSummary: unknown;
  readonly previous?: KeptFiles | undefined;
}

/** What there is once the row is written. */
interface Begun {
  readonly id: string;
  readonly files: WorkingFiles;
  readonly progress: ProgressWriter;
}

export class TaskRun {
  readonly #around: TaskRunContext;
  readonly #assignment: Assignment;
  readonly #abort = new AbortController();
  readonly #stop = new AbortController();
  /** Aborts when nothing of the task may be written any more. */
  readonly #over = new AbortController();
  #state: Begun | undefined;
  #hasSlot = false;

  constructor(around: TaskRunContext, assignment: Assignment) {
    this.#around = around;
    this.#assignment = assignment;
  }

  /** Aborts, with a failure as its reason, when the work is to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: Failure): void {
    this.#abort.abort(reason);
  }

  /** Called with the row once it is written. */
  onBegun: (meta: TaskMeta) => void = () => {};

  /**
   * Writes the row: from here on the task exists, whatever happens to us. It runs at once where
   * there is a free slot.
   */
  async begin(session: string): Promise<void> {
    const { store, slots, log } = this.#around;
    this.#hasSlot = slots.take();
    try {
      const meta = await store.create((id) => this.#firstRow(id, session));
      const id = meta.task_id;
      this.#state = { id, files: store.files(id), progress: new ProgressWriter(store, id, log) };
      void this.#heed(id);
      this.onBegun(meta);
    } catch (error) {
      this.#giveSlot();
      throw error;
    }
  }

  #firstRow(id: string, session: string): TaskChange {
    const { kind, argsSummary } = this.#assignment;
    const now = parseTaskTime(id);
    const meta: TaskMeta = {
      task_id: id,
      kind: kind.name,
      status: 'PENDING',
      session,
      ...this.#around.owners.ownFields(),
      created_at: now,
      args_summary: argsSummary,
    };
    return this.#hasSlot ? advance(meta, { type: 'start' }, now) : { meta };
  }

  /** Waits for a slot where there was none, and hands out what the work is kept in. */
  async turn(): Promise<Job> {
    const { id, files } = this.#begun;
    const { store, slots, redactor } = this.#around;
    if (!this.#hasSlot) {
      await slots.next(this.signal);
      this.#hasSlot = true;
      await store.change(id, (meta) => advance(meta, { type: 'start' }, Date.now()));
    }
    const { previous } = this.#assignment;
    const append = (file: string, entry: unknown): void => {
      if (this.#over.signal.aborted)
        throw fail('task_already_ended', `Task ${id} has already ended.`);
      files.append(file, redactor.data(entry)); // whatever the tool met, no secret of it is on disk
    };
    const job = { append, entries: files.entries.bind(files), stopRequested: this.#stop.signal };
    return previous ? { ...job, previous } : job;
  }

  /** Cheap, may be called often. */
  progress({
    done,
    total,
    message = '',
  }: {
    readonly done: number;
    readonly total?: number;
    readonly message?: string;
  }): void {
    this.#begun.progress.report(this.#around.clean(defined({ done, total, message })));
  }

  /** `json`: the result as it is saved. `notes`: what stood beside it. */
  async complete(json: string, notes: readonly string[]): Promise<void> {
    const { store } = this.#around;
    const { id } = this.#begun;
    for (const message of notes)
      store.append(id, {
        ts: Date.now(),
        kind: 'log',
        data: { message: this.#around.clean(message) },
      });
    await this.#finish({ type: 'complete', resultPath: await store.saveResult(id, json) });
  }

  /** Ends the task before its work was done, with what there is of a result. */
  async fail({ code, message }: Failure): Promise<void> {
    const status: TaskEnd['status'] = code === 'cancelled' ? 'CANCELLED' : 'FAILED';
    // what never had its turn has done nothing
    const assemble = this.#hasSlot ? this.#assignment.kind.assemble : undefined;
    const resultPath = await savePartialResult(this.#around, assemble, this.#begun.id, {
      status,
      code,
    });
    const error = this.#around.clean({ code, message });
    await this.#finish(
      status === 'CANCELLED' ? { type: 'cancel', resultPath } : { type: 'fail', error, resultPath },
    );
  }

  async #finish(step: TaskStep): Promise<void> {
    this.#over.abort();
    const lastWord = await this.#begun.progress.end();
    try {
      for (const retryMs of [...RETRIES_MS, undefined]) {
        if (await this.#tryToFinish(step, lastWord)) return;
        if (retryMs !== undefined) await sleep(retryMs);
      }
    } finally {
      this.#giveSlot();
    }
  }

  /** Whether the row says how the task ended, or is gone. */
  async #tryToFinish(step: TaskStep, progress: TaskProgress | undefined): Promise<boolean> {
    const { store, log } = this.#around;
    const { id } = this.#begun;
    try {
      if (progress) store.append(id, { ts: Date.now(), kind: 'progress', data: progress });
      await store.change(id, (meta) =>
        hasEnded(meta)
          ? undefined
          : advance(progress ? { ...meta, progress } : meta, step, Date.now()),
      );
      return true;
    } catch (error) {
      log.warn(`the end of task ${id} could not be written`, error);
      return store.row(id) === undefined;
    }
  }

  /** Others ask for the end through the row, and see by its age that somebody still works on it. */
  async #heed(id: string): Promise<void> {
    const { store } = this.#around;
    const ended = AbortSignal.any([this.#over.signal, this.signal]);
    using watch = store.watch(id);
    using _beat = every(BEAT_MS, () => store.touch(id));
    while (!ended.aborted) {
      const changed = watch.next(ended).catch(() => {});
      const row = store.row(id);
      if (!row) this.abort(fail('task_not_found', `The folder of task ${id} is gone.`));
      else if ('meta' in row && (row.meta.cancel_requested_at !== undefined || hasEnded(row.meta)))
        this.abort(cancelled());
      else if ('meta' in row && row.meta.stop_requested_at !== undefined) this.#stop.abort();
      await changed;
    }
  }

  #giveSlot(): void {
    if (this.#hasSlot) this.#around.slots.give();
    this.#hasSlot = false;
  }

  get #begun(): Begun {
    if (!this.#state) throw new Error('the task has not begun');
    return this.#state;
  }
}

const cancelled = (): Failure => fail('cancelled', 'The task was cancelled.');

const PACE_MS = 200;

class ProgressWriter {
  readonly #store: TaskStore;
  readonly #id: string;
  readonly #log: Log;
  readonly #ended = new AbortController();
  #unwritten: TaskProgress | undefined;
  #writing: Promise<void> | undefined;

  constructor(store: TaskStore, id: string, log: Log) {
    this.#store = store;
    this.#id = id;
    this.#log = log;
  }

  /** Cheap, may be called often: of several within a moment the last one is written. */
  report(progress: TaskProgress): void {
    this.#unwritten = progress;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  /** Writes no more; the last word that is still unwritten is handed back. */
  async end(): Promise<TaskProgress | undefined> {
    this.#ended.abort();
    await this.#writing;
    return this.#unwritten;
  }

  async #write(): Promise<void> {
    while (this.#unwritten && !this.#ended.signal.aborted) {
      const progress = this.#unwritten;
      this.#unwritten = undefined;
      await this.#store
        .change(this.#id, (meta) =>
          hasEnded(meta) ? undefined : advance(meta, { type: 'progress', progress }, Date.now()),
        )
        .catch((error: unknown) =>
          this.#log.warn(`the progress of task ${this.#id} could not be written`, error),
        );
      await sleep(PACE_MS, this.#ended.signal).catch(() => {});
    }
  }
}
