// Assigns tasks to workers: the job engine wakes a worker, which takes the lease in one update.
import type { WorkerPool } from 'graphile-worker';
import type { Log } from '../../core/log.ts';
import { abortable, sleep } from '../../core/time.ts';
import type { TaskChange, TaskLedger, TaskMeta } from '../tasks/task-ledger.ts';
import type { SubmittedCall, TaskLease, TaskLeases } from './cluster-store.ts';
import type { ClusterTasks } from './cluster-tasks.ts';
import { type Database, throughOutage } from './database.ts';
import { addJob, startJobEngine } from './job-engine.ts';
import type { ClusterMembers } from './members.ts';

interface ClusterLeasesOptions {
  readonly database: Database;
  readonly tasks: ClusterTasks;
  readonly members: ClusterMembers;
  readonly log: Log;
}

/**
 * The member row is locked first: a member that is being declared dead gets no lease. Nothing is
 * returned if the task has ended, or if it has a lead.
 */
const TAKE = `
with self as materialized (
  select id from openchrome.members where id = $2 for key share
)
update openchrome.tasks t set lead = self.id, epoch = t.epoch + 1
from self
where t.id = $1 and t.lead is null and t.call is not null and t.ended_at is null
returning t.epoch, t.call, (t.meta::json ->> 'kind') as kind`;

const RESTART_MS = 1_000;

interface WaitingLead {
  readonly limits: string;
  readonly resolve: (lease: TaskLease) => void;
}

export class ClusterLeases implements TaskLeases, AsyncDisposable {
  readonly #options: ClusterLeasesOptions;
  readonly #waiting: WaitingLead[] = [];
  #engine: { readonly pool: WorkerPool; readonly limits: string } | undefined;
  /** The end of the last engine; a new one starts after that. */
  #stopped: Promise<void> = Promise.resolve();

  constructor(options: ClusterLeasesOptions) {
    this.#options = options;
  }

  submit(build: (id: string) => TaskChange, call: SubmittedCall): Promise<TaskMeta> {
    return this.#options.tasks.createWith(build, async (queries, id) => {
      await queries.query('update openchrome.tasks set call = $2, limits = $3 where id = $1', [
        id,
        JSON.stringify(call),
        call.limits,
      ]);
      await addJob(queries, id, call.limits);
    });
  }

  async next(limits: string, signal: AbortSignal): Promise<TaskLease> {
    signal.throwIfAborted();
    let waiting: WaitingLead | undefined;
    const leased = new Promise<TaskLease>((resolve) => {
      waiting = { limits, resolve };
      this.#waiting.push(waiting);
    });
    try {
      await this.#startEngine(limits);
      return await abortable(leased, signal);
    } finally {
      if (waiting) remove(this.#waiting, waiting);
      this.#stopIfIdle();
    }
  }

  /** The engine runs only while a lead is wanted, so that it takes no job that it cannot assign. */
  async #startEngine(limits: string): Promise<void> {
    await this.#stopped;
    if (this.#engine || this.#waiting.length === 0) return;
    const { database, log, members } = this.#options;
    const pool = startJobEngine({
      database,
      log,
      limits,
      onTask: (id) => this.#assign(id, limits),
    });
    this.#engine = { pool, limits };
    void pool.promise
      .catch((error: unknown) => log.debug('the job engine ended', error))
      .then(() => this.#restartEngine(pool, limits));
    await members.setEngine(pool.id).catch(() => {}); // the next heartbeat has it
  }

  /** The engine ends if it cannot save the end of a job, for example in an outage. */
  async #restartEngine(pool: WorkerPool, limits: string): Promise<void> {
    if (this.#engine?.pool !== pool) return; // stopped because no lead is wanted
    this.#engine = undefined;
    await sleep(RESTART_MS);
    await this.#startEngine(limits);
  }

  #stopIfIdle(): void {
    const engine = this.#engine;
    if (!engine || this.#waiting.length > 0) return;
    this.#engine = undefined;
    this.#stopped = Promise.resolve(engine.pool.gracefulShutdown()).catch(() => {});
  }

  async #assign(taskId: string, limits: string): Promise<void> {
    const { database } = this.#options;
    const lease = this.#waiting.length > 0 ? await this.#take(taskId) : undefined;
    const waiting = lease && this.#waiting.shift();
    if (waiting) {
      waiting.resolve(lease);
      this.#stopIfIdle();
    } else if (lease) await this.release(lease);
    // The job ends here, so a task that still waits needs another one.
    else if (this.#waiting.length === 0) await addJob(database, taskId, limits);
  }

  async #take(taskId: string): Promise<TaskLease | undefined> {
    const { database, members } = this.#options;
    const member = members.own;
    const [row] = await database.query<{ epoch: number; call: string; kind: string }>(TAKE, [
      taskId,
      member,
    ]);
    if (!row) return undefined;
    const { epoch, kind } = row;
    return { taskId, kind, member, epoch, call: JSON.parse(row.call) as SubmittedCall };
  }

  bind({ taskId, member, epoch }: TaskLease): TaskLedger {
    return this.#options.tasks.bind({ taskId, member, epoch });
  }

  async release({ taskId, member, epoch }: TaskLease): Promise<void> {
    await throughOutage(() =>
      this.#options.database.transaction(async (queries) => {
        await queries.query('select id from openchrome.tasks where id = $1 for update', [taskId]);
        const [task] = await queries.query<{ limits: string; ended: boolean }>(
          `update openchrome.tasks set lead = null where id = $1 and lead = $2 and epoch = $3
           returning limits, ended_at is not null as ended`,
          [taskId, member, epoch],
        );
        if (task && !task.ended) await addJob(queries, taskId, task.limits);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting.splice(0);
    this.#stopIfIdle();
    await this.#stopped;
  }
}

const remove = <T>(list: T[], item: T): void => {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
};
