// The arithmetic of task budgets: updates the counters per call and compares them with limits.
import { defined, valueIf } from '../core/defined.ts';
import { canParseUrl } from '../core/text.ts';

export interface BudgetPolicy {
  readonly maxToolCalls?: number | undefined;
  readonly maxWallMs?: number | undefined;
  readonly maxReplyTokens?: number | undefined;
  readonly maxConsecutiveSameTool: number;
  readonly maxObservationStreak: number;
  readonly maxFailureStreak: number;
  readonly maxSameUrlNavigations: number;
  readonly allowedDomains?: readonly string[] | undefined;
  readonly checkpointEveryCalls?: number | undefined;
  readonly enforce: boolean;
}

/** Events in calls that are counted per task. */
export const SIGNALS = ['staleRefs', 'timeouts', 'noEffect', 'hints', 'loginWalls'] as const;
export type Signal = (typeof SIGNALS)[number];

/** A finished call, with the fields that budgets need. */
export interface ToolCallEvent {
  /** Unix milliseconds. */
  readonly ts: number;
  readonly tool: string;
  /** The call only reads; every other call acts. */
  readonly observation: boolean;
  readonly ok: boolean;
  /** The address that the call loaded. */
  readonly url?: string | undefined;
  /** Estimated tokens of the reply. */
  readonly tokens: number;
  readonly met: readonly Signal[];
}

export interface Counters {
  readonly toolCalls: number;
  readonly actionCalls: number;
  readonly observationCalls: number;
  readonly failureCalls: number;
  readonly consecutiveSameTool: number;
  readonly observationStreak: number;
  readonly failureStreak: number;
  /** Keyed by address without fragment, the latest last. */
  readonly sameUrlNavigations: Readonly<Record<string, number>>;
}

export interface Envelope {
  readonly policy: BudgetPolicy;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly counters: Counters;
  readonly lastTool?: string | undefined;
  /** From the start to the last recorded call. */
  readonly wallMs: number;
  readonly signals: Readonly<Record<Signal, number>>;
  readonly replyTokens: {
    readonly total: number;
    readonly perTool: Readonly<Record<string, number>>;
  };
}

export const createEnvelope = (policy: BudgetPolicy, startedAt: number): Envelope => ({
  policy,
  startedAt,
  counters: {
    toolCalls: 0,
    actionCalls: 0,
    observationCalls: 0,
    failureCalls: 0,
    consecutiveSameTool: 0,
    observationStreak: 0,
    failureStreak: 0,
    sameUrlNavigations: {},
  },
  wallMs: 0,
  signals: { staleRefs: 0, timeouts: 0, noEffect: 0, hints: 0, loginWalls: 0 },
  replyTokens: { total: 0, perTool: {} },
});

/** Returns the envelope after one more call. */
export const recordCall = (envelope: Envelope, call: ToolCallEvent): Envelope => ({
  policy: envelope.policy,
  startedAt: envelope.startedAt,
  counters: count(envelope, call),
  lastTool: call.tool,
  // The clocks of several processes may differ slightly.
  wallMs: Math.max(envelope.wallMs, call.ts - envelope.startedAt),
  signals: call.met.length === 0 ? envelope.signals : sumUp(envelope.signals, call.met),
  replyTokens: {
    total: envelope.replyTokens.total + call.tokens,
    perTool: {
      ...envelope.replyTokens.perTool,
      [call.tool]: (envelope.replyTokens.perTool[call.tool] ?? 0) + call.tokens,
    },
  },
});

const count = (
  { counters, lastTool }: Envelope,
  { tool, observation, ok, url }: ToolCallEvent,
): Counters => ({
  toolCalls: counters.toolCalls + 1,
  actionCalls: counters.actionCalls + (observation ? 0 : 1),
  observationCalls: counters.observationCalls + (observation ? 1 : 0),
  failureCalls: counters.failureCalls + (ok ? 0 : 1),
  consecutiveSameTool: tool === lastTool ? counters.consecutiveSameTool + 1 : 1,
  observationStreak: observation ? counters.observationStreak + 1 : 0,
  failureStreak: ok ? 0 : counters.failureStreak + 1,
  sameUrlNavigations:
    url === undefined
      ? counters.sameUrlNavigations
      : countUrl(counters.sameUrlNavigations, urlKey(url)),
});

