// Lists tasks, newest first, and formats a task for clients.
import { isRecord } from '../../core/json.ts';
import type { TaskLedger, TaskMeta, TaskStatus } from '../../store/tasks/task-ledger.ts';
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

/** More than are kept on disk. */
const MAX_REMEMBERED = 20_000;

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
  readonly #store: TaskLedger;
  /**
   * Status and kind of ended tasks, which never change: the filter can skip them without reading.
   */
  readonly #ended = new Map<string, Pick<TaskMeta, 'status' | 'kind'>>();

  constructor(store: TaskLedger) {
    this.#store = store;
  }

  remember(meta: TaskMeta): void {
    if (!hasEnded(meta)) return;
    this.#ended.set(meta.task_id, { status: meta.status, kind: meta.kind });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** `update` is called for each row before the filter. */
  async list(filter: TaskFilter, update: (meta: TaskMeta) => Promise<TaskMeta>): Promise<TaskList> {
    const tasks: TaskMeta[] = [];
    let unreadable = 0;
    for await (const { row } of this.#store.scan({
      ...filter,
      skip: (id) => this.#fails(id, filter),
    })) {
      if ('unreadable' in row) {
        unreadable++;
        continue;
      }
      const meta = await update(row.meta);
      this.remember(meta);
      if (fits(meta, filter)) tasks.push(meta);
      if (tasks.length >= filter.limit) break;
    }
    return { tasks, unreadable };
  }

  /** Whether a task that is known to have ended does not pass the filter. */
  #fails(id: string, filter: TaskFilter): boolean {
    const known = this.#ended.get(id);
    return known !== undefined && !fits(known, filter);
  }
}

const fits = (
  { status, kind }: Pick<TaskMeta, 'status' | 'kind'>,
  { statuses, kinds }: TaskFilter,
): boolean => (statuses?.includes(status) ?? true) && (kinds?.includes(kind) ?? true);
