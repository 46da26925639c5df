// The job engine: graphile-worker wakes one worker for each task that needs a lead.
import {
  type LogFunctionFactory,
  Logger,
  runMigrations,
  runTaskList,
  type WorkerPool,
} from 'graphile-worker';
import type { Log } from '../../core/log.ts';
import type { Database } from './database.ts';
import { buildJobName } from './jobs-sql.ts';
import { JOBS_SCHEMA } from './schema.ts';

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
