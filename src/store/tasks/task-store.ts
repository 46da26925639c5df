// Stores tasks on disk, one folder each: row, history, result and working files.
import { randomBytes } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { ifDefined } from '../../core/defined.ts';
import { parseJson, stringifyInSlices } from '../../core/json.ts';
import { fail } from '../../core/failure.ts';
import { createTaskIds, parseTaskTime, TASK_ID } from '../../core/ids.ts';
import { abortable, every, sleep } from '../../core/time.ts';
import { getErrorCode, isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolder, openRegularFile } from '../../system/private-files.ts';
import { Locks } from '../../system/lock.ts';
import type { Processes } from '../../system/process-identity.ts';
import { renameOver, replaceFile, syncFolder, writeDurably } from '../../system/replace-file.ts';
import { appendLine, linesBackwards } from '../files/line-files.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import type { RetentionRule } from '../files/sweeper.ts';
import { META_FILE, parseEvent, readHistory, readRow, type TaskRow } from './task-row.ts';
import type {
  SavedResult,
  ScannedTask,
  ScanOptions,
  TaskChange,
  TaskEvent,
  TaskLedger,
  TaskMeta,
  TaskWatch,
} from './task-ledger.ts';
import { taskRetention } from './task-sweep.ts';
import { openWorkingFiles, type WorkingFiles } from './working-files.ts';

const EVENTS_FILE = 'events.jsonl';
const RESULT_FILE = 'result.json';
const LOCK_FILE = 'lock';

interface TaskStoreOptions {
  readonly folder: string;
  readonly processes: Processes;
  readonly writer: PayloadWriter;
}

/** Rows are read synchronously; after this many the event loop gets a turn. */
const ROWS_AT_ONCE = 200;

export class TaskStore implements TaskLedger {
  readonly #root: string;
  readonly #writer: PayloadWriter;
  readonly #locks: Locks;
  readonly #nextId = createTaskIds();

  constructor({ folder, processes, writer }: TaskStoreOptions) {
    this.#root = folder;
    this.#writer = writer;
    this.#locks = new Locks(processes);
  }

