// The job engine: graphile-worker wakes one worker for each task without a lead; its jobs as SQL.
import {
  type LogFunctionFactory,
  Logger,
  runMigrations,
  runTaskList,
  type WorkerPool,
} from 'graphile-worker';
import type { Log } from '../../core/log.ts';
import type { Database, Queries } from './database.ts';
import { JOBS_SCHEMA } from './schema.ts';

/** Only workers with the same limits take the job. */
const buildJobName = (limits: string): string => `lead:${limits}`;

/** Replaces a job of the same task. */
export const addJob = async (queries: Queries, taskId: string, limits: string): Promise<void> => {
  await queries.query(
    `select ${JOBS_SCHEMA}.add_job($1, payload := $2::json, job_key := $3, max_attempts := 1000)`,
    [buildJobName(limits), JSON.stringify({ task_id: taskId }), taskId],
  );
};

/** Tasks that wait for a lead, but have no job that could assign one. */
export const findTasksWithoutJob = (queries: Queries): Promise<{ id: string; limits: string }[]> =>
  queries.query<{ id: string; limits: string }>(
    `select t.id, t.limits from openchrome.tasks t
     where t.call is not null and t.lead is null and t.ended_at is null
       and not exists (select 1 from ${JOBS_SCHEMA}.jobs j where j.key = t.id)`,
  );

/** Unlocks the jobs of processes that are not members any more. */
export const unlockJobs = async (queries: Queries): Promise<void> => {
  await queries.query(
    `select ${JOBS_SCHEMA}.force_unlock_workers(dead.ids) from (
       select array_agg(distinct j.locked_by) as ids from ${JOBS_SCHEMA}.jobs j
       where j.locked_by is not null and j.locked_at < clock_timestamp() - interval '3 seconds'
         and not exists (select 1 from openchrome.members m where m.engine = j.locked_by)
     ) dead where dead.ids is not null`,
  );
};

/** Jobs are also found without notifications. */
const POLL_MS = 1_000;

const LOGGED = new Set<string>(['error', 'warning']);

const createLogger = (log: Log, hide: (text: string) => string): Logger => {
  const write: LogFunctionFactory = () => (level, message) => {
    if (LOGGED.has(level)) log.debug(`job engine: ${hide(message)}`);
  };
  return new Logger(write);
};

export const migrateJobs = async (database: Database, log: Log): Promise<void> => {
  await runMigrations({
    pgPool: database.pool,
    schema: JOBS_SCHEMA,
    logger: createLogger(log, (text) => database.hide(text)),
  });
};

interface JobEngineOptions {
  readonly database: Database;
  readonly log: Log;
  readonly limits: string;
  /** Handles one job; the next one starts after that. */
  readonly onTask: (taskId: string) => Promise<void>;
}

/** Takes jobs one at a time until it is stopped. */
export const startJobEngine = ({ database, log, limits, onTask }: JobEngineOptions): WorkerPool =>
  runTaskList(
    {
      schema: JOBS_SCHEMA,
      concurrency: 1,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: createLogger(log, (text) => database.hide(text)),
    },
    {
      [buildJobName(limits)]: async (payload) => {
        const { task_id: taskId } = payload as { task_id?: string };
        if (typeof taskId === 'string') await onTask(taskId);
      },
    },
    database.pool,
  );
