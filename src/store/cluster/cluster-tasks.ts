// The ledger of tasks in PostgreSQL: rows with compare-and-swap, and their numbered history.
import { randomBytes } from 'node:crypto';
import { attempt } from '../../core/attempt.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { createTaskIds, parseTaskTime, TASK_ID } from '../../core/ids.ts';
import { parseJson, stringifyInSlices } from '../../core/json.ts';
import { getErrorCode } from '../../system/disk-error.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import type { RetentionRule } from '../files/sweeper.ts';
import type {
  SavedResult,
  ScannedTask,
  ScanOptions,
  TaskChange,
  TaskEvent,
  TaskLedger,
  TaskMeta,
  TaskWatch,
} from '../tasks/task-ledger.ts';
import { parseEvent, parseRow, type TaskRow } from '../tasks/task-row.ts';
import type { WorkingFiles } from '../tasks/working-files.ts';
import { chunkText, loadChunks, saveChunks } from './chunks.ts';
import { ClusterLines, leaseLost, type WriteFence } from './cluster-lines.ts';
import { keepClusterTasks } from './cluster-sweep.ts';
import { type Database, type Queries, throughOutage } from './database.ts';
import { type Notices, TASK_TOPIC } from './notices.ts';

interface ClusterTasksOptions {
  readonly database: Database;
  readonly notices: Notices;
  readonly writer: PayloadWriter;
  readonly fence?: WriteFence;
}

const UNIQUE_VIOLATION = '23505';
const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);
const SCANNED_AT_ONCE = 200;
const EVENTS_AT_ONCE = 500;

/**
 * Replaces the row if it has not changed since it was read, and if the lease is still valid; the
 * event gets the next number. Otherwise returns the current row.
 */
const SWAP = {
  name: 'oc_task_swap',
  text: 'select * from openchrome.swap_task($1, $2, $3, $4, $5, $6, $7, $8, $9)',
};

const READ = {
  name: 'oc_task_read',
  text: 'select meta, version, change_id, lead, epoch from openchrome.tasks where id = $1',
};

/** Locks the row of the task, so that its lease cannot end before this transaction. */
const FENCE = `select id from openchrome.tasks where id = $1
  and ($2::text is null or (lead = $2 and epoch = $3)) for key share`;

interface StoredTask {
  readonly meta: string;
  readonly version: string;
  readonly change_id: string | null;
  readonly lead: string | null;
  readonly epoch: number;
}

export class ClusterTasks implements TaskLedger {
  readonly #options: ClusterTasksOptions;
  readonly #database: Database;
  readonly #nextId = createTaskIds();

  constructor(options: ClusterTasksOptions) {
    this.#options = options;
    this.#database = options.database;
  }

  /** The same tasks; every write of the leased task fails after the lease has ended. */
  bind(fence: WriteFence): TaskLedger {
    return new ClusterTasks({ ...this.#options, fence });
  }

  create(build: (id: string) => TaskChange): Promise<TaskMeta> {
    return this.createWith(build, async () => {});
  }

  /** Creates a task; `alsoInsert` runs in the same transaction. */
  async createWith(
    build: (id: string) => TaskChange,
    alsoInsert: (queries: Queries, id: string) => Promise<void>,
  ): Promise<TaskMeta> {
    for (;;) {
      const id = this.#nextId();
      const { meta, event } = build(id);
      try {
        await this.#database.transaction(async (queries) => {
          await this.#insert(queries, meta, event);
          await alsoInsert(queries, id);
        });
        this.#options.notices.publish(TASK_TOPIC + id);
        return meta;
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    }
  }

  async #insert(queries: Queries, meta: TaskMeta, event: TaskEvent | undefined): Promise<void> {
    await queries.query(
      `insert into openchrome.tasks (id, status, meta, events, ended_at)
       values ($1, $2, $3, $4, case when $5 then clock_timestamp() end)`,
      [meta.task_id, meta.status, this.#toRow(meta), event ? 1 : 0, ENDED.has(meta.status)],
    );
    if (event)
      await queries.query('insert into openchrome.task_events values ($1, 1, $2)', [
        meta.task_id,
        this.#toLine(event),
      ]);
  }

  async *scan({ since, skip }: ScanOptions = {}): AsyncGenerator<ScannedTask> {
    let last = 'g'; // after every hex digit
    for (;;) {
      const rows = await this.#database.query<{ id: string; meta: string }>(
        `select id, meta from openchrome.tasks where id < $1 order by id desc
         limit ${SCANNED_AT_ONCE}`,
        [last],
      );
      for (const { id, meta } of rows) {
        if (since !== undefined && parseTaskTime(id) < since) return;
        if (!skip?.(id)) yield { id, row: parseRow(meta, id) };
        last = id;
      }
      if (rows.length < SCANNED_AT_ONCE) return;
    }
  }

