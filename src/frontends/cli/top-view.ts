// Renders the live view of `openchrome top`: the daemon, its sessions and tabs, and tasks. Pure.
import type { DaemonOverview } from './daemon/status.ts';
import { drawBar, formatCount, formatDuration } from './amounts.ts';
import type { Colour } from './terminal.ts';
import { cutToWidth, renderTable, type TableColumn, toOneLine } from './text-layout.ts';
import { describeArguments, findIdLength, formatRuntime, type TaskData } from './task-views.ts';

export interface TopContext {
  /** Infinity in a pipe, so that nothing is shortened. */
  readonly columns: number;
  /** The number of lines for tabs, so that tasks are also visible. */
  readonly maxTabs?: number;
  readonly now: number;
  readonly paint: (colour: Colour, text: string) => string;
  /** The selected task; absent in a pipe. */
  readonly selected?: string | undefined;
}

const RUNNING: readonly string[] = ['PENDING', 'RUNNING'];

export const isRunning = ({ status }: Pick<TaskData, 'status'>): boolean =>
  RUNNING.includes(status);

/** Running tasks first, each group with the newest first. */
export const sortTasks = ({ tasks }: DaemonOverview): readonly TaskData[] => {
  const list: readonly TaskData[] = tasks as readonly TaskData[];
  return [...list.filter(isRunning), ...list.filter((task) => !isRunning(task))];
};

export const renderTop = (overview: DaemonOverview, context: TopContext): readonly string[] => [
  cutToWidth(renderHead(overview), context.columns),
  '',
  ...renderTabs(overview, context),
  '',
  ...renderTasks(overview, context),
];

const renderHead = ({ status, tabs, tasks }: DaemonOverview): string => {
  const { version, pid, uptime_seconds: seconds, memory_mb: memory, sessions } = status;
  const counts = [
    formatCount(sessions.length, 'session'),
    formatCount(tabs.length, 'tab'),
    `${formatCount((tasks as readonly TaskData[]).filter(isRunning).length, 'task')} running`,
  ];
  const up = formatDuration(seconds * 1000);
  return `OpenChrome ${version}  pid ${pid}  up ${up}  ${memory} MB  ${counts.join(', ')}`;
};

const TAB_TITLES: readonly TableColumn[] = [
  { title: 'session' },
  { title: 'tab' },
  { title: 'state' },
  { title: 'title', shrinks: 2 },
  { title: 'url', shrinks: 1 },
];

const renderTabs = (
  { tabs, status: { sessions } }: DaemonOverview,
  context: TopContext,
): readonly string[] => {
  const used = new Set(tabs.map(({ session }) => session));
  const empty = sessions.filter((session) => !used.has(session));
  const rows = [
    ...tabs.map((tab) => [
      tab.session ?? 'none',
      `${tab.short ?? tab.tabId.slice(0, 8)}${tab.active ? '*' : ''}`,
      describeState(tab),
      tab.title,
      tab.url,
    ]),
    ...empty.map((session) => [session, 'no tabs', '', '', '']),
  ];
  if (rows.length === 0) return ['No sessions.'];
  const { maxTabs = Infinity } = context;
  const more = rows.length - maxTabs;
  return [
    ...drawRows(TAB_TITLES, rows.slice(0, maxTabs), context),
    ...(more > 0 ? [`... and ${more} more: openchrome tabs --all`] : []),
  ];
};

/** The most important state of a tab. */
const describeState = (tab: DaemonOverview['tabs'][number]): string => {
  if (tab.crashed) return 'crashed';
  if (tab.dialog) return 'dialog';
  if (tab.load_failed !== undefined) return 'load failed';
  if (tab.busy !== undefined) return tab.busy;
  return tab.loading ? 'loading' : '';
};

const TASK_TITLES: readonly TableColumn[] = [
  { title: '' },
  { title: 'task' },
  { title: 'kind' },
  { title: 'status' },
  { title: 'progress' },
  { title: 'time', align: 'right' },
  { title: 'work', shrinks: 1 },
];

const BAR_WIDTH = 16;

const renderTasks = (overview: DaemonOverview, context: TopContext): readonly string[] => {
  const tasks = sortTasks(overview);
  if (tasks.length === 0) return ['No tasks.'];
  const length = findIdLength(tasks.map(({ task_id: id }) => id));
  const rows = tasks.map((task) => [
    task.task_id === context.selected ? '>' : '',
    task.task_id.slice(0, length),
    task.kind,
    task.status,
    renderBar(task),
    formatRuntime(task, context.now),
    toOneLine(describeArguments(task)),
  ]);
  return drawRows(TASK_TITLES, rows, context);
};

/** A bar if the total is known, otherwise the count. */
const renderBar = ({ progress }: TaskData): string => {
  if (!progress) return '';
  const { done, total } = progress;
  if (total === undefined || total <= 0) return String(done);
  return `${drawBar(done / total, BAR_WIDTH)} ${done}/${total}`;
};

const drawRows = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { columns, paint }: TopContext,
): readonly string[] =>
  renderTable(titles, rows, columns, (head) => paint('bold', head)).split('\n');
