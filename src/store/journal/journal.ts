// The journal: one line per call or event. Errors in the journal never fail a call.
import { z } from 'zod';
import { addCount, getOrCreate } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import type { Log } from '../../core/log.ts';
import { type Gaps, JsonlLog } from '../files/jsonl-log.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import { JOURNAL_NAME, journalRetention, type RetentionRule } from '../files/sweeper.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;
/** Larger arguments are replaced by `omitted`. */
const MAX_ARGS_CHARS = 8 * 1024;
const MAX_TARGETS_CHARS = 16 * 1024;
const TOOL_CHARS = 100;
const SUMMARY_CHARS = 160;
/** Only the beginning of a reply is searched for secrets. */
const MAX_SUMMARY_CHARS = 20 * SUMMARY_CHARS;
const CLOCK_SLACK_MS = 60_000;

const CallEntry = z.object({
  ts: z.number(),
  tool: z.string(),
  session: z.string(),
  tabId: z.string().optional(),
  /** The task that the call belongs to; absent for calls that only work on the task ledger. */
  task: z.string().optional(),
  args: z.unknown(),
  durationMs: z.number(),
  /** Estimated tokens of the reply; absent in entries of older versions. */
  tokens: z.number().optional(),
  ok: z.boolean(),
  code: z.string().optional(),
  /** The call worked, but the answer is no: a failed check, a form with failed fields. */
  negative: z.literal(true).optional(),
  summary: z.string(),
  /** Facts of the elements that a call of a task acted on. */
  targets: z.array(z.unknown()).optional(),
  /** Kinds of effects of the last action of such a call. */
  effects: z.record(z.string(), z.unknown()).optional(),
});
const EventEntry = z.looseObject({ ts: z.number(), event: z.string() });
const Entry = z.union([CallEntry, EventEntry]);

export type CallEntry = z.output<typeof CallEntry>;
export type EventEntry = z.output<typeof EventEntry>;
export type JournalEntry = z.output<typeof Entry>;

export interface ToolCallTotals {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly totalMs: number;
  readonly maxMs: number;
  /** Estimated tokens of all replies. */
  readonly tokens: number;
}

export interface JournalSummary extends Readonly<Gaps> {
  /** Times of the oldest and the newest counted entry. */
  readonly from?: number;
  readonly to?: number;
  readonly calls: number;
  readonly failed: number;
  /** Estimated tokens of all replies. */
  readonly tokens: number;
  readonly events: number;
  /** Tools with the most calls first. */
  readonly tools: readonly ToolCallTotals[];
  readonly codes: Readonly<Record<string, number>>;
  /** Number of entries that this process could not write. */
  readonly lost: number;
}

