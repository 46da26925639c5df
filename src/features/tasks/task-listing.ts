// Newest first, without reading more rows than are asked for: names tell the age, and what has
// ended is remembered.
import { parseTaskTime } from '../../core/ids.ts';
import { sleep } from '../../core/time.ts';
import type { TaskMeta, TaskStatus } from '../../store/tasks/task-meta.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import { hasEnded } from './task-state.ts';

const ROWS_AT_ONCE = 200;

export interface TaskFilter {
  readonly statuses?: readonly TaskStatus[];
  readonly kinds?: readonly string[];
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limit: number;
}

export interface TaskList {
  readonly tasks: readonly TaskMeta[];
  /** Rows that were met and could not be read. */
  readonly unreadable: number;
}

export class Listing {
  readonly #store: TaskStore;
  /** Status and kind of ended tasks: they never change, so a filter can pass them over unread. */
  readonly #ended = new Map<string, Pick<TaskMeta, 'status' | 'kind'>>();

  constructor(store: TaskStore) {
    this.#store = store;
  }

  remember(meta: TaskMeta): void {
    if (hasEnded(meta)) this.#ended.set(meta.task_id, { status: meta.status, kind: meta.kind });
  }

  /** `update` may bring a row up to date before it is judged. */
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
