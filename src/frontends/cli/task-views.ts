// Renders tasks, their events, and the calls of the journal for people. Pure.
import { formatAge, formatCount, formatDuration, formatTime } from './amounts.ts';
import type { Colour } from './terminal.ts';
import { type TableColumn, toOneLine } from './text-layout.ts';
import { drawTable, isRecord, renderData, type ViewContext } from './view-text.ts';

interface JournalRow {
  readonly ts: number;
  readonly tool?: string;
  readonly event?: string;
  readonly session?: string;
  readonly durationMs?: number;
  readonly ok?: boolean;
  readonly code?: string;
  readonly summary?: string;
}

export const renderJournal = (
  data: readonly JournalRow[] | Readonly<Record<string, unknown>>,
  context: ViewContext,
): string => {
  if (!Array.isArray(data)) return renderJournalSummary(data as JournalTotals, context);
  const entries = data as readonly JournalRow[];
  if (entries.length === 0) return 'No calls.';
  const rows = entries.map(({ ts, tool, event, session, durationMs, ok, code, summary }) => [
    formatTime(ts, context.now),
    session ?? '',
    tool ?? event ?? '',
    ok === undefined ? '' : formatOutcome(ok, code),
    durationMs === undefined ? '' : formatDuration(durationMs),
    summary ?? '',
  ]);
  const titles: TableColumn[] = [
    { title: 'time' },
    { title: 'session' },
    { title: 'call' },
    { title: 'outcome' },
    { title: 'took', align: 'right' },
    { title: 'summary', shrinks: 1 },
  ];
  return drawTable(titles, rows, context);
};

const formatOutcome = (ok: boolean, code: string | undefined): string =>
  ok ? 'ok' : (code ?? 'failed');

interface JournalTotals {
  readonly from?: number;
  readonly to?: number;
  readonly calls?: number;
  readonly failed?: number;
  readonly tools?: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly failed: number;
    readonly totalMs: number;
    readonly maxMs: number;
  }[];
}

const renderJournalSummary = (data: JournalTotals, context: ViewContext): string => {
  const { calls = 0, failed = 0, from, to, tools = [] } = data;
  const span =
    from === undefined || to === undefined
      ? ''
      : `, ${formatTime(from, context.now)} to ${formatTime(to, context.now)}`;
  const rows = tools.map((row) => [
    row.tool,
    String(row.calls),
    String(row.failed),
    formatDuration(row.totalMs),
    formatDuration(row.maxMs),
  ]);
  const titles: TableColumn[] = [
    { title: 'tool', shrinks: 1 },
    { title: 'calls', align: 'right' },
    { title: 'failed', align: 'right' },
    { title: 'total', align: 'right' },
    { title: 'slowest', align: 'right' },
  ];
  return [
    `${formatCount(calls, 'call')}, ${failed} failed${span}`,
    ...(rows.length === 0 ? [] : ['', drawTable(titles, rows, context)]),
  ].join('\n');
};

export interface TaskData {
  readonly task_id: string;
  readonly kind: string;
  readonly status: string;
  readonly created_at?: number;
  readonly started_at?: number;
  readonly ended_at?: number;
  readonly args_summary?: Readonly<Record<string, unknown>>;
  readonly objective?: string;
  readonly progress?: { readonly done: number; readonly total?: number; readonly message?: string };
  readonly error?: { readonly code?: string; readonly message?: string } | string;
  readonly result_path?: string;
  readonly session?: string;
}

const STATUS_COLOURS: Readonly<Record<string, Colour>> = {
  RUNNING: 'yellow',
  COMPLETED: 'green',
  FAILED: 'red',
};

/** These characters contain the time of creation, so tasks that are not listed differ too. */
const MIN_ID_CHARACTERS = 12;

/** The length of the shortest prefix that distinguishes all ids. */
export const findIdLength = (ids: readonly string[]): number => {
  const longest = Math.max(0, ...ids.map((id) => id.length));
  for (let length = MIN_ID_CHARACTERS; length < longest; length++)
    if (new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size) return length;
  return longest;
};

const formatProgress = ({ progress }: TaskData): string => {
  if (!progress) return '';
  return progress.total === undefined ? `${progress.done}` : `${progress.done}/${progress.total}`;
};

