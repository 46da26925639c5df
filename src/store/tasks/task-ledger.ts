// The ledger of tasks as other layers use it, and the schemas of its rows and history lines.
import { z } from 'zod';
import { TASK_ID } from '../../core/ids.ts';
import type { RetentionRule } from '../files/sweeper.ts';
import type { TaskRow } from './task-row.ts';
import type { WorkingFiles } from './working-files.ts';

export const TASK_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** Tasks that the host runs itself, with budgets. They have no worker process that could die. */
export const ENVELOPE_KIND = 'browser_task';

/** Milliseconds since 1970. */
const time = z.number();

const TaskProgress = z.object({
  done: z.number(),
  total: z.number().optional(),
  message: z.string(),
});
export type TaskProgress = z.output<typeof TaskProgress>;

/** Loose, so that properties of newer versions and of other kinds of tasks are preserved. */
export const TaskMeta = z.looseObject({
  task_id: z.string().regex(TASK_ID),
  kind: z.string(),
  status: z.enum(TASK_STATUSES),
  session: z.string(),
  /** The process that runs the task. The start time distinguishes a reused pid. */
  pid: z.number().int(),
  process_started_at: time,
  /** Start time as the system reports it, which is more precise, and the machine of the process. */
  process: z.object({ started: z.string(), host: z.string() }).optional(),
  /** In a cluster: the id of the worker that leads the task. */
  worker: z.string().optional(),
  created_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  /** Redacted; at most 2048 bytes of JSON. */
  args_summary: z.unknown(),
  progress: TaskProgress.optional(),
  result_path: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  cancel_requested_at: time.optional(),
  /** A stop was requested: the task should end early, with a result. */
  stop_requested_at: time.optional(),
});
export type TaskMeta = z.output<typeof TaskMeta>;

const TASK_EVENTS = [
  'started',
  'progress',
  'log',
  'cancel_requested',
  'completed',
  'failed',
  'cancelled',
  'tool_call',
  'budget',
] as const;

export const TaskEvent = z.object({
  ts: time,
  kind: z.enum(TASK_EVENTS),
  data: z.unknown().optional(),
});
export type TaskEvent = z.output<typeof TaskEvent>;

/** The new row and the event to append to the history. */
export interface TaskChange {
  readonly meta: TaskMeta;
  readonly event?: TaskEvent;
}

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
