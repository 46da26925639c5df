// Renders the data of a reply as text for people: a function for each kind of list or result. Pure.
import type { ViewName } from './command.ts';
import { isRecord, renderData } from './data-text.ts';
import { formatAge, formatCount, formatDuration, formatSize, formatTime } from './moments.ts';
import type { Colour } from './terminal.ts';
import { type TableColumn, renderTable, toOneLine, wrapParagraph } from './text-layout.ts';

export interface ViewContext {
  /** Width of the terminal; Infinity in a pipe, so that nothing is shortened. */
  readonly columns: number;
  readonly now: number;
  readonly paint: (colour: Colour, text: string) => string;
  /** Short ids of tabs, by tabId. */
  readonly tabs: Readonly<Record<string, string>>;
}

type RenderView = (data: never, context: ViewContext) => string;

const formatTab = ({ tabs }: ViewContext, tabId: string): string => tabs[tabId] ?? tabId;

const drawTable = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { columns, paint }: ViewContext,
): string => renderTable(titles, rows, columns, (head) => paint('bold', head));

const wrapNote = (text: string, { columns }: ViewContext): string =>
  columns === Infinity ? text : wrapParagraph(text, columns);

interface TabRow {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly active?: true;
  readonly session?: string | null;
}

/** Fields of a tab that have their own column. */
const TAB_COLUMNS: readonly string[] = ['tabId', 'url', 'title', 'active', 'session'];

const findStates = (tab: TabRow): string =>
  Object.entries(tab)
    .filter(([name]) => !TAB_COLUMNS.includes(name))
    .map(([name, value]) => (value === true ? name : `${name}: ${String(value)}`))
    .join(', ');

const renderTabs = (
  data: {
    readonly session: string;
    readonly tabs: readonly TabRow[];
    readonly more?: number;
    readonly other_tabs?: number;
    readonly chrome?: string;
  },
  context: ViewContext,
): string => {
  const others =
    data.other_tabs === undefined
      ? ''
      : wrapNote(
          `${formatCount(data.other_tabs, 'tab')} of other sessions: "openchrome tabs --all".`,
          context,
        );
  const none = `The session "${data.session}" has no tab. "openchrome open URL" opens one.`;
  if (data.tabs.length === 0)
    return [wrapNote(none, context), others].filter((line) => line !== '').join('\n');
  const rows = data.tabs.map((tab) => [
    tab.active && tab.session === undefined ? '*' : ' ',
    formatTab(context, tab.tabId),
    tab.title,
    tab.url,
    tab.session === null ? 'none' : (tab.session ?? ''),
    findStates(tab),
  ]);
  const titles: TableColumn[] = [
    { title: '' },
    { title: 'tab' },
    { title: 'title', shrinks: 2 },
    { title: 'url', shrinks: 1 },
    { title: 'session' },
    { title: 'state' },
  ];
  const more = data.more === undefined ? '' : `... and ${data.more} more (--limit)`;
  return [drawTable(titles, rows, context), more, others].filter((line) => line !== '').join('\n');
};

interface NavigationData {
  readonly tabId?: string;
  readonly url?: string;
  readonly title?: string;
  readonly status?: number;
}

/** The title, the URL, and all further facts, such as redirects or a login page. */
const renderNavigation = (data: NavigationData, { columns }: ViewContext): string => {
  const { tabId: _, url = '', title = '', status, ...more } = data;
  const isUsual = status === undefined || status === 200;
  const facts = Object.keys(more).length === 0 ? '' : renderData(more, columns);
  return [toOneLine(title), isUsual ? url : `${url} (HTTP ${status})`, facts]
    .filter((line) => line !== '')
    .join('\n');
};

const renderClosedTab = (data: {
  readonly closed: string;
  readonly current?: { readonly url: string };
}): string =>
  data.current === undefined
    ? 'Closed the last tab of the session.'
    : `Closed. The current tab is ${data.current.url}.`;

interface RequestRow {
  readonly key: string;
  readonly method: string;
  readonly status?: number;
  readonly state?: string;
  readonly ct?: string;
  readonly size?: number;
  readonly url?: string;
}

interface NetworkData {
  readonly entries?: readonly RequestRow[];
  readonly filtered_out?: number;
  readonly detail_hint?: string;
}

