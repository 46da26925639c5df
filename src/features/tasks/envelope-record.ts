// The fields of an envelope in its task row, and the lines of its history. Pure.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import {
  createEnvelope,
  type Envelope,
  recordCall,
  type Signal,
  SIGNALS,
  type ToolCallEvent,
} from '../../policy/budget.ts';
import type { TaskEvent, TaskMeta } from '../../store/tasks/task-ledger.ts';
import type { TaskStep } from './task-state.ts';

const limit = z.number().int().min(1);

const FIELDS = {
  maxToolCalls: limit.optional(),
  maxWallMs: limit.optional(),
  maxReplyTokens: limit.optional(),
  maxConsecutiveSameTool: limit.default(5),
  maxObservationStreak: limit.default(6),
  maxFailureStreak: limit.default(4),
  maxSameUrlNavigations: limit.default(3),
  allowedDomains: z.array(z.string().min(1).max(253)).min(1).max(200).optional(),
  checkpointEveryCalls: limit.optional(),
  enforce: z.boolean().default(false),
};

/**
 * The policy that a client may set. Unknown fields are rejected, so that a misspelt limit is not
 * ignored.
 */
export const EnvelopePolicy = z.strictObject(FIELDS, {
  error: ({ code, keys }) => {
    if (code !== 'unrecognized_keys') return undefined;
    const unknown = keys?.map((key) => `"${key}"`).join(', ');
    return `unknown field ${unknown} (available: ${Object.keys(FIELDS).join(', ')})`;
  },
});
export type EnvelopePolicy = z.output<typeof EnvelopePolicy>;

const Declared = z.object({
  objective: z.string().default(''),
  phase: z.string().default('explore'),
  policy: EnvelopePolicy.prefault({}),
});

const natural = z.number().int().min(0);
const counts = z.record(z.string(), natural);

const Counted = z.object({
  counters: z.object({
    toolCalls: natural,
    actionCalls: natural,
    observationCalls: natural,
    failureCalls: natural,
    consecutiveSameTool: natural,
    observationStreak: natural,
    failureStreak: natural,
    sameUrlNavigations: counts,
  }),
  signals: z.object(
    Object.fromEntries(SIGNALS.map((name) => [name, natural])) as Record<Signal, typeof natural>,
  ),
  reply_tokens: z.object({ total: natural, perTool: counts }),
  /** The history position that the counts include, and values that only later counting needs. */
  counted: z.object({
    bytes: natural,
    admitted: natural,
    wallMs: z.number(),
    lastTool: z.string().optional(),
  }),
});

export type EnvelopeFields = z.output<typeof Declared>;

/** The counts up to a position in the history. */
export interface Tally {
  readonly bytes: number;
  /** Number of calls admitted by a task that enforces `maxToolCalls`. */
  readonly admitted: number;
  readonly envelope: Envelope;
}

/** Returns the fields that the client set; undefined if the row is invalid. */
export const readDeclared = (meta: TaskMeta): EnvelopeFields | undefined =>
  Declared.safeParse(meta).data;

/**
 * Returns the counts saved in the row. If they are missing or invalid, returns zeros, so that the
 * whole history is counted.
 */
export const readTally = (meta: TaskMeta, policy: EnvelopePolicy): Tally => {
  const fresh = createEnvelope(policy, meta.started_at ?? meta.created_at);
  const { data } = Counted.safeParse(meta);
  if (!data) return { bytes: 0, admitted: 0, envelope: fresh };
  const { counters, signals, reply_tokens: replyTokens, counted } = data;
  const { bytes, admitted, wallMs, lastTool } = counted;
  return {
    bytes,
    admitted,
    envelope: { ...fresh, counters, signals, replyTokens, wallMs, lastTool },
  };
};

/** Returns the row with these counts. */
export const withTally = (meta: TaskMeta, { bytes, admitted, envelope }: Tally): TaskMeta => {
  const { counters, signals, replyTokens, wallMs, lastTool } = envelope;
  const counted = defined({ bytes, admitted, wallMs, lastTool });
  return { ...meta, counters, signals, reply_tokens: replyTokens, counted } satisfies TaskMeta &
    z.input<typeof Counted>;
};

/** Returns the row without the policy and counts of an envelope, which are shown separately. */
export const withoutCounts = (meta: TaskMeta): TaskMeta => {
  const { policy: _p, counters: _c, signals: _s, reply_tokens: _t, counted: _n, ...rest } = meta;
  return rest;
};

// Builds and parses the lines of an envelope's history: calls, admissions and the end. Pure.

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
