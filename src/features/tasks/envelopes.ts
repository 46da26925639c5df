// Envelopes: tasks that the client drives itself, within budgets; each call is a history line.
import { randomBytes } from 'node:crypto';
import { defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { parseTaskTime } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import {
  atTime,
  type BudgetPolicy,
  type Counters,
  findLimitOfNextCall,
  describeChange,
  describeNear,
  judge,
  type Envelope,
  type LimitField,
  type BudgetVerdict,
} from '../../policy/budget.ts';
import { parseDomains } from '../../policy/domains.ts';
import {
  ENVELOPE_KIND,
  type TaskChange,
  type TaskEvent,
  type TaskLedger,
  type TaskMeta,
  type TaskOwners,
} from '../../store/tasks/task-ledger.ts';
import {
  buildAdmissionLine,
  buildCallLine,
  buildCountLine,
  buildShownLine,
  type CallOutcome,
  END_STEPS,
  type EnvelopeFields,
  type EnvelopePolicy,
  findEndStep,
  parseMark,
  readDeclared,
  readTally,
  type RecordedCall,
  type Tally,
  withTally,
} from './envelope-record.ts';
import { advance, hasEnded, type TaskStep } from './task-state.ts';

/** The counts are saved in the row this often, so that a new process has few lines to count. */
const SAVE_EVERY_CALLS = 100;
/** Number of envelopes whose counts are cached in memory. */
const KEPT = 200;
const EVENTS_SHOWN = 10;
/** Some lines are not shown, so more lines are read than are shown. */
const EVENTS_READ = 3 * EVENTS_SHOWN;

interface EnvelopesOptions {
  readonly store: TaskLedger;
  readonly owners: TaskOwners;
  /** Removes text that people cannot see. */
  readonly sanitise: <T>(data: T) => T;
  readonly log: Log;
  readonly now?: () => number;
}

export interface EnvelopeStart {
  readonly objective: string;
  readonly policy: EnvelopePolicy;
  readonly phase: string;
  readonly session: string;
}

export interface EnvelopeUpdate {
  readonly phase?: string | undefined;
  readonly note?: string | undefined;
}

/** An envelope at the start of a call. */
export interface OpenEnvelope {
  readonly policy: BudgetPolicy;
  /** A message about budgets that are nearly or fully used up. */
  readonly near: string | undefined;
  /** Throws if the task enforces its limits and the next call would exceed one. */
  readonly admit: () => Promise<void>;
  /**
   * Records a finished call. Returns a message if the state of the budget changed; throws if the
   * call could not be recorded.
   */
  readonly record: (call: RecordedCall) => Promise<string | undefined>;
}

/** The fields of an envelope that the client sees. */
export interface EnvelopeShown extends EnvelopeFields {
  readonly counters: Counters;
  readonly budget_status: BudgetVerdict['status'];
  readonly budget_exceeded: readonly LimitField[];
  readonly budget_warnings: readonly LimitField[];
  readonly recommended_next?: BudgetVerdict['next'];
  readonly signals: Envelope['signals'];
  readonly reply_tokens: Envelope['replyTokens'];
}

/** The counts, and the line that ended the envelope, if any. */
interface KnownEnvelope {
  readonly tally: Tally;
  readonly end?: TaskEvent;
}

/** Called for each line with the counts before and after it. */
type OnLine = (event: TaskEvent, before: KnownEnvelope, after: KnownEnvelope) => void;

export class Envelopes {
  readonly #store: TaskLedger;
  readonly #options: EnvelopesOptions;
  readonly #now: () => number;
  readonly #known = new Map<string, KnownEnvelope>();

  constructor(options: EnvelopesOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#now = options.now ?? Date.now;
  }

  async start({ objective, policy, phase, session }: EnvelopeStart): Promise<TaskMeta> {
    const { owners, sanitise } = this.#options;
    // Invalid domains are reported here, not by the first call.
    parseDomains(policy.allowedDomains ?? [], 'policy.allowedDomains');
    const fields = { ...sanitise({ objective, phase }), policy };
    return this.#store.create((id) => {
      const now = parseTaskTime(id);
      const common = {
        task_id: id,
        kind: ENVELOPE_KIND,
        status: 'PENDING' as const,
        session,
        created_at: now,
        args_summary: {},
      };
      return advance({ ...common, ...owners.ownFields(), ...fields }, { type: 'start' }, now);
    });
  }

  /** Returns the envelope if calls can be recorded in it, else a message with the reason. */
  async open(id: string): Promise<OpenEnvelope | string> {
    const meta = await this.#findOpen(id);
    if (typeof meta === 'string') return meta;
    const { tally, end } = await this.#count(meta);
    if (end) return `task ${id} has already ended`;
    const { envelope } = tally;
    return {
      policy: envelope.policy,
      near: describeNear(atTime(envelope, this.#now())),
      admit: () => this.#admit(meta, tally),
      record: (call) => this.#record(meta, call),
    };
  }

  async #admit(meta: TaskMeta, { envelope, admitted }: Tally): Promise<void> {
    const [id, now] = [meta.task_id, this.#now()];
    const broken = findLimitOfNextCall(atTime(envelope, now), admitted);
    if (broken.length > 0) throw refusal(id, envelope, broken);
    const { enforce, maxToolCalls } = envelope.policy;
    if (!enforce || maxToolCalls === undefined) return;
    // If calls start at the same time, also in other processes, the order of their lines decides
    // which of them exceeds the limit.
    const own = await this.#append(meta, (mark) => buildAdmissionLine(now, mark));
    const after = own?.after;
    if (after && after.tally.admitted > maxToolCalls)
      throw refusal(id, after.tally.envelope, ['maxToolCalls']);
  }

  async #record(meta: TaskMeta, call: RecordedCall): Promise<string | undefined> {
    const { sanitise, log } = this.#options;
    const id = meta.task_id;
    const own = await this.#append(meta, (mark) =>
      buildCallLine({ ...call, ...sanitise({ url: call.url }) }, mark),
    );
    if (!own || own.before.end) throw alreadyEnded(id);
    const [before, after] = [own.before.tally.envelope, own.after.tally.envelope];
    const change = describeChange(before, after);
    try {
      if (change !== undefined) await this.#recordBudget(id, after);
      if (after.counters.toolCalls % SAVE_EVERY_CALLS === 0) await this.#save(meta);
    } catch (error) {
      // the call itself is in the history
      log.warn(`task ${id}: the call was recorded, but the task's row could not be updated`, error);
    }
    return change;
  }

  async update(id: string, { phase, note }: EnvelopeUpdate): Promise<TaskMeta> {
    const { tally } = await this.#count(await this.#requireOwn(id));
    const data = this.#options.sanitise(defined({ phase, note }));
    return this.#store.change(id, (meta) => {
      if (hasEnded(meta)) throw alreadyEnded(id, meta);
      const { phase: now } = data;
      const counted = withTally(meta, tally);
      return {
        meta: now === undefined ? counted : { ...counted, phase: now },
        event: { ts: this.#now(), kind: 'log', data },
      };
    });
  }

  async finish(id: string, outcome: CallOutcome, note?: string): Promise<TaskMeta> {
    const { tally } = await this.#count(await this.#requireOwn(id));
    const data = this.#options.sanitise(defined({ outcome, note }));
    return this.#store.change(id, (meta) =>
      buildEnd(withTally(meta, tally), END_STEPS[outcome], this.#now(), data),
    );
  }

  /** Ends the envelope at once; returns one that has already ended unchanged. */
  async cancel(found: TaskMeta): Promise<TaskMeta> {
    const { tally } = await this.#count(found);
    return this.#store.change(found.task_id, (meta) =>
      hasEnded(meta)
        ? undefined
        : buildEnd(withTally(meta, tally), END_STEPS.cancelled, this.#now(), {}),
    );
  }

  /**
   * Updates the row if the history has an end that the row lacks, because the process died before
   * it wrote the row.
   */
  async settle(meta: TaskMeta): Promise<TaskMeta> {
    if (hasEnded(meta) || !readDeclared(meta)) return meta;
    const { end, tally } = await this.#count(meta);
    const step = end && findEndStep(end);
    if (!step) return meta;
    return this.#store.change(meta.task_id, (row) =>
      hasEnded(row) ? undefined : { meta: buildEnd(withTally(row, tally), step, end.ts, {}).meta },
    );
  }

  /** Returns the fields that the client sees, with the current state of the budget. */
  async show(meta: TaskMeta): Promise<EnvelopeShown> {
    const { objective, phase, policy } = requireDeclared(meta);
    const { tally } = await this.#count(meta);
    const envelope = atTime(tally.envelope, meta.ended_at ?? this.#now());
    const { status, exceeded, warnings, next } = judge(envelope);
    return defined({
      objective,
      phase,
      policy,
      counters: shownCounters(envelope),
      budget_status: status,
      budget_exceeded: exceeded,
      budget_warnings: warnings,
      recommended_next: next,
      signals: envelope.signals,
      reply_tokens: envelope.replyTokens,
    });
  }

  /** Returns the last events, oldest first. */
  async recentEvents(id: string): Promise<TaskEvent[]> {
    const events = await this.#store.tail(id, EVENTS_READ);
    return events.flatMap((event) => buildShownLine(event) ?? []).slice(-EVENTS_SHOWN);
  }

  /** Throws for background jobs: they end by themselves and have no phases. */
  async #requireOwn(id: string): Promise<TaskMeta> {
    const meta = await this.#store.require(id);
    const { kind } = meta;
    if (kind === ENVELOPE_KIND) return meta;
    throw fail('not_an_envelope', `Task ${id} is a background ${kind}.`, { task_id: id, kind });
  }

  async #findOpen(id: string): Promise<TaskMeta | string> {
    try {
      const meta = await this.#store.require(id);
      if (meta.kind !== ENVELOPE_KIND) return `task ${id} is a background ${meta.kind}`;
      if (!readDeclared(meta)) return `the row of task ${id} cannot be read`;
      return hasEnded(meta) ? `task ${id} has already ended: ${meta.status}` : meta;
    } catch (error) {
      if (error instanceof Failure) return error.message.replace(/\.$/, '');
      throw error;
    }
  }

  /**
   * Appends a line and returns the counts before and after it; undefined if the line is not in the
   * history any more.
   */
  async #append(
    meta: TaskMeta,
    line: (mark: string) => TaskEvent,
  ): Promise<{ readonly before: KnownEnvelope; readonly after: KnownEnvelope } | undefined> {
    const mark = randomBytes(6).toString('hex');
    let own: { readonly before: KnownEnvelope; readonly after: KnownEnvelope } | undefined;
    await this.#store.append(meta.task_id, line(mark));
    await this.#count(meta, (event, before, after) => {
      if (parseMark(event) === mark) own = { before, after };
    });
    return own;
  }

  /** Counts the history lines since the last call. Lines after the end do not count. */
  async #count(meta: TaskMeta, onLine?: OnLine): Promise<KnownEnvelope> {
    const id = meta.task_id;
    const { policy } = requireDeclared(meta);
    let known: KnownEnvelope = this.#known.get(id) ?? { tally: readTally(meta, policy) };
    const visit = (event: TaskEvent): void => {
      const before = known;
      if (!known.end)
        known = findEndStep(event)
          ? { ...known, end: event }
          : { tally: buildCountLine(known.tally, event) };
      onLine?.(event, before, known);
    };
    let bytes = await this.#store.history(id, known.tally.bytes, visit);
    if (bytes === undefined) {
      // The history is shorter than before, so another program changed it: count it from the start.
      known = { tally: { ...readTally({ ...meta, counted: undefined }, policy), bytes: 0 } };
      bytes = (await this.#store.history(id, 0, visit)) ?? 0;
    }
    known = { ...known, tally: { ...known.tally, bytes } };
    this.#remember(id, known);
    return known;
  }

  #remember(id: string, known: KnownEnvelope): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT && oldest !== undefined) this.#known.delete(oldest);
  }

  async #recordBudget(id: string, envelope: Envelope): Promise<void> {
    const { status, exceeded, warnings } = judge(envelope);
    await this.#store.append(id, {
      ts: this.#now(),
      kind: 'budget',
      data: { status, exceeded, warnings },
    });
  }

  async #save(envelope: TaskMeta): Promise<void> {
    const { tally } = await this.#count(envelope);
    await this.#store.change(envelope.task_id, (meta) =>
      hasEnded(meta) ? undefined : { meta: withTally(meta, tally) },
    );
  }
}

