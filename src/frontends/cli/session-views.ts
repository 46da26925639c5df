// Renders sessions and recordings for people. Pure.
import { listIf } from '../../core/collections.ts';
import { renderData } from './data-text.ts';
import { formatCount, formatDuration } from './moments.ts';
import { drawTable, type ViewContext } from './view-context.ts';

interface SessionRow {
  readonly name: string;
  readonly storage: string;
  readonly tabs: number;
}

export const renderSessions = (
  data: { readonly sessions?: readonly SessionRow[] },
  context: ViewContext,
): string => {
  if (!data.sessions) return renderData(data, context.columns);
  const rows = data.sessions.map(({ name, storage, tabs }) => [name, storage, String(tabs)]);
  const titles = [
    { title: 'session', shrinks: 1 },
    { title: 'storage' },
    { title: 'tabs', align: 'right' as const },
  ];
  return drawTable(titles, rows, context);
};

interface SessionChange {
  readonly opened?: SessionRow;
  readonly restored?: { readonly login: string; readonly cookies: number };
  readonly closed?: string;
  readonly tabs?: number;
  readonly data?: string;
}

export const renderSessionChange = (change: SessionChange, { columns }: ViewContext): string => {
  const { opened, restored, closed, tabs = 0, data } = change;
  if (opened) {
    const { name, storage } = opened;
    const own = storage === 'own' ? 'with its own storage' : "with the storage of Chrome's profile";
    return [
      `Opened the session "${name}" ${own}. Use it with --session ${name}.`,
      ...listIf(
        restored,
        `Restored the login "${restored?.login}": ${formatCount(restored?.cookies ?? 0, 'cookie')}.`,
      ),
    ].join('\n');
  }
  if (closed === undefined) return renderData(change, columns);
  const deleted = data === 'deleted' ? '; its data was deleted' : '';
  return `Closed the session "${closed}" with ${formatCount(tabs, 'tab')}${deleted}.`;
};

interface RecordingReply {
  readonly task_id: string;
  readonly status: string;
  readonly folder: string;
  readonly summary?: {
    readonly duration_ms: number;
    readonly steps: number;
    readonly calls: number;
    readonly failed_calls: number;
    readonly requests: number;
    readonly stop_reason: string;
  };
  readonly files?: readonly { readonly export: string; readonly path: string }[];
}

/** Paths are on lines of their own, because a table would shorten them. */
export const renderRecording = (data: RecordingReply, { columns }: ViewContext): string => {
  const { task_id: id, status, folder, summary, files = [] } = data;
  if (status === 'RUNNING')
    return [
      `Recording the tab (task ${id}). Stop it with: openchrome record stop`,
      `Folder: ${folder}`,
    ].join('\n');
  if (!summary) return renderData(data, columns);
  const { duration_ms: ms, steps, calls, failed_calls: failed, requests } = summary;
  const counts = [
    formatCount(steps, 'step'),
    `${formatCount(calls, 'call')}${failed > 0 ? ` (${failed} failed)` : ''}`,
    formatCount(requests, 'request'),
  ];
  return [
    `Recorded ${counts.join(', ')} in ${formatDuration(ms)} (task ${id}).`,
    ...files.map(({ path }) => path),
    'Watch it with: openchrome record open',
  ].join('\n');
};
