// Leases of tasks, page visits and their fencing, between stores of one database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ClaimedVisit,
  ClusterStore,
  TaskLease,
} from '../../src/store/cluster/cluster-store.ts';
import { runSql, startPostgres, type TestPostgres } from './postgres.ts';
import { buildTask, LIMITS, openStore, submitted } from './stores.ts';

let postgres: TestPostgres;
let url: string;
let lead: ClusterStore;
let worker: ClusterStore;
const { signal } = new AbortController();

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  [lead, worker] = await Promise.all([openStore(url), openStore(url)]);
});

afterAll(async () => {
  await Promise.all([lead[Symbol.asyncDispose](), worker[Symbol.asyncDispose]()]);
  await postgres[Symbol.asyncDispose]();
});

const startLead = async (store = lead, limits = LIMITS): Promise<TaskLease> => {
  const { task_id: id } = await store.leases.submit(buildTask(store), { ...submitted, limits });
  const lease = await store.leases.next(limits, signal);
  expect(lease.taskId).toBe(id);
  return lease;
};

const endLead = async (lease: TaskLease): Promise<void> => {
  await lead.visits.drop(lease);
  await lead.tasks.change(lease.taskId, (meta) => ({ meta: { ...meta, status: 'COMPLETED' } }));
  await lead.leases.release(lease);
};

const offer = (lease: TaskLease, count: number): Promise<void> =>
  lead.visits.offer(
    lease,
    Array.from({ length: count }, (_, n) => ({
      n,
      url: `http://a.test/${n}`,
      request: { format: 'markdown' },
    })),
  );

const claim = (
  store: ClusterStore,
  limit: number,
  alone = false,
): Promise<readonly ClaimedVisit[]> => store.visits.claim({ limit, alone, limits: LIMITS });

/** Ends the store without leaving the cluster, as a killed process does. */
const killStore = (store: ClusterStore): Promise<unknown> =>
  runSql(
    postgres.asSuperuser(url),
    `select pg_terminate_backend(l.pid) from pg_locks l join openchrome.members m
     on l.objid = m.lock_key where m.id = '${store.members.own}' and l.locktype = 'advisory'`,
  );

describe('leases', () => {
  it('give each submitted task to one of the waiting workers, with its call', async () => {
    const leases = [lead, worker, lead].map((store) => store.leases.next(LIMITS, signal));
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const meta = await lead.leases.submit(buildTask(lead), submitted);
      ids.push(meta.task_id);
    }
    const found = await Promise.all(leases);
    expect(found.map(({ taskId }) => taskId).sort()).toEqual(ids.sort());
    expect(found[0]).toMatchObject({ kind: 'crawl', epoch: 1, call: submitted });
    for (const [i, lease] of found.entries()) {
      const store = [lead, worker, lead][i]!;
      expect(lease.member).toBe(store.members.own);
      await store.leases.bind(lease).change(lease.taskId, (meta) => ({
        meta: { ...meta, status: 'COMPLETED' },
      }));
      await store.leases.release(lease);
    }
  });

  it('are not given to a worker with other limits', async () => {
    const stop = new AbortController();
    const other = worker.leases.next('other-limits', stop.signal);
    other.catch(() => {});
    const lease = await startLead();
    stop.abort(new Error('enough'));
    await expect(other).rejects.toThrow('enough');
    await lead.leases.release(lease);
    const again = await worker.leases.next(LIMITS, signal);
    expect(again).toMatchObject({ taskId: lease.taskId, epoch: 2 });
    await worker.tasks.change(again.taskId, (meta) => ({ meta: { ...meta, status: 'FAILED' } }));
    await worker.leases.release(again);
  });

  it('reject every write of a lead after the task has another lead', async () => {
    const old = await startLead();
    const bound = lead.leases.bind(old);
    const files = bound.files(old.taskId);
    await files.append('pages.jsonl', { n: 0 });
    await lead.leases.release(old);
    const now = await worker.leases.next(LIMITS, signal);
    const rejected = { code: 'engine_stopped' };
    const change = bound.change(old.taskId, (meta) => ({ meta: { ...meta, status: 'FAILED' } }));
    await expect(change).rejects.toMatchObject(rejected);
    await expect(bound.append(old.taskId, { ts: 1, kind: 'log' })).rejects.toMatchObject(rejected);
    await expect(bound.saveReply(old.taskId, '{}')).rejects.toMatchObject(rejected);
    await expect(files.append('pages.jsonl', { n: 1 })).rejects.toMatchObject(rejected);
    await expect(bound.touch(old.taskId)).rejects.toMatchObject(rejected);
    await lead.visits.offer(old, [{ n: 0, url: 'http://a.test/', request: {} }]);
    expect(await claim(worker, 5)).toEqual([]);
    expect(await worker.tasks.require(old.taskId)).toMatchObject({ status: 'PENDING' });
    expect(await worker.tasks.loadResult(old.taskId)).toBeUndefined();
    await worker.tasks.change(now.taskId, (meta) => ({ meta: { ...meta, status: 'CANCELLED' } }));
    await worker.leases.release(now);
  });

  it('forget the arguments of the call when the task has ended', async () => {
    const lease = await startLead();
    const read = (): Promise<{ call: string | null }[]> =>
      runSql(url, `select call from openchrome.tasks where id = '${lease.taskId}'`);
    expect((await read())[0]?.call).toContain('http://a.test/');
    await lead.leases
      .bind(lease)
      .change(lease.taskId, (meta) => ({ meta: { ...meta, status: 'COMPLETED' } }));
    expect((await read())[0]?.call).toBeNull();
    await lead.leases.release(lease);
  });

  it('find a task whose job was lost', async () => {
    const stop = new AbortController();
    const { task_id: id } = await lead.leases.submit(buildTask(lead), submitted);
    await runSql(url, `select openchrome_jobs.remove_job('${id}')`);
    const lease = await worker.leases.next(LIMITS, stop.signal);
    expect(lease.taskId).toBe(id);
    await worker.tasks.change(id, (meta) => ({ meta: { ...meta, status: 'FAILED' } }));
    await worker.leases.release(lease);
  });
});

