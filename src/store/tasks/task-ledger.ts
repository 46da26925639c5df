// The ledger of tasks as other layers use it: stored on disk, or in PostgreSQL for a cluster.
import type { RetentionRule } from '../files/sweeper.ts';
import type { TaskChange, TaskEvent, TaskMeta } from './task-meta.ts';
import type { TaskRow } from './task-row.ts';
import type { WorkingFiles } from './working-files.ts';

/** A saved result; `unreadable` has the reason why it cannot be read. */
export type SavedResult = { readonly result: unknown } | { readonly unreadable: string };

export interface TaskLedger {
  /** Creates a task and the first event of its history. `build` may be called more than once. */
  create(build: (id: string) => TaskChange): Promise<TaskMeta>;
  /** All tasks, newest first. Does not read the rows for which `skip` returns true. */
  scan(options?: ScanOptions): AsyncIterable<ScannedTask>;
  /** The current row; undefined if the task does not exist. Throws for a malformed id. */
  row(id: string): Promise<TaskRow | undefined>;
  /** The current row; throws if it is missing or unreadable. */
  require(id: string): Promise<TaskMeta>;
  /**
   * Changes the row and appends the event to the history, both or none, one change at a time.
   * Changes nothing if `decide` returns undefined or throws. Returns the current row.
   */
  change(id: string, decide: (meta: TaskMeta) => TaskChange | undefined): Promise<TaskMeta>;
  append(id: string, event: TaskEvent): Promise<void>;
  /**
   * Calls `visit` for every event after position `from` and returns the position of the next event;
   * undefined if the history is shorter. The history starts at position 0.
   */
  history(id: string, from: number, visit: (event: TaskEvent) => void): Promise<number | undefined>;
  /** The last events, oldest first. */
  tail(id: string, count: number): Promise<TaskEvent[]>;
  /** Saves a partial result without its secrets, and returns the value for `result_path`. */
  savePartialResult(id: string, result: unknown): Promise<string>;
  /** Saves the JSON of a reply, from which the pipeline has removed the secrets. */
  saveReply(id: string, json: string): Promise<string>;
  /** Undefined if the task has no result. */
  loadResult(id: string): Promise<SavedResult | undefined>;
  files(id: string): WorkingFiles;
  watch(id: string): TaskWatch;
  /** A heartbeat, for processes that cannot inspect this process. */
  touch(id: string): Promise<void>;
  readonly retention: RetentionRule;
}

export interface ScanOptions {
  /** Ends the scan at the first task that is older (Unix ms). */
  readonly since?: number;
  readonly skip?: (id: string) => boolean;
}

export interface ScannedTask {
  readonly id: string;
  readonly row: TaskRow;
}

export interface TaskWatch extends Disposable {
  /**
   * Resolves when the row may have changed after this call. Call it before reading the row, so that
   * no change is missed.
   */
  next(signal: AbortSignal): Promise<void>;
}

/** Decides whether the process that runs a task still exists. */
export interface TaskOwners {
  /** The row fields that identify this process. */
  ownFields(): Pick<TaskMeta, 'pid' | 'process_started_at' | 'process'>;
  /** True if the task lost its process and no other process continues it. */
  isGone(meta: TaskMeta): Promise<boolean>;
}