const sumUp = (signals: Envelope['signals'], met: readonly Signal[]): Envelope['signals'] => {
  const sums = { ...signals };
  for (const signal of new Set(met)) sums[signal] += 1;
  return sums;
};

/**
 * Above this number, the oldest of the least frequent addresses are dropped, so that the row stays
 * small.
 */
const MAX_URLS = 500;
const MAX_KEY_CHARS = 300;

const countUrl = (
  counts: Counters['sameUrlNavigations'],
  key: string,
): Counters['sameUrlNavigations'] => {
  const { [key]: before = 0, ...others } = counts;
  const kept = Object.keys(others).length < MAX_URLS ? others : withoutLeast(others);
  return { ...kept, [key]: before + 1 };
};

const withoutLeast = (counts: Counters['sameUrlNavigations']): Counters['sameUrlNavigations'] => {
  const fewest = Math.min(...Object.values(counts));
  const least = Object.keys(counts).find((key) => counts[key] === fewest);
  return Object.fromEntries(Object.entries(counts).filter(([key]) => key !== least));
};

/**
 * Addresses are equal if they differ only in the fragment. Long addresses are cut, and a hash of
 * the whole is added.
 */
export const urlKey = (address: string): string => {
  const url = canParseUrl(address) ? new URL(address).href : address;
  const whole = url.replace(/#.*$/s, '');
  return whole.length <= MAX_KEY_CHARS
    ? whole
    : `${whole.slice(0, MAX_KEY_CHARS - 9)}…${fingerprint(whole)}`;
};

/** The FNV-1a hash. */
const fingerprint = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
};

export const LIMIT_FIELDS = [
  'maxToolCalls',
  'maxWallMs',
  'maxReplyTokens',
  'maxConsecutiveSameTool',
  'maxObservationStreak',
  'maxFailureStreak',
  'maxSameUrlNavigations',
] as const;
export type LimitField = (typeof LIMIT_FIELDS)[number];

interface Limit {
  readonly value: (envelope: Envelope) => number;
  readonly say: (value: number, limit: number) => string;
  /** With `enforce`, a call that exceeds this limit does not run. */
  readonly hard?: true;
}

const LIMITS: Readonly<Record<LimitField, Limit>> = {
  maxToolCalls: {
    value: ({ counters }) => counters.toolCalls,
    say: (value, limit) => `tool calls ${value}/${limit}`,
    hard: true,
  },
  maxWallMs: {
    value: ({ wallMs }) => wallMs,
    say: (value, limit) => `time ${value}/${limit} ms`,
    hard: true,
  },
  maxReplyTokens: {
    value: ({ replyTokens }) => replyTokens.total,
    say: (value, limit) => `reply tokens ${value}/${limit}`,
    hard: true,
  },
  maxConsecutiveSameTool: {
    value: ({ counters }) => counters.consecutiveSameTool,
    say: (value, limit) => `same tool in a row ${value}/${limit}`,
  },
  maxObservationStreak: {
    value: ({ counters }) => counters.observationStreak,
    say: (value, limit) => `observation streak ${value}/${limit}`,
  },
  maxFailureStreak: {
    value: ({ counters }) => counters.failureStreak,
    say: (value, limit) => `failure streak ${value}/${limit}`,
  },
  maxSameUrlNavigations: {
    value: ({ counters }) => Math.max(0, ...Object.values(counters.sameUrlNavigations)),
    say: (value, limit) => `navigations to one URL ${value}/${limit}`,
  },
};

