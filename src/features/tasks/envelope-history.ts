// Builds and parses the lines of an envelope's history: calls, admissions and the end. Pure.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { recordCall, SIGNALS, type ToolCallEvent } from '../../policy/budget.ts';
import type { TaskEvent } from '../../store/tasks/task-meta.ts';
import type { Tally } from './envelope-row.ts';
import type { TaskStep } from './task-state.ts';

/** A process finds its own line among those of other processes by `mark`. */
const CallData = z.object({
  mark: z.string(),
  tool: z.string(),
  observation: z.boolean(),
  ok: z.boolean(),
  code: z.string().optional(),
  ms: z.number(),
  url: z.string().optional(),
  tokens: z.number().int().min(0),
  met: z.array(z.enum(SIGNALS)).default([]),
});

const CallLike = z.looseObject({ mark: z.string() });

const Admission = z.object({ admitted: z.string() });

/** A finished call, with the fields that only the history saves. */
export type RecordedCall = ToolCallEvent & {
  readonly ms: number;
  readonly code?: string | undefined;
};

export const buildCallLine = (
  { ts, tool, observation, ok, code, ms, url, tokens, met }: RecordedCall,
  mark: string,
): TaskEvent => ({
  ts,
  kind: 'tool_call',
  data: defined({
    mark,
    tool,
    observation,
    ok,
    code,
    ms,
    url,
    tokens,
    met: met.length > 0 ? [...met] : undefined,
  }) satisfies z.input<typeof CallData>,
});

export const buildAdmissionLine = (ts: number, mark: string): TaskEvent => ({
  ts,
  kind: 'log',
  data: { admitted: mark },
});

/** Returns the mark of a call or admission line; undefined for other lines. */
export const parseMark = ({ kind, data }: TaskEvent): string | undefined => {
  if (kind === 'tool_call') return CallData.safeParse(data).data?.mark;
  return kind === 'log' ? Admission.safeParse(data).data?.admitted : undefined;
};

/** Adds one line to the counts. */
export const buildCountLine = (tally: Tally, { ts, kind, data }: TaskEvent): Tally => {
  if (kind === 'log' && Admission.safeParse(data).success)
    return { ...tally, admitted: tally.admitted + 1 };
  const call = kind === 'tool_call' ? CallData.safeParse(data).data : undefined;
  return call ? { ...tally, envelope: recordCall(tally.envelope, { ...call, ts }) } : tally;
};

/** Returns a line as the client sees it, without its mark; undefined for admission lines. */
export const buildShownLine = (event: TaskEvent): TaskEvent | undefined => {
  if (event.kind === 'log' && Admission.safeParse(event.data).success) return undefined;
  const call = event.kind === 'tool_call' ? CallLike.safeParse(event.data).data : undefined;
  if (!call) return event;
  const { mark: _, ...data } = call;
  return { ...event, data };
};

export const OUTCOMES = ['completed', 'failed', 'cancelled'] as const;
export type CallOutcome = (typeof OUTCOMES)[number];

export const END_STEPS: Readonly<Record<CallOutcome, TaskStep>> = {
  completed: { type: 'complete' },
  failed: { type: 'fail' },
  cancelled: { type: 'cancel' },
};

/** Returns the step that ended the envelope; undefined if the line is not an end. */
export const findEndStep = ({ kind }: TaskEvent): TaskStep | undefined => {
  const outcome = OUTCOMES.find((known) => known === kind);
  return outcome && END_STEPS[outcome];
};