describe('page visits', () => {
  it('are claimed once, in order, ended, and taken by the lead', async () => {
    const lease = await startLead();
    await offer(lease, 20);
    const [mine, others] = await Promise.all([claim(lead, 12), claim(worker, 12)]);
    expect([...mine, ...others].map(({ n }) => n).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
    expect(mine[0]).toMatchObject({ url: `http://a.test/${mine[0]?.n}`, deaths: 0, epoch: 1 });
    const ended = others.map((visit) => ({ visit, outcome: { title: `page ${visit.n}` } }));
    await Promise.all(ended.map((one) => worker.visits.finish([one])));
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const taken = await lead.visits.takeEnded(lease, numbers);
    expect(taken.map(({ n }) => n)).toEqual(others.map(({ n }) => n));
    expect(taken[0]?.outcome).toEqual({ title: `page ${taken[0]?.n}` });
    expect(await lead.visits.takeEnded(lease, numbers)).toEqual([]);
    await endLead(lease);
    expect(await lead.visits.stillClaimed(mine)).toEqual([]);
  });

  it('stay as they are if they are offered again, and are replaced if the URL differs', async () => {
    const lease = await startLead();
    await offer(lease, 2);
    const [first] = await claim(worker, 1);
    await worker.visits.finish([{ visit: first!, outcome: { kept: true } }]);
    await offer(lease, 2);
    await lead.visits.offer(lease, [{ n: 1, url: 'http://a.test/new', request: {} }]);
    expect(await claim(worker, 5)).toMatchObject([{ n: 1, url: 'http://a.test/new' }]);
    expect(await lead.visits.takeEnded(lease, [0, 1])).toEqual([{ n: 0, outcome: { kept: true } }]);
    await endLead(lease);
  });

  it('are given back without counting as a death', async () => {
    const lease = await startLead();
    await offer(lease, 1);
    const visits = await claim(worker, 1);
    await worker.visits.giveBack(visits);
    await worker.visits.finish([{ visit: visits[0]!, outcome: { stale: true } }]);
    expect(await lead.visits.takeEnded(lease, [0])).toEqual([]);
    expect(await claim(lead, 1)).toMatchObject([{ n: 0, deaths: 0 }]);
    await endLead(lease);
  });

  it('are saved and claimed in one statement', async () => {
    const lease = await startLead();
    await offer(lease, 3);
    const [first] = await claim(worker, 1);
    const ended = [{ visit: first!, outcome: { title: 'first' } }];
    const next = await worker.visits.claim({ limit: 2, alone: false, limits: LIMITS, ended });
    expect(next.map(({ n }) => n)).toEqual([1, 2]);
    expect(await lead.visits.takeEnded(lease, [0])).toEqual([
      { n: 0, outcome: { title: 'first' } },
    ]);
    await endLead(lease);
  });

  it('are given back if their worker does not know that it has claimed them', async () => {
    const lease = await startLead();
    await offer(lease, 3);
    const [known, ...unknown] = await claim(worker, 3);
    await worker.visits.keepOnly([known!]);
    expect(await worker.visits.stillClaimed([known!, ...unknown])).toEqual([known]);
    expect(await claim(lead, 3)).toMatchObject(unknown.map(({ n }) => ({ n, deaths: 0 })));
    await endLead(lease);
  });

  it('of a dead worker are reassigned alone, and end after three deaths', async () => {
    const lease = await startLead();
    await offer(lease, 1);
    for (const deaths of [0, 1, 2]) {
      const doomed = await openStore(url);
      expect(await claim(doomed, 5)).toHaveLength(deaths === 0 ? 1 : 0);
      const [visit] = deaths === 0 ? [undefined] : await waitFor(() => claim(doomed, 5, true));
      if (visit) expect(visit).toMatchObject({ n: 0, deaths });
      const { own } = doomed.members;
      await killStore(doomed);
      await waitFor(async () => ((await isMember(own)) ? [] : [true]));
      await doomed[Symbol.asyncDispose]();
    }
    const taken = await waitFor(() => lead.visits.takeEnded(lease, [0]));
    expect(taken).toEqual([{ n: 0, outcome: { lost: 3 } }]);
    await lead.tasks.change(lease.taskId, (meta) => ({ meta: { ...meta, status: 'COMPLETED' } }));
    await lead.leases.release(lease);
  }, 180_000);
});

const isMember = async (id: string): Promise<boolean> =>
  (await lead.members.list()).some((member) => member.id === id);

const waitFor = async <T>(read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
  for (;;) {
    const found = await read();
    if (found.length > 0) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
