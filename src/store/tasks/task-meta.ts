// What is written down of a task: its row (meta.json) and the lines of its history (events.jsonl).
import { z } from 'zod';
import { TASK_ID } from '../../core/ids.ts';

export const TASK_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/**
 * Tasks that the host drives itself, with budgets: no process of ours works on them, so none can
 * leave them behind.
 */
export const ENVELOPE_KIND = 'browser_task';

/** Milliseconds since 1970. */
const time = z.number();

const TaskProgress = z.object({
  done: z.number(),
  total: z.number().optional(),
  message: z.string(),
});
export type TaskProgress = z.output<typeof TaskProgress>;

/** Loose: what a newer version, or another kind of task, keeps in its row is handed on as it is. */
export const TaskMeta = z.looseObject({
  task_id: z.string().regex(TASK_ID),
  kind: z.string(),
  status: z.enum(TASK_STATUSES),
  session: z.string(),
  /** The process that does the work; a number that is used again is told apart by the start. */
  pid: z.number().int(),
  process_started_at: time,
  /**
   * The same start as the system counts it, where the clock is too vague, and the machine in which
   * the number counts.
   */
  process: z.object({ started: z.string(), host: z.string() }).optional(),
  created_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  /** Redacted, at most 2048 bytes as JSON. */
  args_summary: z.unknown(),
  progress: TaskProgress.optional(),
  result_path: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  cancel_requested_at: time.optional(),
  /** The work was asked to end early, with its result. */
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

/** A change of the row, and the line that tells of it. */
export interface TaskChange {
  readonly meta: TaskMeta;
  readonly event?: TaskEvent;
}