type Level = 0 | 1 | 2;
const [OK, WARNING, EXCEEDED] = [0, 1, 2] as const;
const WARNING_SHARE = 0.75;

const findLevel = (field: LimitField, envelope: Envelope): Level => {
  const limit = envelope.policy[field];
  if (limit === undefined) return OK;
  const value = LIMITS[field].value(envelope);
  if (value > limit) return EXCEEDED;
  return value >= Math.ceil(WARNING_SHARE * limit) ? WARNING : OK;
};

const say = (field: LimitField, envelope: Envelope): string =>
  LIMITS[field].say(LIMITS[field].value(envelope), envelope.policy[field] ?? 0);

export interface BudgetVerdict {
  readonly status: 'ok' | 'warning' | 'exceeded';
  readonly exceeded: readonly LimitField[];
  readonly warnings: readonly LimitField[];
  readonly next?: 'change_strategy_or_verify' | 'checkpoint_or_verify';
}

/** Compares the counters with the limits. */
export const judge = (envelope: Envelope): BudgetVerdict => {
  const at = (level: Level): LimitField[] =>
    LIMIT_FIELDS.filter((field) => findLevel(field, envelope) === level);
  const [exceeded, warnings] = [at(EXCEEDED), at(WARNING)];
  if (exceeded.length > 0)
    return { status: 'exceeded', exceeded, warnings, next: 'change_strategy_or_verify' };
  const status = warnings.length > 0 ? 'warning' : 'ok';
  const pause = status === 'warning' || isCheckpoint(envelope);
  return defined({ status, exceeded, warnings, next: valueIf(pause, 'checkpoint_or_verify') });
};

const isCheckpoint = ({
  policy: { checkpointEveryCalls: every },
  counters: { toolCalls },
}: Envelope): boolean => every !== undefined && toolCalls > 0 && toolCalls % every === 0;

/** Returns the envelope with the elapsed time at `now`. */
export const atTime = (envelope: Envelope, now: number): Envelope => ({
  ...envelope,
  wallMs: Math.max(envelope.wallMs, now - envelope.startedAt),
});

/**
 * Describes how a call changed the state of the budget, for its reply; undefined if it is
 * unchanged.
 */
export const describeChange = (before: Envelope, after: Envelope): string | undefined => {
  const moved = (worse: boolean): LimitField[] =>
    LIMIT_FIELDS.filter((field) => {
      const step = findLevel(field, after) - findLevel(field, before);
      return worse ? step > 0 : step < 0;
    });
  const said = moved(true).map((field) => say(field, after));
  if (isCheckpoint(after)) said.push(`${after.counters.toolCalls} calls done`);
  if (said.length > 0)
    return `${said.join(', ')}, ${(judge(after).next ?? '').replaceAll('_', ' ')}`;
  const better = moved(false).map((field) => say(field, after));
  return better.length > 0 ? `${better.join(', ')}, back within the limit` : undefined;
};

/** Describes the budgets that are nearly or fully used; undefined if there are none. */
export const describeNear = (envelope: Envelope): string | undefined => {
  const near = LIMIT_FIELDS.filter((field) => findLevel(field, envelope) !== OK).map((field) =>
    say(field, envelope),
  );
  return near.length > 0 ? near.join(', ') : undefined;
};

/**
 * The hard limits that one more call would exceed, if the task enforces them. `begun` is the number
 * of calls that were started so far.
 */
export const findLimitOfNextCall = (envelope: Envelope, begun: number): LimitField[] => {
  const { policy, counters, replyTokens } = envelope;
  if (!policy.enforce) return [];
  const oneMore = {
    ...envelope,
    counters: { ...counters, toolCalls: Math.max(begun, counters.toolCalls) + 1 },
    replyTokens: { ...replyTokens, total: replyTokens.total + 1 }, // the shortest reply
  };
  return LIMIT_FIELDS.filter(
    (field) => LIMITS[field].hard && findLevel(field, oneMore) === EXCEEDED,
  );
};
