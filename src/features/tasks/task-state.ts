// The state machine of a task: allowed steps, their changes to the row and their events. Pure.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type {
  TaskChange,
  TaskEvent,
  TaskMeta,
  TaskProgress,
  TaskStatus,
} from '../../store/tasks/task-ledger.ts';

const ACTIVE_STATUSES = new Set<string>(['PENDING', 'RUNNING']);

export type TaskStep =
  | { readonly type: 'start' }
  | { readonly type: 'progress'; readonly progress: TaskProgress }
  | { readonly type: 'request_cancel' }
  | { readonly type: 'request_stop' }
  | { readonly type: 'complete'; readonly resultPath?: string | undefined }
  | {
      readonly type: 'fail';
      readonly error?: TaskMeta['error'];
      readonly resultPath?: string | undefined;
    }
  | { readonly type: 'cancel'; readonly resultPath?: string | undefined };

type StepOf<T extends TaskStep['type']> = Extract<TaskStep, { readonly type: T }>;

/** A step: allowed statuses, changes to the row, and the event to record. */
interface TransitionRule<Step> {
  readonly from: readonly TaskStatus[];
  readonly changes: (step: Step, now: number, meta: TaskMeta) => Partial<TaskMeta>;
  readonly kind: TaskEvent['kind'];
  readonly data?: (step: Step) => object;
}

const buildResultFields = ({
  resultPath,
}: {
  readonly resultPath?: string | undefined;
}): { result_path?: string } => defined({ result_path: resultPath });

/** A status that is in no `from` is terminal. */
const RULES: { readonly [T in TaskStep['type']]: TransitionRule<StepOf<T>> } = {
  start: {
    from: ['PENDING'],
    changes: (_, now) => ({ status: 'RUNNING', started_at: now }),
    kind: 'started',
  },
  progress: {
    from: ['RUNNING'],
    changes: ({ progress }) => ({ progress }),
    kind: 'progress',
    data: ({ progress }) => progress,
  },
  request_cancel: {
    from: ['RUNNING'],
    changes: (_, now, meta) => ({ cancel_requested_at: meta.cancel_requested_at ?? now }),
    kind: 'cancel_requested',
  },
  request_stop: {
    from: ['RUNNING'],
    changes: (_, now, meta) => ({ stop_requested_at: meta.stop_requested_at ?? now }),
    kind: 'log',
    data: () => ({ message: 'stop requested' }),
  },
  complete: {
    from: ['RUNNING'],
    changes: (step, now) => ({ status: 'COMPLETED', ended_at: now, ...buildResultFields(step) }),
    kind: 'completed',
    data: buildResultFields,
  },
  fail: {
    from: ['PENDING', 'RUNNING'], // a pending task fails if its process ends
    changes: (step, now) =>
      defined({
        status: 'FAILED',
        ended_at: now,
        error: step.error,
        ...buildResultFields(step),
      }),
    kind: 'failed',
    data: (step) => ({ ...step.error, ...buildResultFields(step) }),
  },
  cancel: {
    from: ['PENDING', 'RUNNING'],
    changes: (step, now) => ({ status: 'CANCELLED', ended_at: now, ...buildResultFields(step) }),
    kind: 'cancelled',
    data: buildResultFields,
  },
};

export const hasEnded = ({ status }: Pick<TaskMeta, 'status'>): boolean =>
  !ACTIVE_STATUSES.has(status);

export const advance = (meta: TaskMeta, step: TaskStep, now: number): TaskChange => {
  const { from, changes, kind, data } = RULES[step.type] as TransitionRule<TaskStep>;
  if (!from.includes(meta.status)) throw refused(meta, step);
  return {
    meta: { ...meta, ...changes(step, now, meta) },
    event: defined({ ts: now, kind, data: data ? data(step) : undefined }),
  };
};

const EndData = z.object({
  code: z.string().optional(),
  message: z.string().optional(),
  result_path: z.string().optional(),
});

/**
 * Returns the step of an event that ends a task. Such an event is final, also if the row was not
 * updated.
 */
export const findReportedEnd = ({ kind, data }: TaskEvent): TaskStep | undefined => {
  const {
    code = 'internal',
    message = '',
    result_path: resultPath,
  } = EndData.safeParse(data).data ?? {};
  if (kind === 'completed' && resultPath !== undefined) return { type: 'complete', resultPath };
  if (kind === 'failed') return { type: 'fail', error: { code, message }, resultPath };
  return kind === 'cancelled' ? { type: 'cancel', resultPath } : undefined;
};

const refused = ({ task_id: id, status }: TaskMeta, { type }: TaskStep): Error => {
  const ended = hasEnded({ status });
  if (ended)
    return fail('task_already_ended', `Task ${id} has already ended: ${status}.`, {
      task_id: id,
      status,
    });
  return new Error(`task ${id} is ${status} and cannot ${type}`);
};
