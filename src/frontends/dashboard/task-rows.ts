// Converts tasks of the ledger to rows of the dashboard, and keeps the newest ones.
import { compact, defined } from '../../core/defined.ts';
import { isRecord } from '../../core/json.ts';
import type { TaskMeta } from '../../store/tasks/task-ledger.ts';
import type { CrawlPageRow, TaskItem } from './messages.ts';
import type { ObservedEngine } from './routes.ts';

const ABOUT_CHARS = 200;

/** The most specific argument, else all arguments with their names. */
const describeArguments = ({ args_summary: args, objective }: TaskMeta): string => {
  if (typeof objective === 'string') return objective.slice(0, ABOUT_CHARS);
  if (!isRecord(args)) return '';
  const named = ['url', 'objective', 'reason'].map((name) => args[name]);
  const found = named.find((value) => typeof value === 'string');
  return (found ?? listArguments(args)).slice(0, ABOUT_CHARS);
};

const listArguments = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

export const toTaskRow = (meta: TaskMeta, canResume: boolean): TaskItem => {
  const hasEnded = meta.ended_at !== undefined;
  return defined({
    id: meta.task_id,
    kind: meta.kind,
    status: meta.status,
    session: meta.session,
    created: meta.created_at,
    started: meta.started_at,
    ended: meta.ended_at,
    progress: meta.progress && defined(meta.progress),
    error: meta.error,
    ...compact({
      cancelling: !hasEnded && meta.cancel_requested_at !== undefined,
      hasResult: meta.result_path !== undefined,
      canResume: hasEnded && canResume,
    }),
    about: describeArguments(meta),
  });
};

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A line of a crawl's working file as a row; undefined if it has another form. */
export const toCrawlPage = (line: unknown): CrawlPageRow | undefined => {
  const page = isRecord(line) ? line['page'] : undefined;
  if (!isRecord(page) || typeof page['url'] !== 'string') return undefined;
  const { url, title, depth, status, error, via } = page;
  return defined({
    url: url.slice(0, 500),
    title: toText(title).slice(0, 200),
    depth: typeof depth === 'number' ? depth : 0,
    status: typeof status === 'number' ? status : undefined,
    error: typeof error === 'string' ? error.slice(0, 300) : undefined,
    via: toText(via),
  });
};

const MAX_TASKS = 500;
/** Clocks of processes differ; a task that is listed twice is the same. */
const OVERLAP_MS = 60_000;
const LIVE = ['PENDING', 'RUNNING'] as const;

/** The newest tasks of this home; rows of ended tasks never change and are read once. */
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