export interface RecentOptions {
  readonly count: number;
  readonly tool?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

export interface Journal {
  /** Appends an entry without its secrets. */
  append(entry: JournalEntry): void;
  /**
   * As `append`, for a call with arguments of any size, from a tab with these origins. Returns the
   * entry without its secrets.
   */
  appendCall(entry: CallEntry, origins: Iterable<string>): Promise<CallEntry>;
  /** Oldest first, optionally of one tool only. */
  recent(options: RecentOptions): Promise<readonly JournalEntry[]>;
  /** All calls of a task that started at `since`, oldest first. */
  callsOfTask(task: string, since: number): Promise<readonly CallEntry[]>;
  summary(options?: { readonly since?: number }): Promise<JournalSummary>;
  readonly retention: RetentionRule;
}

interface JournalOptions {
  readonly folder: string;
  readonly log: Log;
  readonly writer: PayloadWriter;
  readonly now?: () => number;
}

export const openJournal = ({ folder, log, writer, now = Date.now }: JournalOptions): Journal => {
  const lines = new JsonlLog<JournalEntry>({
    folder,
    name: JOURNAL_NAME,
    schema: Entry,
    maxFileBytes: MAX_FILE_BYTES,
    now,
  });
  let lost = 0;
  let failing = false;

  const append = (entry: JournalEntry): void =>
    write(isCall(entry) ? cleanCall(entry, writer.clean(entry.args), writer) : writer.clean(entry));

  const appendCall = async (entry: CallEntry, origins: Iterable<string>): Promise<CallEntry> => {
    const cleaner = writer.forOrigins(origins);
    const args = await cleaner.cleanLarge(entry.args).catch(() => NOT_CLEANED);
    const cleaned = cleanCall(entry, args, cleaner);
    write(cleaned);
    return cleaned;
  };

  const write = (entry: JournalEntry): void => {
    try {
      lines.append(withSmallArguments(entry));
      failing = false;
    } catch (error) {
      lost++;
      // logs only the first of consecutive failures
      if (!failing) log.warn('the journal cannot be written; calls continue without it', error);
      failing = true;
    }
  };

  const recent = async ({
    count,
    tool,
    since,
  }: RecentOptions): Promise<readonly JournalEntry[]> => {
    const found: JournalEntry[] = [];
    for await (const entry of takeSince(lines.newestFirst(), since)) {
      if (found.length >= count) break;
      if (tool === undefined || (isCall(entry) && entry.tool === tool)) found.push(entry);
    }
    return found.toReversed();
  };

  const callsOfTask = async (task: string, since: number): Promise<readonly CallEntry[]> => {
    const found: CallEntry[] = [];
    for await (const entry of takeSince(lines.newestFirst(), since - CLOCK_SLACK_MS))
      if (isCall(entry) && entry.task === task) found.push(entry);
    return found.toReversed();
  };

  const summary = async ({ since }: { readonly since?: number } = {}): Promise<JournalSummary> => {
    const gaps: Gaps = { torn: 0, unreadable: [] };
    const counts = new Counts();
    for await (const entry of takeSince(lines.newestFirst(gaps), since)) counts.add(entry);
    return { ...counts.toSummary(), lost, ...gaps };
  };

  return { append, appendCall, recent, callsOfTask, summary, retention: journalRetention(folder) };
};

const isCall = (entry: JournalEntry): entry is CallEntry =>
  'tool' in entry && 'durationMs' in entry;

/** Entries are sorted by time, except for small differences between processes or clock changes. */
async function* takeSince(
  entries: AsyncIterable<JournalEntry>,
  since: number = -Infinity,
): AsyncGenerator<JournalEntry> {
  for await (const entry of entries) {
    if (entry.ts >= since) yield entry;
    else if (entry.ts < since - CLOCK_SLACK_MS) return;
  }
}

const NOT_CLEANED = { omitted: 'could not be redacted' };

/** Cuts after the redaction, because a part of a secret is not recognised. */
const cleanCall = (entry: CallEntry, args: unknown, writer: PayloadWriter): CallEntry => {
  const summary = writer.cleanText(entry.summary.slice(0, MAX_SUMMARY_CHARS));
  const { targets, effects, ...rest } = entry;
  return {
    ...rest,
    ...defined({
      targets: cleanTargets(targets, writer),
      effects: ifDefined(effects, (kinds) => writer.clean(kinds)),
    }),
    tool: writer.cleanText(entry.tool).slice(0, TOOL_CHARS),
    args,
    summary: summary.slice(0, SUMMARY_CHARS).replace(/\s+/g, ' '),
  };
};

/** Undefined if they are too long for a line. */
const cleanTargets = (
  targets: readonly unknown[] | undefined,
  writer: PayloadWriter,
): unknown[] | undefined =>
  targets && JSON.stringify(targets).length <= MAX_TARGETS_CHARS
    ? (writer.clean(targets) as unknown[])
    : undefined;

const withSmallArguments = (entry: JournalEntry): JournalEntry => {
  if (!isCall(entry)) return entry;
  const length = JSON.stringify(entry.args)?.length ?? 0;
  return length > MAX_ARGS_CHARS ? { ...entry, args: { omitted: `${length} characters` } } : entry;
};

/** Counts entries one by one, so that memory use does not depend on the size of the journal. */
class Counts {
  readonly #tools = new Map<
    string,
    { tool: string; calls: number; failed: number; totalMs: number; maxMs: number; tokens: number }
  >();
  readonly #codes = new Map<string, number>();
  #events = 0;
  #from = Infinity;
  #to = -Infinity;

  add(entry: JournalEntry): void {
    this.#from = Math.min(this.#from, entry.ts);
    this.#to = Math.max(this.#to, entry.ts);
    if (isCall(entry)) this.#addCall(entry);
    else this.#events++;
  }

  #addCall({ tool, durationMs, ok, code, tokens = 0 }: CallEntry): void {
    const of = getOrCreate(this.#tools, tool, () => ({
      tool,
      calls: 0,
      failed: 0,
      totalMs: 0,
      maxMs: 0,
      tokens: 0,
    }));
    of.calls++;
    of.totalMs += durationMs;
    of.tokens += tokens;
    of.maxMs = Math.max(of.maxMs, durationMs);
    if (ok) return;
    of.failed++;
    if (code !== undefined) addCount(this.#codes, code);
  }

  toSummary(): Omit<JournalSummary, 'lost' | keyof Gaps> {
    const tools = [...this.#tools.values()].sort(
      (a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1),
    );
    const hasEntries = this.#from <= this.#to;
    return defined({
      from: hasEntries ? this.#from : undefined,
      to: hasEntries ? this.#to : undefined,
      calls: tools.reduce((sum, { calls }) => sum + calls, 0),
      failed: tools.reduce((sum, { failed }) => sum + failed, 0),
      tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
      events: this.#events,
      tools,
      codes: Object.fromEntries([...this.#codes].sort(([, a], [, b]) => b - a)),
    });
  }
}
