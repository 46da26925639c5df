// The working files of a task as numbered lines in PostgreSQL.
import { attempt } from '../../core/attempt.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { parseJson } from '../../core/json.ts';
import { sleep, TimeSlices } from '../../core/time.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import type { NewEntries, WorkingFiles } from '../tasks/working-files.ts';
import { type Database, throughOutage } from './database.ts';

interface WaitingItem<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface BatchOptions<T> {
  /** How many of the first items fit into one statement; at least one. Default: all. */
  readonly countFitting?: (items: readonly T[]) => number;
  /** How long to wait for further items before each statement. */
  readonly windowMs?: number;
}

/**
 * Collects items that are added while a statement runs, and saves them together in the next one.
 */
class BatchedWrites<T> {
  readonly #save: (items: readonly T[]) => Promise<void>;
  readonly #options: BatchOptions<T>;
  readonly #waiting: WaitingItem<T>[] = [];
  #isSaving = false;

  constructor(save: (items: readonly T[]) => Promise<void>, options: BatchOptions<T> = {}) {
    this.#save = save;
    this.#options = options;
  }

  /** Resolves when the item is committed. Items are saved in the order of the calls. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isSaving) void this.#saveAll();
    });
  }

  async #saveAll(): Promise<void> {
    const { windowMs = 0, countFitting = (items) => items.length } = this.#options;
    this.#isSaving = true;
    while (this.#waiting.length > 0) {
      // Items of the same turn, or of the window, are saved together.
      await (windowMs > 0 ? sleep(windowMs) : Promise.resolve());
      const count = countFitting(this.#waiting.map(({ item }) => item));
      const batch = this.#waiting.splice(0, count);
      try {
        await this.#save(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isSaving = false;
  }
}

export interface WriteFence {
  readonly taskId: string;
  readonly member: string;
  readonly epoch: number;
}

/** The lease that writes of a task are bound to, and the failure of a write without it. */
export const leaseLost = (id: string): Failure =>
  fail('engine_stopped', `This worker no longer leads task ${id}: another worker leads it.`);

interface ClusterLinesOptions {
  readonly database: Database;
  readonly writer: PayloadWriter;
  readonly taskId: string;
  readonly fence?: WriteFence | undefined;
}

interface NewLine {
  readonly file: string;
  readonly line: string;
}

const LINES_AT_ONCE = 100;
/** Lines that are appended within this time are saved in one statement. */
const APPEND_WINDOW_MS = 3;
/** A statement with more text than this is split. */
const BATCH_CHARS = 4 * 1024 * 1024;

/** A repeated insert of the same lines has no effect. */
const INSERT = {
  name: 'oc_lines_insert',
  text: `
with fence as materialized (
  select id from openchrome.tasks where id = $1
    and ($2::text is null or (lead = $2 and epoch = $3)) for key share
), added as (
  insert into openchrome.task_lines (task_id, file, n, line)
  select fence.id, t.file, t.n, t.line
  from fence, unnest($4::text[], $5::int[], $6::text[]) as t (file, n, line)
  on conflict do nothing
)
select id from fence`,
};

export class ClusterLines implements WorkingFiles {
  readonly #options: ClusterLinesOptions;
  readonly #writes: BatchedWrites<NewLine>;
  /** The number of the next line, by file. */
  #next: Map<string, number> | undefined;

  constructor(options: ClusterLinesOptions) {
    this.#options = options;
    this.#writes = new BatchedWrites((lines) => this.#save(lines), {
      countFitting,
      windowMs: APPEND_WINDOW_MS,
    });
  }

  append(file: string, entry: unknown): Promise<void> {
    return this.#add(file, this.#options.writer.clean(entry));
  }

  async appendLarge(file: string, entry: unknown, signal?: AbortSignal): Promise<void> {
    const clean = await this.#options.writer.cleanLarge(entry, signal);
    signal?.throwIfAborted();
    await this.#add(file, clean);
  }

  #add(file: string, entry: unknown): Promise<void> {
    const line = JSON.stringify(entry) as string | undefined;
    if (line === undefined) throw new Error('only JSON values can be stored');
    return this.#writes.add({ file, line });
  }

  async #save(batch: readonly NewLine[]): Promise<void> {
    try {
      await this.#insert(batch);
    } catch (error) {
      this.#next = undefined; // unknown which lines were saved
      throw error;
    }
  }

  async #insert(batch: readonly NewLine[]): Promise<void> {
    const { database, taskId, fence } = this.#options;
    const next = await this.#findNext();
    const numbers = batch.map(({ file }) => {
      const n = next.get(file) ?? 0;
      next.set(file, n + 1);
      return n;
    });
    const values = [
      taskId,
      fence?.member ?? null,
      fence?.epoch ?? 0,
      batch.map(({ file }) => file),
      numbers,
      batch.map(({ line }) => line),
    ];
    const insert = (): Promise<unknown[]> => database.query(INSERT, values);
    const rows = await (fence ? throughOutage(insert) : insert());
    if (rows.length === 0) throw leaseLost(taskId);
  }

  async #findNext(): Promise<Map<string, number>> {
    if (this.#next) return this.#next;
    const read = (): Promise<{ file: string; next: number }[]> =>
      this.#options.database.query<{ file: string; next: number }>(
        `select file, max(n) + 1 as next from openchrome.task_lines where task_id = $1
         group by file`,
        [this.#options.taskId],
      );
    const rows = await (this.#options.fence ? throughOutage(read) : read());
    return (this.#next = new Map(rows.map(({ file, next }) => [file, next])));
  }

  async *entries<T>(file: string): AsyncGenerator<T> {
    const { database, taskId } = this.#options;
    const slices = new TimeSlices();
    for await (const { line } of readLines(database, taskId, file)) {
      if (slices.isOver) await slices.pause();
      const entry = attempt(() => parseJson(line));
      if (entry !== undefined) yield entry as T;
    }
  }
}

interface NumberedLine {
  readonly n: number;
  readonly line: string;
}

async function* readLines(
  database: Database,
  taskId: string,
  file: string,
  after = -1,
): AsyncGenerator<NumberedLine> {
  for (let last = after; ;) {
    const rows = await database.query<NumberedLine>(
      `select n, line from openchrome.task_lines where task_id = $1 and file = $2 and n > $3
       order by n limit ${LINES_AT_ONCE}`,
      [taskId, file, last],
    );
    yield* rows;
    last = rows.at(-1)?.n ?? last;
    if (rows.length < LINES_AT_ONCE) return;
  }
}

/** Follows a working file of a task that runs on any machine. */
export class ClusterTail implements NewEntries {
  readonly #database: Database;
  readonly #taskId: string;
  readonly #file: string;
  #last = -1;

  constructor(database: Database, taskId: string, file: string) {
    this.#database = database;
    this.#taskId = taskId;
    this.#file = file;
  }

  async readNew(): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const { n, line } of readLines(
      this.#database,
      this.#taskId,
      this.#file,
      this.#last,
    )) {
      this.#last = n;
      found.push(...attempt(() => [parseJson(line)], []));
    }
    return found;
  }
}

const countFitting = (lines: readonly NewLine[]): number => {
  let [count, chars] = [0, 0];
  for (const { line } of lines) {
    chars += line.length;
    if (count > 0 && (chars > BATCH_CHARS || count === LINES_AT_ONCE)) break;
    count++;
  }
  return count;
};