  async row(id: string): Promise<TaskRow | undefined> {
    const stored = await this.#read(this.#database, id);
    return stored && parseRow(stored.meta, id);
  }

  async require(id: string): Promise<TaskMeta> {
    return requireMeta(id, await this.row(id));
  }

  async #read(queries: Queries, id: string): Promise<StoredTask | undefined> {
    requireTaskId(id);
    const [stored] = await queries.query<{ [K in keyof StoredTask]: StoredTask[K] }>(READ, [id]);
    return stored;
  }

  async change(id: string, decide: (meta: TaskMeta) => TaskChange | undefined): Promise<TaskMeta> {
    const changeId = randomBytes(8).toString('hex');
    const meta = await this.#persistent(() => this.#changeOnce(id, decide, changeId));
    this.#options.notices.publish(TASK_TOPIC + id);
    return meta;
  }

  /** If another process was faster, decides again with the row that it wrote. */
  async #changeOnce(
    id: string,
    decide: (meta: TaskMeta) => TaskChange | undefined,
    changeId: string,
  ): Promise<TaskMeta> {
    let stored = await this.#read(this.#database, id);
    for (;;) {
      const before = requireMeta(id, stored && parseRow(stored.meta, id));
      if (!stored || stored.change_id === changeId) return before; // by an attempt before
      this.#requireLease(id, stored);
      const change = decide(before);
      if (!change) return before;
      const [answer] = await this.#swap(stored, change, changeId);
      if (answer?.done) return change.meta;
      stored = answer;
    }
  }

  #swap(
    { version }: StoredTask,
    { meta, event }: TaskChange,
    changeId: string,
  ): Promise<(StoredTask & { readonly done: boolean })[]> {
    const { member = null, epoch = 0 } = this.#options.fence ?? {};
    return this.#database.query(SWAP, [
      meta.task_id,
      version,
      this.#toRow(meta),
      meta.status,
      changeId,
      event ? this.#toLine(event) : null,
      ENDED.has(meta.status),
      member,
      epoch,
    ]);
  }

  #requireLease(id: string, { lead, epoch }: StoredTask): void {
    const { fence } = this.#options;
    if (fence && (lead !== fence.member || epoch !== fence.epoch)) throw leaseLost(id);
  }

  /** Running work waits for the end of an outage; other callers get the failure at once. */
  #persistent<T>(write: () => Promise<T>): Promise<T> {
    return this.#options.fence ? throughOutage(write) : write();
  }

  async append(id: string, event: TaskEvent): Promise<void> {
    requireTaskId(id);
    const { member = null, epoch = 0 } = this.#options.fence ?? {};
    const rows = await this.#database.query(
      `with counted as (
         update openchrome.tasks set events = events + 1 where id = $1
           and ($3::text is null or (lead = $3 and epoch = $4)) returning events
       ), logged as (
         insert into openchrome.task_events select $1, events, $2 from counted
       )
       select events from counted`,
      [id, this.#toLine(event), member, epoch],
    );
    if (rows.length === 0) throw await this.#findReason(id);
  }

  /** The failure of a write that changed nothing. */
  async #findReason(id: string): Promise<Failure> {
    const stored = await this.#read(this.#database, id);
    return stored ? leaseLost(id) : taskNotFound(id);
  }

  async history(
    id: string,
    from: number,
    visit: (event: TaskEvent) => void,
  ): Promise<number | undefined> {
    requireTaskId(id);
    let position = from;
    for (;;) {
      const rows = await this.#database.query<{ n: number; event: string }>(
        `select n, event from openchrome.task_events where task_id = $1 and n > $2
         order by n limit ${EVENTS_AT_ONCE}`,
        [id, position],
      );
      for (const row of rows) {
        const event = parseEvent(row.event);
        if (event) visit(event);
        position = row.n;
      }
      if (rows.length < EVENTS_AT_ONCE) break;
    }
    if (position > from || from === 0) return position;
    const [last] = await this.#database.query<{ events: number }>(
      'select events from openchrome.tasks where id = $1',
      [id],
    );
    return last && last.events >= from ? position : undefined;
  }

  async tail(id: string, count: number): Promise<TaskEvent[]> {
    requireTaskId(id);
    const rows = await this.#database.query<{ event: string }>(
      'select event from openchrome.task_events where task_id = $1 order by n desc limit $2',
      [id, count],
    );
    return rows.flatMap(({ event }) => parseEvent(event) ?? []).toReversed();
  }

  async savePartialResult(id: string, result: unknown): Promise<string> {
    const clean = await this.#options.writer.cleanLarge(result);
    return this.saveReply(id, await stringifyInSlices(clean));
  }

  async saveReply(id: string, json: string): Promise<string> {
    requireTaskId(id);
    const { member = null, epoch = 0 } = this.#options.fence ?? {};
    const save = (): Promise<boolean> =>
      this.#database.transaction(async (queries) => {
        const rows = await queries.query(FENCE, [id, member, epoch]);
        if (rows.length > 0) await saveChunks(queries, id, chunkText(json));
        return rows.length > 0;
      });
    if (!(await this.#persistent(save))) throw await this.#findReason(id);
    return `tasks/${id}/result.json`;
  }

  async loadResult(id: string): Promise<SavedResult | undefined> {
    requireTaskId(id);
    const bytes = await loadChunks(this.#database, id);
    if (!bytes) return undefined;
    return attempt<SavedResult, SavedResult>(
      () => ({ result: parseJson(bytes.toString('utf8')) }),
      {
        unreadable: 'it is not JSON',
      },
    );
  }

  files(id: string): WorkingFiles {
    requireTaskId(id);
    const { database, writer, fence } = this.#options;
    return new ClusterLines({ database, writer, taskId: id, fence });
  }

  watch(id: string): TaskWatch {
    requireTaskId(id);
    return this.#options.notices.watch(TASK_TOPIC + id);
  }

  async touch(id: string): Promise<void> {
    const { member = null, epoch = 0 } = this.#options.fence ?? {};
    const rows = await this.#database.query(
      `update openchrome.tasks set touched_at = clock_timestamp() where id = $1
         and ($2::text is null or (lead = $2 and epoch = $3)) returning id`,
      [id, member, epoch],
    );
    if (rows.length === 0) throw await this.#findReason(id);
  }

  get retention(): RetentionRule {
    return keepClusterTasks(this.#database);
  }

  #toLine({ data, ...event }: TaskEvent): string {
    return JSON.stringify({ ...event, data: this.#options.writer.clean(data) });
  }

  /** Does not search the fields that identify the task and its process. */
  #toRow({ task_id, kind, status, session, process, ...rest }: TaskMeta): string {
    const identity = { task_id, kind, status, session, process };
    return JSON.stringify({ ...identity, ...this.#options.writer.clean(rest) });
  }
}

const requireTaskId = (id: string): void => {
  if (!TASK_ID.test(id))
    throw fail('invalid_task_id', `Invalid task id "${id.slice(0, 40)}" (expected 16 hex digits).`);
};

const taskNotFound = (id: string): Failure =>
  fail('task_not_found', `Task ${id} does not exist.`, { task_id: id });

const requireMeta = (id: string, row: TaskRow | undefined): TaskMeta => {
  if (!row) throw taskNotFound(id);
  if ('meta' in row) return row.meta;
  throw fail('storage_failed', `The row of task ${id} cannot be read: ${row.unreadable}.`, {
    task_id: id,
    retryable: false,
  });
};

const isTaken = (error: unknown): boolean =>
  getErrorCode(error) === UNIQUE_VIOLATION ||
  (error instanceof Error && 'details' in error && hasCode(error.details));

const hasCode = (details: unknown): boolean =>
  typeof details === 'object' &&
  details !== null &&
  'database_code' in details &&
  details.database_code === UNIQUE_VIOLATION;
