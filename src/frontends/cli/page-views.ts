// Renders tabs, navigation, requests and validations for people. Pure.
import { formatCount, formatSize } from './amounts.ts';
import { type TableColumn, toOneLine } from './text-layout.ts';
import { drawTable, formatTab, renderData, type ViewContext, wrapNote } from './view-text.ts';

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

export const renderTabs = (
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
export const renderNavigation = (data: NavigationData, { columns }: ViewContext): string => {
  const { tabId: _, url = '', title = '', status, ...more } = data;
  const isUsual = status === undefined || status === 200;
  const facts = Object.keys(more).length === 0 ? '' : renderData(more, columns);
  return [toOneLine(title), isUsual ? url : `${url} (HTTP ${status})`, facts]
    .filter((line) => line !== '')
    .join('\n');
};

export const renderClosedTab = (data: {
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

export const renderNetwork = (data: NetworkData, context: ViewContext): string => {
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

interface ValidationReport {
  readonly state?: { readonly url?: string; readonly title?: string };
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly vitals?: unknown;
  readonly load?: unknown;
  readonly page?: unknown;
}

export const renderValidation = (
  data: ValidationReport,
  { columns, paint }: ViewContext,
): string => {
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
