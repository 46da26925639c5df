// The tables of a cluster stay bounded under load: a month of crawls in a minute or two.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterStore, RobotsFile, TaskLease } from '../../src/store/cluster/cluster-store.ts';
import { textPayload } from '../../src/store/handles/handle-payload.ts';
import { Handles } from '../../src/store/handles/handles.ts';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import { type OwnPostgres, runSql, startOwnPostgres } from './postgres.ts';
import { buildTask, LIMITS, openStore, submitted, testLog } from './stores.ts';

let postgres: OwnPostgres;
let url: string;
let store: ClusterStore;

beforeAll(async () => {
  postgres = await startOwnPostgres({
    settings: ['autovacuum_naptime = 1s', 'autovacuum_vacuum_cost_delay = 0'],
  });
  url = await postgres.createDatabase();
  store = await openStore(url);
});

afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const ROUNDS = 120;
const PAGES = 200;

/** One crawl: every page is offered, claimed, ended, taken and stored. */
const crawl = async (): Promise<void> => {
  const { signal } = new AbortController();
  await store.leases.submit(buildTask(store), submitted);
  const lease: TaskLease = await store.leases.next(LIMITS, signal);
  const ledger = store.leases.bind(lease);
  const files = ledger.files(lease.taskId);
  const visits = Array.from({ length: PAGES }, (_, n) => ({
    n,
    url: `http://a.test/${n}`,
    request: { format: 'markdown' },
  }));
  await store.visits.offer(lease, visits);
  const claimed = await store.visits.claim({ limit: PAGES, alone: true, limits: LIMITS });
  const content = `${lease.taskId} `.repeat(200);
  await store.visits.finish(claimed.map((visit) => ({ visit, outcome: { content } })));
  const taken = await store.visits.takeEnded(
    lease,
    visits.map(({ n }) => n),
  );
  expect(taken).toHaveLength(PAGES);
  await Promise.all(taken.map(({ n, outcome }) => files.append('pages.jsonl', { n, ...outcome })));
  await ledger.saveReply(lease.taskId, JSON.stringify(taken));
  await ledger.change(lease.taskId, (meta) => ({ meta: { ...meta, status: 'COMPLETED' } }));
  await store.visits.drop(lease);
  await store.leases.release(lease);
};

const { signal } = new AbortController();
const fetchRobots = async (): Promise<RobotsFile> => ({ status: 200, text: 'User-agent: *' });

const readSizes = async (): Promise<Record<string, number>> => {
  const rows = await runSql<{ name: string; bytes: string }>(
    url,
    `select relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
     join pg_namespace n on n.oid = relnamespace
     where nspname in ('openchrome', 'openchrome_jobs') and relkind = 'r'`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
};

describe('the tables of a cluster', () => {
  it('stay bounded if crawls run and expire for a long time', async () => {
    const handles = new Handles({
      payloads: store.payloads,
      ttlMs: 1000,
      maxTotalBytes: 50_000_000,
      sweepEveryMs: 300_000,
      log: testLog,
      workers: new WorkerPool(),
    });
    const sizes: Record<string, number>[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await crawl();
      await handles.store(textPayload('x'.repeat(200_000)), 'crawl');
      await store.turns.rest(`host${round}.test`, 1);
      await store.robots.load(`http://host${round}.test`, fetchRobots, signal);
      // Each round is 18 hours: tasks expire after 40 rounds, robots.txt files after two, payloads
      // and hosts after one.
      await runSql(
        url,
        `update openchrome.tasks set ended_at = ended_at - interval '18 hours';
         update openchrome.robots set fetched_at = fetched_at - interval '18 hours';
         update openchrome.hosts set rests_until = rests_until - interval '18 hours';
         update openchrome.payloads set expires_at = expires_at - interval '18 hours'`,
      );
      await store.tasks.retention.sweep(Date.now());
      await handles.retention.sweep(Date.now());
      sizes.push(await readSizes());
    }
    const findLargest = (part: readonly Record<string, number>[], name: string): number =>
      Math.max(...part.map((size) => size[name] ?? 0));
    const [settled, later] = [sizes.slice(0, 60), sizes.slice(60)];
    const grown = Object.keys(sizes[0] ?? {}).filter(
      (name) => findLargest(later, name) > 1.5 * findLargest(settled, name) + 1_000_000,
    );
    expect(grown).toEqual([]);
    const [rows] = await runSql<Record<string, number>>(
      url,
      `select (select count(*)::int from openchrome.visits) as visits,
         (select count(*)::int from openchrome.hosts) as hosts,
         (select count(*)::int from openchrome.payloads) as payloads,
         (select count(*)::int from openchrome_jobs.jobs) as jobs,
         (select count(*)::int from openchrome.robots) as robots,
         (select count(*)::int from openchrome.tasks) as tasks,
         (select count(*)::int from (
            select task_id as id from openchrome.task_lines
            union all select task_id from openchrome.task_events
            union all select owner from openchrome.chunks
          ) part where not exists (select 1 from openchrome.tasks t where t.id = part.id)) as orphans`,
    );
    expect(rows).toEqual({
      ...{ visits: 0, hosts: 0, payloads: 0, jobs: 0, orphans: 0 },
      ...{ robots: 1, tasks: 39 },
    });
  }, 600_000);
});
