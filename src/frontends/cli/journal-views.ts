// Renders the calls of the journal and their totals for people. Pure.
import { formatCount, formatDuration, formatTime } from './moments.ts';
import type { TableColumn } from './text-layout.ts';
import { drawTable, type ViewContext } from './view-context.ts';

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
