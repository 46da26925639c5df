// Reassigns the tasks and page visits of dead members.
import type { Database, Queries } from './database.ts';
import type { DeadMemberWork } from './members.ts';
import { addJob, findTasksWithoutJob, unlockJobs } from './job-engine.ts';
import { ENDED_TOPIC, type Notices, OFFERS_TOPIC } from './notices.ts';

/** A page that ended this many workers is not loaded again. */
const MAX_DEATHS = 3;

export const createDeadMemberWork = (database: Database, notices: Notices): DeadMemberWork => ({
  bury: async (id, isDead) => {
    const buried = await database.transaction(async (queries) => {
      const sql = `delete from openchrome.members m where m.id = $1 and ${isDead} returning m.id`;
      if ((await queries.query(sql, [id])).length === 0) return undefined;
      await freeTasks(queries, id);
      return freeVisits(queries, 'member = $1', [id]);
    });
    publish(notices, buried ?? []);
    return buried !== undefined;
  },
  repair: async () => {
    const freed = await database.transaction(async (queries) => {
      for (const id of await findLeadsOfTheDead(queries)) await freeTasks(queries, id);
      for (const { id, limits } of await findTasksWithoutJob(queries))
        await addJob(queries, id, limits);
      await unlockJobs(queries);
      const orphaned = 'not exists (select 1 from openchrome.members m where m.id = member)';
      return freeVisits(queries, orphaned, []);
    });
    publish(notices, freed);
  },
});

const publish = (notices: Notices, freed: readonly FreedVisit[]): void => {
  if (freed.some(({ state }) => state === 0)) notices.publish(OFFERS_TOPIC);
  for (const id of new Set(freed.flatMap((visit) => (visit.state === 2 ? [visit.task_id] : []))))
    notices.publish(ENDED_TOPIC + id);
};

const findLeadsOfTheDead = async (queries: Queries): Promise<string[]> => {
  const rows = await queries.query<{ lead: string }>(
    `select distinct t.lead from openchrome.tasks t where t.lead is not null
     and not exists (select 1 from openchrome.members m where m.id = t.lead)`,
  );
  return rows.map(({ lead }) => lead);
};

/**
 * Locks the rows first: a write of the dead lead that has checked its lease ends before, and any
 * later one sees that the lease is void.
 */
const freeTasks = async (queries: Queries, lead: string): Promise<void> => {
  const lock = 'select id from openchrome.tasks where lead = $1 order by id for update';
  await queries.query(lock, [lead]);
  const tasks = await queries.query<{ id: string; limits: string | null; ended: boolean }>(
    `update openchrome.tasks set lead = null where lead = $1
     returning id, limits, ended_at is not null as ended`,
    [lead],
  );
  for (const { id, limits, ended } of tasks)
    if (!ended && limits !== null) await addJob(queries, id, limits);
};

interface FreedVisit {
  readonly task_id: string;
  readonly state: number;
}

const freeVisits = async (
  queries: Queries,
  condition: string,
  values: readonly unknown[],
): Promise<FreedVisit[]> => {
  const which = `state = 1 and ${condition}`;
  await queries.query(
    `select n from openchrome.visits where ${which} order by task_id, n for update`,
    values,
  );
  return queries.query<{ task_id: string; state: number }>(
    `update openchrome.visits set member = null, epoch = epoch + 1, deaths = deaths + 1,
       state = case when deaths + 1 >= ${MAX_DEATHS} then 2 else 0 end,
       outcome = case when deaths + 1 >= ${MAX_DEATHS} then '{"lost":${MAX_DEATHS}}' end
     where ${which} returning task_id, state`,
    values,
  );
};
