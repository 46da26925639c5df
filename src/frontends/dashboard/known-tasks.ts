// The newest tasks of this home; rows of ended tasks never change and are read once.
import type { TaskItem } from './messages.ts';
import type { ObservedEngine } from './routes.ts';
import { toTaskRow } from './task-rows.ts';

const MAX_TASKS = 500;
/** Clocks of processes differ; a task that is listed twice is the same. */
const OVERLAP_MS = 60_000;
const LIVE = ['PENDING', 'RUNNING'] as const;

export class KnownTasks {
  readonly #engine: ObservedEngine;
  #known = new Map<string, TaskItem>();

  constructor(engine: ObservedEngine) {
    this.#engine = engine;
  }

  /** Newest first. Reads new tasks, and those that had not ended at the last call. */
  async load(): Promise<TaskItem[]> {
    const { tasks } = this.#engine;
    const newest = Math.max(0, ...[...this.#known.values()].map(({ created }) => created));
    const [recent, live] = await Promise.all([
      tasks.list({ limit: MAX_TASKS, since: newest - OVERLAP_MS }),
      tasks.list({ limit: MAX_TASKS, statuses: LIVE }),
    ]);
    const found = [...recent.tasks, ...live.tasks].map((meta) =>
      toTaskRow(meta, tasks.canResume(meta.kind)),
    );
    const read = new Set(found.map(({ id }) => id));
    const ended = [...this.#known.values()].filter(
      ({ id, ended: at }) => at === undefined && !read.has(id),
    );
    for (const { id } of ended) {
      const details = await tasks.get(id).catch(() => undefined);
      if (details) found.push(toTaskRow(details.meta, tasks.canResume(details.meta.kind)));
      else this.#known.delete(id); // removed by a sweep
    }
    for (const item of found) this.#known.set(item.id, item);
    const sorted = [...this.#known.values()].sort((a, b) => b.created - a.created);
    this.#known = new Map(sorted.slice(0, MAX_TASKS).map((item) => [item.id, item]));
    return [...this.#known.values()];
  }
}
