// Writes how far a task is into its row and its history: often enough to be followed, seldom enough to cost nothing.
import type { Log } from '../../core/log.ts';
import { sleep } from '../../core/time.ts';
import type { TaskProgress } from '../../store/task-meta.ts';
import type { TaskStore } from '../../store/tasks.ts';
import { advance, hasEnded } from './state.ts';

const PACE_MS = 200;

export class ProgressWriter {
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
        .change(this.#id, (meta) => (hasEnded(meta) ? undefined : advance(meta, { type: 'progress', progress }, Date.now())))
        .catch((error: unknown) => this.#log.warn(`the progress of task ${this.#id} could not be written`, error));
      await sleep(PACE_MS, this.#ended.signal).catch(() => {});
    }
  }
}
