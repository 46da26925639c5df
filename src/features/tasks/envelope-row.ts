// An envelope's fields in its task row. The counts are a cache: the history is authoritative.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { type Envelope, createEnvelope, type Signal, SIGNALS } from '../../policy/budget.ts';
import type { TaskMeta } from '../../store/tasks/task-meta.ts';

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
