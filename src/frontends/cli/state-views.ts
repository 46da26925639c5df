// Renders sessions, recordings, cookies, storage, downloads, tools and results for people. Pure.
import { listIf } from '../../core/collections.ts';
import { formatCount, formatDuration, formatSize, formatTime } from './amounts.ts';
import type { TableColumn } from './text-layout.ts';
import { drawTable, renderData, type ViewContext, wrapNote } from './view-text.ts';

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

interface CookieRow {
  readonly name: string;
  readonly value?: string;
  readonly domain: string;
  readonly path: string;
  readonly expires: string | number;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: string;
}

export const renderCookies = (
  data: { readonly cookies?: readonly CookieRow[] },
  context: ViewContext,
): string => {
  const { cookies } = data;
  if (!cookies) return renderData(data, context.columns);
  if (cookies.length === 0) return 'No cookies.';
  const rows = cookies.map((cookie) => [
    cookie.name,
    cookie.value ?? '',
    cookie.domain,
    cookie.path,
    formatExpiry(cookie.expires, context.now),
    [
      cookie.secure ? 'secure' : '',
      cookie.httpOnly ? 'httpOnly' : '',
      cookie.sameSite ? `sameSite=${cookie.sameSite}` : '',
    ]
      .filter((flag) => flag !== '')
      .join(' '),
  ]);
  const titles: TableColumn[] = [
    { title: 'name', shrinks: 2 },
    { title: 'value', shrinks: 3 },
    { title: 'domain', shrinks: 1 },
    { title: 'path' },
    { title: 'expires' },
    { title: 'flags' },
  ];
  return drawTable(titles, rows, context);
};

/** A cookie of the browser session has a word instead of a time. */
const formatExpiry = (expires: string | number, now: number): string => {
  const ms = Date.parse(String(expires));
  return Number.isNaN(ms) ? String(expires) : formatTime(ms, now);
};

export const renderStorage = (
  data: { readonly area: string; readonly entries: readonly { key: string; value?: unknown }[] },
  context: ViewContext,
): string => {
  if (data.entries.length === 0) return `No entries in ${data.area}Storage.`;
  const rows = data.entries.map(({ key, value }) => [key, renderData(value ?? '', Infinity)]);
  return drawTable([{ title: 'key' }, { title: 'value', shrinks: 1 }], rows, context);
};

export const renderStorageEntry = (
  data: { readonly value?: unknown },
  { columns }: ViewContext,
): string => renderData('value' in data ? (data.value ?? '') : data, columns);

interface DownloadRow {
  readonly id: string;
  readonly file?: string;
  readonly state: string;
  readonly size?: number;
  readonly path?: string;
  readonly url?: string;
}

export const renderDownloads = (
  data: { readonly downloads?: readonly DownloadRow[] },
  context: ViewContext,
): string => {
  if (!data.downloads) return renderData(data, context.columns);
  if (data.downloads.length === 0) return 'No downloads.';
  const rows = data.downloads.map(({ id, state, size, path, file, url }) => [
    id,
    state,
    size === undefined ? '' : formatSize(size),
    path ?? file ?? url ?? '',
  ]);
  const titles: TableColumn[] = [
    { title: 'id' },
    { title: 'state' },
    { title: 'size', align: 'right' },
    { title: 'file', shrinks: 1 },
  ];
  return drawTable(titles, rows, context);
};

interface ToolRow {
  readonly name: string;
  readonly about?: string;
  readonly description?: string;
}

export const renderTools = (
  data: { readonly tools?: readonly ToolRow[] } & Readonly<Record<string, unknown>>,
  context: ViewContext,
): string => {
  if (!data.tools) return renderData(data, context.columns);
  const rows = data.tools.map(({ name, about, description = '' }) => [
    name,
    about ?? description.split('. ')[0] ?? '',
  ]);
  return `${drawTable([{ title: 'tool' }, { title: 'what it does', shrinks: 1 }], rows, context)}
${wrapNote('"openchrome call TOOL --help" lists the arguments of a tool.', context)}`;
};

/** The path alone, so that `$(openchrome pdf)` is a file name. */
export const renderSavedFile = (
  data: { readonly path?: string },
  { columns }: ViewContext,
): string => data.path ?? renderData(data, columns);

/** A stored result: text as text, items as one line of JSON each. */
export const renderOutput = ({ content }: { readonly content: unknown }): string =>
  Array.isArray(content) ? content.map(formatItem).join('\n') : formatItem(content);

const formatItem = (item: unknown): string =>
  typeof item === 'string' ? item : JSON.stringify(item);

/** HTML is printed as it is; this is the handle of a stored page. */
export const renderPageHtml = (data: unknown, { columns }: ViewContext): string =>
  renderData(data, columns);

/** Values of the page: texts without quotes, other values as JSON. */
export const renderValue = (data: unknown): string =>
  typeof data === 'string' ? data : JSON.stringify(data);
