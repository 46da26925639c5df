// Opens the shared store of a cluster in PostgreSQL. Loaded only with `--cluster`.
import { hostname } from 'node:os';
import type { Log } from '../../core/log.ts';
import { ENVELOPE_KIND, type TaskOwners } from '../tasks/task-ledger.ts';
import { checkServer } from './check-server.ts';
import { ClusterPayloads } from './cluster-payloads.ts';
import { ClusterRobots } from './cluster-robots.ts';
import type { ClusterConnection, ClusterStore, ClusterStoreParts } from './cluster-store.ts';
import { ClusterTasks } from './cluster-tasks.ts';
import { createDeadMemberWork } from './dead-members.ts';
import { Database } from './database.ts';
import { ClusterTurns } from './host-turns.ts';
import { migrateJobs } from './job-engine.ts';
import { ClusterTail } from './cluster-lines.ts';
import { ClusterMembers } from './members.ts';
import { Notices } from './notices.ts';
import { migrate } from './schema.ts';
import { ClusterSession } from './session.ts';
import { ClusterLeases } from './task-leases.ts';
import { ClusterVisits } from './visit-queue.ts';

interface OpenClusterOptions {
  /** A secret: it may contain a password. */
  readonly url: string;
  readonly log: Log;
  readonly signal?: AbortSignal;
}

/** Checks the server and creates the tables. Throws `cluster_unusable` if that is impossible. */
export const openCluster = async ({
  url,
  log,
  signal,
}: OpenClusterOptions): Promise<ClusterConnection> => {
  const database = new Database(url, log);
  try {
    await checkServer(database);
    signal?.throwIfAborted();
    await database.transaction(async (queries) => {
      await migrate(queries);
      // On another connection; the transaction has the lock for migrations until the end.
      await migrateJobs(database, log);
    });
    return { createStore: (parts) => createStore(database, parts) };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
};

const createStore = (
  database: Database,
  { writer, log, role, slots, report }: ClusterStoreParts,
): ClusterStore => {
  const session = new ClusterSession(database, log);
  const notices = new Notices(database, session);
  const bury = createDeadMemberWork(database, notices);
  const members = new ClusterMembers({ database, session, log, role, slots, report, bury });
  const tasks = new ClusterTasks({ database, notices, writer });
  const leases = new ClusterLeases({ database, tasks, members, log });
  return {
    tasks,
    leases,
    members,
    owners: createOwners(database, members),
    payloads: new ClusterPayloads(database),
    turns: new ClusterTurns(database),
    robots: new ClusterRobots(database, notices),
    visits: new ClusterVisits({ database, notices, members }),
    follow: (taskId, file) => new ClusterTail(database, taskId, file),
    [Symbol.asyncDispose]: async () => {
      await leases[Symbol.asyncDispose]();
      await members[Symbol.asyncDispose]();
      notices[Symbol.dispose]();
      await session[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

/** The member id replaces the start time of the process: both distinguish a reused process id. */
const createOwners = (database: Database, members: ClusterMembers): TaskOwners => ({
  ownFields: () => ({
    pid: process.pid,
    process_started_at: Math.round(performance.timeOrigin),
    process: { started: members.own, host: hostname() },
  }),
  isGone: async ({ task_id: id, kind, process: owner }) => {
    if (kind === ENVELOPE_KIND || owner?.started === members.own) return false;
    const [task] = await database.query<{ submitted: boolean }>(
      'select call is not null as submitted from openchrome.tasks where id = $1',
      [id],
    );
    if (task?.submitted !== false || owner === undefined) return false;
    return !(await members.isAlive(owner.started));
  },
});