const buildEnd = (meta: TaskMeta, step: TaskStep, now: number, data: object): TaskChange => {
  const { meta: ended, event } = advance({ ...meta, phase: 'done' }, step, now);
  return { meta: ended, event: { ts: now, kind: 'log', ...event, data } };
};

const requireDeclared = (meta: TaskMeta): EnvelopeFields => {
  const declared = readDeclared(meta);
  if (declared) return declared;
  const id = meta.task_id;
  throw fail('storage_failed', `The row of task ${id} lacks fields of an envelope.`, {
    task_id: id,
    retryable: false,
  });
};

const SHOWN_URLS = 10;

const shownCounters = ({ counters }: Envelope): Counters => ({
  ...counters,
  sameUrlNavigations: mostNavigated(counters.sameUrlNavigations),
});

/** Returns the most frequent URLs; among equal counts the latest. */
const mostNavigated = (counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .toReversed()
      .sort(([, a], [, b]) => b - a)
      .slice(0, SHOWN_URLS),
  );

const refusal = (id: string, envelope: Envelope, exceeded: readonly LimitField[]): Failure => {
  const limits = exceeded.map((field) => `${field} ${envelope.policy[field]}`).join(', ');
  return fail('budget_exceeded', `Task ${id} allows no further calls: ${limits} is used up.`, {
    task_id: id,
    budget_exceeded: exceeded,
    counters: shownCounters(envelope),
  });
};

const alreadyEnded = (id: string, meta?: TaskMeta): Failure =>
  fail(
    'task_already_ended',
    meta ? `Task ${id} has already ended: ${meta.status}.` : `Task ${id} has already ended.`,
    defined({ task_id: id, status: meta?.status }),
  );
