// Deletes expired rows: finished tasks, payloads, robots.txt files and hosts.
import type { RetentionRule, Swept } from '../files/sweeper.ts';
import type { Database, Queries } from './database.ts';
import { SWEEP_LOCK } from './schema.ts';

/** The same limits as for tasks on disk. */
const MAX_AGE = "interval '30 days'";
const MAX_TASKS = 10_000;
const MAX_TOTAL_BYTES = 8 * 1024 ** 3;
/** Tasks that are deleted in one transaction. */
const TASKS_AT_ONCE = 100;
const EVERY_MS = 10 * 60_000;

export const keepClusterTasks = (database: Database): RetentionRule => ({
  name: 'tasks of the cluster',
  everyMs: EVERY_MS,
  sweep: async () => {
    await measureEndedTasks(database);
    let [files, bytes] = [0, 0];
    for (;;) {
      const deleted = await database.transaction(deleteTasks);
      files += deleted.length;
      bytes += deleted.reduce((sum, task) => sum + Number(task.bytes ?? 0), 0);
      if (deleted.length < TASKS_AT_ONCE) break;
    }
    await deleteLeftovers(database);
    return { files, bytes };
  },
});

/** Once per task, after its end: later listings of sizes need not read the lines. */
const measureEndedTasks = async (queries: Queries): Promise<void> => {
  await queries.query(
    `update openchrome.tasks t set bytes = length(t.meta)
       + (select coalesce(sum(octet_length(line)), 0) from openchrome.task_lines
          where task_id = t.id)
       + (select coalesce(sum(octet_length(data)), 0) from openchrome.chunks where owner = t.id)
     where t.ended_at is not null and t.bytes is null`,
  );
};

/** One process at a time: the others find nothing to delete. */
const deleteTasks = async (queries: Queries): Promise<{ id: string; bytes: string | null }[]> => {
  if (!(await takeSweepLock(queries))) return [];
  const tasks = await queries.query<{ id: string; bytes: string | null }>(
    `with ranked as (
       select id, ended_at, touched_at, call,
         row_number() over (order by id desc) as place,
         sum(coalesce(bytes, 0)) over (order by id desc) as total
       from openchrome.tasks
     )
     delete from openchrome.tasks where id in (
       select id from ranked where
         (ended_at is not null and (ended_at < clock_timestamp() - ${MAX_AGE}
           or place > ${MAX_TASKS} or total > ${MAX_TOTAL_BYTES}))
         or (ended_at is null and call is null and touched_at < clock_timestamp() - ${MAX_AGE})
       limit ${TASKS_AT_ONCE}
     ) returning id, bytes`,
  );
  const ids = [tasks.map(({ id }) => id)];
  if (tasks.length === 0) return [];
  await queries.query('delete from openchrome.task_events where task_id = any($1::text[])', ids);
  await queries.query('delete from openchrome.task_lines where task_id = any($1::text[])', ids);
  await queries.query('delete from openchrome.chunks where owner = any($1::text[])', ids);
  return tasks;
};

const takeSweepLock = async (queries: Queries): Promise<boolean> => {
  const [row] = await queries.query<{ taken: boolean }>(
    'select pg_try_advisory_xact_lock($1) as taken',
    [SWEEP_LOCK],
  );
  return row?.taken === true;
};

const LEFTOVERS = [
  `delete from openchrome.visits v where not exists (
     select 1 from openchrome.tasks t where t.id = v.task_id and t.ended_at is null)`,
  `delete from openchrome.hosts where greatest(started_at, rests_until)
     < clock_timestamp() - interval '1 hour'`,
  `delete from openchrome.robots where coalesce(fetched_at, fetching_since)
     < clock_timestamp() - interval '1 day'`,
];

const deleteLeftovers = async (queries: Queries): Promise<void> => {
  for (const sql of LEFTOVERS) await queries.query(sql);
};

/** Expired payloads, parts of deleted ones, and the oldest above the limit; never the newest. */
export const sweepPayloads = (database: Database, maxTotalBytes: number): Promise<Swept> =>
  database.transaction(async (queries) => {
    if (!(await takeSweepLock(queries))) return { files: 0, bytes: 0 };
    const deleted = await queries.query<{ handle: string; size_bytes: string }>(
      `with ranked as (
         select handle, row_number() over (order by created_at desc, handle) as place,
           sum(size_bytes) over (order by created_at desc, handle) as total
         from openchrome.payloads
       )
       delete from openchrome.payloads p where p.expires_at <= clock_timestamp()
         or p.handle in (select handle from ranked where place > 1 and total > $1)
       returning p.handle, p.size_bytes`,
      [maxTotalBytes],
    );
    await queries.query(
      `delete from openchrome.payloads p where p.part_of is not null
       and not exists (select 1 from openchrome.payloads w where w.handle = p.part_of)`,
    );
    await queries.query('delete from openchrome.chunks where owner = any($1::text[])', [
      deleted.map(({ handle }) => handle),
    ]);
    return {
      files: deleted.length,
      bytes: deleted.reduce((sum, row) => sum + Number(row.size_bytes), 0),
    };
  });