export const describeArguments = ({ args_summary: args, objective }: TaskData): string => {
  if (objective !== undefined) return objective;
  // The id of a tab has 32 digits and is not valid after a restart.
  const { url, tabId: _, ...more } = args ?? {};
  const rest = Object.entries(more).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [typeof url === 'string' ? url : '', ...rest].filter((part) => part !== '').join(' ');
};

export const formatRuntime = (task: TaskData, now: number): string => {
  const { started_at: start, ended_at: end } = task;
  return start === undefined ? '' : formatDuration((end ?? now) - start);
};

export const renderTasks = (
  { tasks }: { readonly tasks: readonly TaskData[] },
  context: ViewContext,
): string => {
  if (tasks.length === 0) return 'No tasks.';
  const length = findIdLength(tasks.map(({ task_id }) => task_id));
  const { now } = context;
  const rows = tasks.map((task) => [
    task.task_id.slice(0, length),
    task.kind,
    task.status,
    formatProgress(task),
    formatRuntime(task, now),
    task.created_at === undefined ? '' : `${formatAge(now - task.created_at)} ago`,
    describeArguments(task),
  ]);
  const titles: TableColumn[] = [
    { title: 'task' },
    { title: 'kind' },
    { title: 'status' },
    { title: 'done', align: 'right' },
    { title: 'time', align: 'right' },
    { title: 'started', align: 'right' },
    { title: 'work', shrinks: 1 },
  ];
  return drawTable(titles, rows, context);
};

const describeError = ({ error }: TaskData): string | undefined => {
  if (error === undefined || typeof error === 'string') return error;
  return [error.code, error.message].filter((part) => part !== undefined).join(': ');
};

export const renderTaskRow = (task: TaskData, { now, paint }: ViewContext): string => {
  const { task_id: id, kind, status, created_at: created, ended_at: ended } = task;
  const colour = STATUS_COLOURS[status];
  const { message } = task.progress ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['task', id],
    ['kind', kind],
    ['status', colour ? paint(colour, status) : status],
    ['work', describeArguments(task)],
    ['progress', [formatProgress(task), message ?? ''].filter((part) => part !== '').join('  ')],
    [
      'started',
      created === undefined ? '' : `${formatTime(created, now)} (${formatAge(now - created)} ago)`,
    ],
    ['ended', ended === undefined ? '' : formatTime(ended, now)],
    ['time', formatRuntime(task, now)],
    ['error', describeError(task)],
    ['result', task.result_path],
  ];
  return rows
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name.padEnd(8)}  ${value}`)
    .join('\n');
};

interface TaskEventData {
  readonly ts?: number;
  readonly kind?: string;
  readonly data?: unknown;
}

export const renderTaskEvents = (events: readonly TaskEventData[], { now }: ViewContext): string =>
  events
    .map(({ ts, kind = '', data }) =>
      [ts === undefined ? '' : formatTime(ts, now), kind, formatEvent(data)]
        .filter((part) => part !== '')
        .join('  '),
    )
    .join('\n');

const formatEvent = (data: unknown): string => {
  if (!isRecord(data)) return data === undefined ? '' : JSON.stringify(data);
  const { done, total, message, ...more } = data;
  const count = [done, total].filter((part) => typeof part === 'number').join('/');
  const rest = Object.keys(more).length === 0 ? '' : JSON.stringify(more);
  return [count, typeof message === 'string' ? toOneLine(message) : '', rest]
    .filter((part) => part !== '')
    .join(' ');
};

export const renderTask = (
  data: {
    readonly meta: TaskData;
    readonly events_tail?: readonly TaskEventData[];
    readonly recent_events?: readonly TaskEventData[];
  } & Readonly<Record<string, unknown>>,
  context: ViewContext,
): string => {
  const { meta, events_tail: tail, recent_events: recent, ...more } = data;
  const facts = Object.keys(more).length === 0 ? '' : renderData(more, context.columns);
  const events = tail ?? recent ?? [];
  const lines = events.length === 0 ? '' : `\n${renderTaskEvents(events, context)}`;
  return [renderTaskRow(meta, context), facts, lines].filter((part) => part !== '').join('\n');
};