  /**
   * Creates a task. Its folder is renamed into place, so that no reader sees an incomplete task.
   */
  async create(build: (id: string) => TaskChange): Promise<TaskMeta> {
    const draft = join(this.#root, `.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await ensureFolder(this.#root);
      await mkdir(draft, { mode: 0o700 });
      return await this.#createIn(draft, build);
    } catch (error) {
      await rm(draft, { recursive: true, force: true }).catch(() => {});
      throw getErrorCode(error) === undefined ? error : storageFailure('write', this.#root, error);
    }
  }

  async #createIn(draft: string, build: (id: string) => TaskChange): Promise<TaskMeta> {
    for (;;) {
      const id = this.#nextId();
      const folder = join(this.#root, id);
      const { meta, event } = build(id);
      if (event) appendLine(join(draft, EVENTS_FILE), this.#toLine(event), { suspect: false });
      await writeDurably(join(draft, META_FILE), this.#toRow(meta));
      if (await moveUnlessTaken(draft, folder)) {
        await Promise.all([syncFolder(folder), syncFolder(this.#root)]);
        return meta;
      }
      await Promise.all(
        [META_FILE, EVENTS_FILE].map((name) => rm(join(draft, name), { force: true })),
      );
    }
  }

  async *scan({ since = -Infinity, skip }: ScanOptions = {}): AsyncGenerator<ScannedTask> {
    let read = 0;
    for (const id of await this.#listIds()) {
      if (parseTaskTime(id) < since) return;
      if (skip?.(id)) continue;
      if (++read % ROWS_AT_ONCE === 0) await sleep(0);
      const row = this.#readRow(id);
      if (row) yield { id, row };
    }
  }

  /** Ids of all tasks, newest first. */
  async #listIds(): Promise<string[]> {
    const names = await readdir(this.#root).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw storageFailure('read', this.#root, error);
    });
    return names
      .filter((name) => TASK_ID.test(name))
      .sort()
      .toReversed();
  }

  async row(id: string): Promise<TaskRow | undefined> {
    return this.#readRow(id);
  }

  async require(id: string): Promise<TaskMeta> {
    return this.#requireRow(id);
  }

  #readRow(id: string): TaskRow | undefined {
    return readRow(this.#findFolder(id), id);
  }

  #requireRow(id: string): TaskMeta {
    const row = this.#readRow(id);
    if (!row) throw fail('task_not_found', `Task ${id} does not exist.`, { task_id: id });
    if ('meta' in row) return row.meta;
    throw fail('storage_failed', `The row of task ${id} cannot be read: ${row.unreadable}.`, {
      task_id: id,
      retryable: false,
    });
  }

  async change(id: string, decide: (meta: TaskMeta) => TaskChange | undefined): Promise<TaskMeta> {
    const folder = this.#findFolder(id);
    this.#requireRow(id); // locking in a missing folder would throw a disk error
    using lock = await this.#locks.take(join(folder, LOCK_FILE));
    const before = this.#requireRow(id);
    const { meta, event } = decide(before) ?? {};
    if (!meta) return before;
    await replaceFile(join(folder, META_FILE), this.#toRow(meta), {
      // History first: after a crash in between, the reaper reads there how the task ended.
      before: () => event && this.#appendNow(id, event),
      after: () => lock[Symbol.dispose](),
    });
    return meta;
  }

  async append(id: string, event: TaskEvent): Promise<void> {
    this.#appendNow(id, event);
  }

  #appendNow(id: string, event: TaskEvent): void {
    const path = join(this.#findFolder(id), EVENTS_FILE);
    try {
      appendLine(path, this.#toLine(event), { suspect: true });
    } catch (error) {
      throw storageFailure('append to', path, error);
    }
  }

  /** The positions are byte offsets. */
  async history(
    id: string,
    from: number,
    visit: (event: TaskEvent) => void,
  ): Promise<number | undefined> {
    const path = join(this.#findFolder(id), EVENTS_FILE);
    try {
      return readHistory(path, from, visit);
    } catch (error) {
      throw getErrorCode(error) === undefined ? error : storageFailure('read', path, error);
    }
  }

  async tail(id: string, count: number): Promise<TaskEvent[]> {
    await using file = await openRegularFile(join(this.#findFolder(id), EVENTS_FILE)).catch(
      () => undefined,
    );
    const found: TaskEvent[] = [];
    if (!file) return found;
    for await (const line of linesBackwards(file)) {
      const event = ifDefined(line, parseEvent);
      if (event) found.push(event);
      if (found.length === count) break;
    }
    return found.toReversed();
  }

  async savePartialResult(id: string, result: unknown): Promise<string> {
    return this.saveReply(id, await stringifyInSlices(await this.#writer.cleanLarge(result)));
  }

  async saveReply(id: string, json: string): Promise<string> {
    const path = join(this.#findFolder(id), RESULT_FILE);
    await replaceFile(path, json);
    return path;
  }

  #toLine({ data, ...event }: TaskEvent): string {
    return JSON.stringify({ ...event, data: this.#writer.clean(data) });
  }

  /** Does not search the fields that identify the task and its process. */
  #toRow({ task_id, kind, status, session, process, ...rest }: TaskMeta): string {
    const identity = { task_id, kind, status, session, process };
    return JSON.stringify({ ...identity, ...this.#writer.clean(rest) });
  }

  async loadResult(id: string): Promise<SavedResult | undefined> {
    try {
      await using file = await openRegularFile(join(this.#findFolder(id), RESULT_FILE));
      return file ? { result: parseJson(await file.readFile('utf8')) } : undefined;
    } catch (error) {
      return {
        unreadable:
          error instanceof SyntaxError ? 'it is not JSON' : (getErrorCode(error) ?? String(error)),
      };
    }
  }

  files(id: string): WorkingFiles {
    return openWorkingFiles(this.#findFolder(id), [EVENTS_FILE], this.#writer);
  }

  watch(id: string): TaskWatch {
    return new FolderWatch(this.#findFolder(id));
  }

  /** Updates the file time. */
  async touch(id: string): Promise<void> {
    const now = new Date();
    await utimes(join(this.#findFolder(id), META_FILE), now, now);
  }

  /** Time of the last heartbeat, in milliseconds since 1970. */
  async touchedAt(id: string): Promise<number> {
    return (await stat(join(this.#findFolder(id), META_FILE)).catch(() => undefined))?.mtimeMs ?? 0;
  }

  get retention(): RetentionRule {
    return taskRetention(this.#root);
  }

  #findFolder(id: string): string {
    if (TASK_ID.test(id)) return join(this.#root, id);
    throw fail('invalid_task_id', `Invalid task id "${id.slice(0, 40)}" (expected 16 hex digits).`);
  }
}

/** Returns false if a task with this id exists. */
const moveUnlessTaken = async (from: string, to: string): Promise<boolean> => {
  try {
    await renameOver(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(getErrorCode(error) ?? '')) return false;
    throw error;
  }
};

/** Poll interval with a file watcher, in case it misses a change. */
const SLOW_MS = 1000;
/** Poll interval without a file watcher, for example on network disks. */
const QUICK_MS = 100;

class FolderWatch implements TaskWatch {
  #watcher: FSWatcher | undefined;
  #clock: Disposable;
  #waiting: (() => void)[] = [];

  constructor(folder: string) {
    this.#watcher = this.#listen(folder);
    this.#clock = every(this.#watcher ? SLOW_MS : QUICK_MS, () => this.#tell());
  }

  next(signal: AbortSignal): Promise<void> {
    return abortable(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal);
  }

  #listen(folder: string): FSWatcher | undefined {
    return attempt(() => {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === META_FILE) this.#tell();
      });
      watcher.on('error', () => this.#doWithout());
      return watcher;
    });
  }

  #doWithout(): void {
    this.#watcher?.close();
    this.#clock[Symbol.dispose]();
    this.#clock = every(QUICK_MS, () => this.#tell());
  }

  #tell(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#clock[Symbol.dispose]();
  }
}
