// Converts lines of the journal to rows of the timeline, and counts them per interval. Pure.
import { attempt } from '../../core/attempt.ts';
import { addCount } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { FeedLine } from '../../store/journal/journal-feed.ts';
import type { CallRow, UsageBucket } from './messages.ts';

const TARGET_CHARS = 200;
const SUMMARY_CHARS = 300;

/** Arguments that name the target of a call, most specific first. */
const TARGET_NAMES = [
  'url',
  'ref',
  'query',
  'selector',
  'steps',
  'detail',
  'text',
  'key',
  'coordinate',
  'task_id',
  'taskId',
  'output_handle',
  'objective',
  'kind',
  'name',
  'action',
  'mode',
] as const;

const toText = (value: unknown, chars: number): string | undefined => {
  if (value === undefined || value === null || value === '') return undefined;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.slice(0, chars);
};

const toNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

const findTarget = (args: unknown): string | undefined => {
  if (!isRecord(args)) return undefined;
  const name = TARGET_NAMES.find((candidate) => args[candidate] !== undefined);
  return name === undefined ? undefined : toText(args[name], TARGET_CHARS);
};

const findTask = (args: unknown): string | undefined => {
  if (!isRecord(args)) return undefined;
  return toText(args['taskId'] ?? args['task_id'], 40);
};

/** Events can also name a tool: an approval names the one that waits for the user. */
export const isCallEntry = ({ tool, event }: FeedLine['entry']): boolean =>
  typeof tool === 'string' && event === undefined;

/** The row of a call or of an event. */
export const toCallRow = ({ id, entry }: FeedLine): CallRow => {
  const { ts, tool, event, session, tabId, args, durationMs, tokens, ok, code, summary } = entry;
  const isCall = isCallEntry(entry);
  return defined({
    id,
    ts,
    tool: isCall ? toText(tool, 100) : undefined,
    event: isCall ? undefined : toText(event, 100),
    session: toText(session, 100),
    tabId: toText(tabId, 100),
    target: isCall ? findTarget(args) : toText(entry['url'] ?? entry['host'], TARGET_CHARS),
    ms: toNumber(durationMs),
    tokens: toNumber(tokens),
    ok: typeof ok === 'boolean' ? ok : undefined,
    code: toText(isCall ? code : entry['outcome'], 60),
    summary: isCall ? describeReply(summary) : describeEvent(entry),
    taskId: findTask(args),
  });
};

/** The title of the page if the reply is JSON that describes a page, otherwise the reply. */
const describeReply = (summary: unknown): string | undefined => {
  const text = toText(summary, SUMMARY_CHARS);
  const [, title] = /^\{"tabId":.*?"title":("(?:[^"\\]|\\.)+")/.exec(text ?? '') ?? [];
  const parsed = title === undefined ? undefined : attempt(() => parseJson(title));
  return typeof parsed === 'string' ? parsed : text;
};

/** Fields of an event that have a place of their own in the row. */
const SHOWN_FIELDS = new Set(['ts', 'event', 'id', 'session', 'tabId', 'outcome', 'host', 'url']);

const describeEvent = (entry: FeedLine['entry']): string => {
  const fields = Object.entries(entry).filter(([name]) => !SHOWN_FIELDS.has(name));
  const texts = fields.map(([name, value]) => `${name}: ${toText(value, SUMMARY_CHARS) ?? ''}`);
  return texts.join(', ').slice(0, SUMMARY_CHARS);
};

/** Failures of calls that a guard of the owner rejected. */
const REFUSALS = new Set<unknown>([
  'domain_not_allowed',
  'url_not_allowed',
  'file_not_allowed',
  'secret_not_allowed_here',
  'tool_not_allowed',
]);

const BUCKET_MS = 15_000;
export const USAGE_MS = 60 * 60_000;

/** Counts the calls of the last hour in intervals; oldest first, without empty intervals. */
export const countUsage = (lines: Iterable<FeedLine>, now: number): UsageBucket[] => {
  const buckets = new Map<
    number,
    { calls: number; failed: number; refused: number; tokens: Map<string, number> }
  >();
  for (const { entry } of lines) {
    if (entry.ts < now - USAGE_MS) continue;
    const ts = Math.floor(entry.ts / BUCKET_MS) * BUCKET_MS;
    const bucket = buckets.get(ts) ?? { calls: 0, failed: 0, refused: 0, tokens: new Map() };
    buckets.set(ts, bucket);
    const { tool, ok, event } = entry;
    if (isCallEntry(entry)) {
      bucket.calls++;
      if (ok === false) bucket.failed++;
      if (REFUSALS.has(entry['code'])) bucket.refused++;
      addCount(bucket.tokens, String(tool).slice(0, 100), toNumber(entry['tokens']) ?? 0);
    } else if (event === 'guard_refused') bucket.refused += toNumber(entry['times']) ?? 1;
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([ts, { tokens, ...counts }]) => ({ ts, ...counts, tokens: Object.fromEntries(tokens) }));
};
