// The schemas of a task's row (meta.json) and of its history lines (events.jsonl).
import { z } from 'zod';
import { TASK_ID } from '../../core/ids.ts';

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