const renderNetwork = (data: NetworkData, context: ViewContext): string => {
  const { entries, filtered_out: hidden = 0 } = data;
  if (!Array.isArray(entries)) return renderData(data, context.columns);
  const left =
    hidden === 0 ? '' : wrapNote(`${formatCount(hidden, 'request')} left out: --all`, context);
  if (entries.length === 0) return ['No requests.', left].filter((line) => line !== '').join('\n');
  const rows = (entries as readonly RequestRow[]).map(({ key, status, state, ct, size }) => [
    String(status ?? state ?? ''),
    size === undefined ? '' : formatSize(size),
    ct ?? '',
    key,
  ]);
  const titles: TableColumn[] = [
    { title: 'status' },
    { title: 'size', align: 'right' },
    { title: 'type', shrinks: 2 },
    { title: 'key', shrinks: 1 },
  ];
  return [drawTable(titles, rows, context), left].filter((line) => line !== '').join('\n');
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

/** These characters contain the time of creation, so they also differ from tasks that are not listed. */
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
  const { url, ...more } = args ?? {};
  const rest = Object.entries(more).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [typeof url === 'string' ? url : '', ...rest].filter((part) => part !== '').join(' ');
};

export const formatRuntime = (task: TaskData, now: number): string => {
  const { started_at: start, ended_at: end } = task;
  return start === undefined ? '' : formatDuration((end ?? now) - start);
};

const renderTasks = (
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

const renderTaskRow = (task: TaskData, { now, paint }: ViewContext): string => {
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

const renderTaskEvents = (events: readonly TaskEventData[], { now }: ViewContext): string =>
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

const renderTask = (
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

const renderJournal = (
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

const renderCookies = (
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
    String(cookie.expires),
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

const renderStorage = (
  data: { readonly area: string; readonly entries: readonly { key: string; value?: unknown }[] },
  context: ViewContext,
): string => {
  if (data.entries.length === 0) return `No entries in ${data.area}Storage.`;
  const rows = data.entries.map(({ key, value }) => [key, renderData(value ?? '', Infinity)]);
  return drawTable([{ title: 'key' }, { title: 'value', shrinks: 1 }], rows, context);
};

const renderStorageEntry = (data: { readonly value?: unknown }, { columns }: ViewContext): string =>
  renderData('value' in data ? (data.value ?? '') : data, columns);

interface DownloadRow {
  readonly id: string;
  readonly file?: string;
  readonly state: string;
  readonly size?: number;
  readonly path?: string;
  readonly url?: string;
}

const renderDownloads = (
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

const renderTools = (
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

interface ValidationReport {
  readonly state?: { readonly url?: string; readonly title?: string };
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly vitals?: unknown;
  readonly load?: unknown;
  readonly page?: unknown;
}

const renderValidation = (data: ValidationReport, { columns, paint }: ViewContext): string => {
  const { state, ok, problems, page: _, ...facts } = data;
  const verdict = ok
    ? paint('green', 'No problems')
    : paint('red', formatCount(problems.length, 'problem'));
  return [
    `${verdict} at ${state?.url ?? 'this page'}`,
    ...problems.map((problem) => `- ${toOneLine(problem)}`),
    '',
    renderData(facts, columns),
  ].join('\n');
};

/** The path alone, so that `$(openchrome pdf)` is a file name. */
const renderSavedFile = (data: { readonly path?: string }, { columns }: ViewContext): string =>
  data.path ?? renderData(data, columns);

/** A stored result: text as text, items as one line of JSON each. */
const renderOutput = (data: {
  readonly items?: readonly unknown[];
  readonly text?: string;
  readonly result?: unknown;
  readonly matches?: readonly unknown[];
  readonly next_offset?: number | null;
}): string => {
  const { items, text, matches, result } = data;
  if (text !== undefined) return text;
  const list = items ?? matches;
  if (list) return list.map(formatItem).join('\n');
  return JSON.stringify(result ?? data);
};

const formatItem = (item: unknown): string =>
  typeof item === 'string' ? item : JSON.stringify(item);

/** HTML is printed as it is; this is the handle of a stored page. */
const renderPageHtml = (data: unknown, { columns }: ViewContext): string =>
  renderData(data, columns);

/** Values of the page: texts without quotes, other values as JSON. */
const renderValue = (data: unknown): string =>
  typeof data === 'string' ? data : JSON.stringify(data);

export const VIEWS: Readonly<Record<ViewName, RenderView>> = {
  'call-list': renderJournal,
  'closed-tab': renderClosedTab,
  'cookie-list': renderCookies,
  'download-list': renderDownloads,
  'entry-list': renderStorage,
  navigation: renderNavigation,
  output: renderOutput,
  'page-html': renderPageHtml,
  'request-list': renderNetwork,
  'saved-file': renderSavedFile,
  'storage-entry': renderStorageEntry,
  'tab-list': renderTabs,
  task: renderTask,
  'task-events': renderTaskEvents,
  'task-list': renderTasks,
  'task-row': renderTaskRow,
  'tool-list': renderTools,
  validation: renderValidation,
  value: renderValue,
};
