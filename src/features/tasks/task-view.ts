// Lists tasks, newest first, and formats a task for clients.
import { parseTaskTime } from '../../core/ids.ts';
import { isRecord } from '../../core/json.ts';
import { sleep } from '../../core/time.ts';
import type { TaskMeta, TaskStatus } from '../../store/tasks/task-meta.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import { withoutCounts } from './envelope-record.ts';
import { hasEnded } from './task-state.ts';

/** Removes the fields that only identify the process. */
export const showTask = (meta: TaskMeta): Omit<TaskMeta, 'process'> => {
  const { process: _, ...shown } = withoutCounts(meta);
  return shown;
};

/** `crawl RUNNING 12/20: https://…` */
export const describeTask = ({ kind, status, progress }: TaskMeta): string => {
  if (!progress) return `${kind} ${status}`;
  const { done, total, message } = progress;
  const count = total === undefined ? `${done}` : `${done}/${total}`;
  const summary = `${kind} ${status} ${count}`;
  return message ? `${summary}: ${message}` : summary;
};

// Shortens a task's arguments, which are already redacted, to fit into its row.

const MAX_BYTES = 2048;
/** Maximum characters per value; the next one is tried if the summary is still too large. */
const CUTS = [400, 100, 40, 10];

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

export const summariseArgs = (args: unknown): unknown => {
  const bytes = countBytes(args);
  if (bytes <= MAX_BYTES) return args;
  const cuts = isRecord(args) ? CUTS.map((chars) => shortenValues(args, chars)) : [];
  return cuts.find((cut) => countBytes(cut) <= MAX_BYTES) ?? { omitted: `${bytes} bytes` };
};

const shortenValues = (
  args: Readonly<Record<string, unknown>>,
  chars: number,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, shorten(value, chars)]));

const shorten = (value: unknown, chars: number): unknown => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length <= chars ? value : `${text.slice(0, chars)}…`;
};

// Lists tasks, newest first; reads only the rows it needs, by id time and a cache of ended tasks.

const ROWS_AT_ONCE = 200;

export interface TaskFilter {
  readonly statuses?: readonly TaskStatus[];
  readonly kinds?: readonly string[];
  /** Unix time in ms. */
  readonly since?: number;
  readonly limit: number;
}

export interface TaskList {
  readonly tasks: readonly TaskMeta[];
  /** Number of rows that could not be read. */
  readonly unreadable: number;
}

export class TaskListing {
  readonly #store: TaskStore;
  /**
   * Status and kind of ended tasks, which never change: the filter can skip them without reading.
   */
  readonly #ended = new Map<string, Pick<TaskMeta, 'status' | 'kind'>>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  remember(meta: TaskMeta): void {
    if (hasEnded(meta)) this.#ended.set(meta.task_id, { status: meta.status, kind: meta.kind });
  }

  /** `update` is called for each row before the filter. */
  async list(filter: TaskFilter, update: (meta: TaskMeta) => Promise<TaskMeta>): Promise<TaskList> {
    const { since = -Infinity, limit } = filter;
    const ids = await this.#store.ids();
    this.#forgetAllBut(ids);
    const tasks: TaskMeta[] = [];
    let [read, unreadable] = [0, 0];
    for (const id of ids) {
      if (tasks.length >= limit || parseTaskTime(id) < since) break;
      const known = this.#ended.get(id);
      if (known && !fits(known, filter)) continue;
      if (++read % ROWS_AT_ONCE === 0) await sleep(0);
      const row = this.#store.row(id);
      if (row && 'unreadable' in row) unreadable++;
      if (!row || 'unreadable' in row) continue;
      const meta = await update(row.meta);
      this.remember(meta);
      if (fits(meta, filter)) tasks.push(meta);
    }
    return { tasks, unreadable };
  }

  #forgetAllBut(ids: readonly string[]): void {
    if (this.#ended.size <= ids.length) return;
    const there = new Set(ids);
    for (const id of this.#ended.keys()) if (!there.has(id)) this.#ended.delete(id);
  }
}

const fits = (
  { status, kind }: Pick<TaskMeta, 'status' | 'kind'>,
  { statuses, kinds }: TaskFilter,
): boolean => (statuses?.includes(status) ?? true) && (kinds?.includes(kind) ?? true);
