// Jobs of the engine, as SQL: a job assigns a lead to one task, and has the task's id as its key.
import type { Queries } from './database.ts';
import { JOBS_SCHEMA } from './schema.ts';

/** Only workers with the same limits take the job. */
export const buildJobName = (limits: string): string => `lead:${limits}`;

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
