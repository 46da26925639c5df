// What a row says of an envelope: what the host declared, and the counts up to some place of the
// history. The history is the truth.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { type Envelope, createEnvelope, type Signal, SIGNALS } from '../../policy/budget.ts';
import type { TaskMeta } from '../../store/tasks/task-meta.ts';

const limit = z.number().int().min(1);

const FIELDS = {
  maxToolCalls: limit.optional(),
  maxWallMs: limit.optional(),
  maxConsecutiveSameTool: limit.default(5),
  maxObservationStreak: limit.default(6),
  maxFailureStreak: limit.default(4),
  maxSameUrlNavigations: limit.default(3),
  allowedDomains: z.array(z.string().min(1).max(253)).min(1).max(200).optional(),
  checkpointEveryCalls: limit.optional(),
  enforce: z.boolean().default(false),
};

/**
 * What a host may declare; unknown fields are refused, so that a misspelt limit is not taken for
 * none.
 */
export const EnvelopePolicy = z.strictObject(FIELDS, {
  error: ({ code, keys }) =>
    code === 'unrecognized_keys'
      ? `it has no field ${keys?.map((key) => `"${key}"`).join(', ')}, but ${Object.keys(FIELDS).join(', ')}`
      : undefined,
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
  /** Where in the history the counts stop, and what only counting on needs. */
  counted: z.object({
    bytes: natural,
    admitted: natural,
    wallMs: z.number(),
    lastTool: z.string().optional(),
  }),
});

export type EnvelopeFields = z.output<typeof Declared>;

/** How far the history has been counted, and what came of it. */
export interface Tally {
  readonly bytes: number;
  /** Calls that were let in by a task that enforces its limit of calls. */
  readonly admitted: number;
  readonly envelope: Envelope;
}

/** What the host declared; nothing when the row says it in a way that cannot be read. */
export const readDeclared = (meta: TaskMeta): EnvelopeFields | undefined =>
  Declared.safeParse(meta).data;

/**
 * The counts that the row holds; none where there are none, or none that can be read: then all of
 * the history is counted.
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

/** The row with these counts in it. */
export const withTally = (meta: TaskMeta, { bytes, admitted, envelope }: Tally): TaskMeta => {
  const { counters, signals, replyTokens, wallMs, lastTool } = envelope;
  const counted = defined({ bytes, admitted, wallMs, lastTool });
  return { ...meta, counters, signals, reply_tokens: replyTokens, counted } satisfies TaskMeta &
    z.input<typeof Counted>;
};

/** The row without an envelope's policy and counts, which are shown beside it. */
export const withoutCounts = (meta: TaskMeta): TaskMeta => {
  const { policy: _p, counters: _c, signals: _s, reply_tokens: _t, counted: _n, ...rest } = meta;
  return rest;
};
