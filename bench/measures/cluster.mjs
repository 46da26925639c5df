// Page visits of a cluster on a real PostgreSQL: with plain SQL and with the job engine, their cost on
// the server, and redelivery after kill -9.
import pg from 'pg';
import { readServerCpuMs, startProcess, withCluster } from '../lib/fleet.mjs';
import { ms, times } from '../lib/stats.mjs';

const WORKERS = 4;
const SLOTS = 8;
const LOAD_MS = 5;
/** Visits that the lead keeps offered, as a crawl with a concurrency of 32 for each worker does. */
const AHEAD = 128;

const buildVisits = (from, count) =>
  Array.from({ length: count }, (_, i) => ({
    n: from + i,
    url: `http://host${(from + i) % 50}.test/${from + i}`,
    request: { format: 'markdown', render: 'fetch' },
  }));

/** Leads one crawl: offers visits, takes their outcomes and stores them as lines. */
const leadVisits = async (store, lease, count) => {
  const { signal } = new AbortController();
  const files = store.leases.bind(lease).files(lease.taskId);
  const open = new Set();
  let [offered, stored] = [0, 0];
  while (stored < count) {
    const ended = store.visits.waitForEnded(lease, signal);
    const fresh = buildVisits(offered, Math.min(AHEAD - open.size, count - offered));
    if (fresh.length > 0) await store.visits.offer(lease, fresh);
    for (const { n } of fresh) open.add(n);
    offered += fresh.length;
    const taken = await store.visits.takeEnded(lease, [...open]);
    await Promise.all(
      taken.map(({ n, outcome }) => files.append('pages.jsonl', { n, ...outcome })),
    );
    for (const { n } of taken) if (!open.has(n)) throw new Error(`visit ${n} ended twice`);
    for (const { n } of taken) open.delete(n);
    stored += taken.length;
    if (taken.length === 0) await ended;
  }
};

const submit = async ({ buildTask, LIMITS, submitted }, store) => {
  await store.leases.submit(buildTask(store), submitted);
  return store.leases.next(LIMITS, new AbortController().signal);
};

/** Page visits with plain SQL. */
const measureSql = async ({ stores, file, server, url }, visits) => {
  const store = await stores.openStore(url, { role: 'gateway' });
  const workers = Array.from({ length: WORKERS }, () =>
    startProcess(file('member'), ['work', url, String(LOAD_MS), String(SLOTS)]),
  );
  await Promise.all(workers.map((worker) => worker.waitFor('joined')));
  const lease = await submit(stores, store);
  await leadVisits(store, lease, 500); // warm up
  await store.visits.drop(lease);
  await store.leases.bind(lease).change(lease.taskId, (meta) => ({
    meta: { ...meta, status: 'COMPLETED' },
  }));
  await store.leases.release(lease);
  const second = await submit(stores, store);
  const [startedAt, cpu] = [performance.now(), readServerCpuMs(server.pid)];
  await leadVisits(store, second, visits);
  const tookMs = performance.now() - startedAt;
  const cpuMs = readServerCpuMs(server.pid) - cpu;
  const redeliveryMs = await measureRedelivery({ store, lease: second, file, url, workers });
  await Promise.all(workers.map((worker) => worker.end()));
  await store[Symbol.asyncDispose]();
  return { perSecond: (visits / tookMs) * 1000, cpuMs: cpuMs / visits, redeliveryMs };
};

/** From the kill of a worker to the claim of its visit by another one. */
const measureRedelivery = async ({ store, lease, file, url, workers }) => {
  const { signal } = new AbortController();
  for (const worker of workers) worker.child.kill('SIGSTOP');
  const doomed = startProcess(file('member'), ['work', url, 'hang', '1']);
  await doomed.waitFor('joined');
  const [visit] = buildVisits(1_000_000, 1);
  await store.visits.offer(lease, [visit]);
  await doomed.waitFor(`claimed ${visit.n}`);
  for (const worker of workers) worker.child.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const killedAt = performance.now();
  doomed.child.kill('SIGKILL');
  let taken = [];
  while (taken.length === 0) {
    const ended = store.visits.waitForEnded(lease, signal);
    taken = await store.visits.takeEnded(lease, [visit.n]);
    if (taken.length === 0) await ended;
  }
  return performance.now() - killedAt;
};

/** The same visits as jobs: one job each, with the result as a row of its own. */
const measureEngine = async ({ postgres, file, server, url }, visits, batch) => {
  await postgres.runSql(
    url,
    'create table if not exists bench_results (n int primary key, t text)',
  );
  const workers = Array.from({ length: WORKERS }, () =>
    startProcess(file('engine'), [url, String(LOAD_MS), String(SLOTS), String(batch)]),
  );
  await Promise.all(workers.map((worker) => worker.waitFor('joined')));
  const run = async (first, count) => {
    const client = new pg.Client(url);
    await client.connect();
    const open = { offered: 0, stored: 0 };
    while (open.stored < count) {
      const add = Math.min(AHEAD - (open.offered - open.stored), count - open.offered);
      if (add > 0) {
        const specs = buildVisits(first + open.offered, add).map((visit) => ({
          identifier: 'visit',
          payload: visit,
        }));
        await client.query(
          `select count(*) from openchrome_jobs.add_jobs((select array_agg(
             json_populate_record(null::openchrome_jobs.job_spec, s)) from
             json_array_elements($1::json) s))`,
          [JSON.stringify(specs)],
        );
        open.offered += add;
      }
      const { rowCount } = await client.query(
        `with taken as (delete from bench_results returning n, t)
         insert into bench_lines select n, t from taken on conflict do nothing`,
      );
      open.stored += rowCount;
      if (rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await client.end();
  };
  await postgres.runSql(url, 'create table if not exists bench_lines (n int primary key, t text)');
  await run(0, 500);
  const [startedAt, cpu] = [performance.now(), readServerCpuMs(server.pid)];
  await run(1000, visits);
  const tookMs = performance.now() - startedAt;
  const cpuMs = readServerCpuMs(server.pid) - cpu;
  await Promise.all(workers.map((worker) => worker.end()));
  await postgres.runSql(url, 'drop table bench_lines; drop table bench_results');
  return { perSecond: (visits / tookMs) * 1000, cpuMs: cpuMs / visits };
};

export const cluster = ({ isQuick, log }) =>
  withCluster(async (context) => {
    const visits = isQuick ? 2_000 : 20_000;
    const sql = await measureSql(context, visits);
    log(`plain SQL: ${JSON.stringify(sql)}`);
    const engine = await measureEngine(context, visits, 0);
    log(`graphile-worker: ${JSON.stringify(engine)}`);
    const batched = await measureEngine(context, visits, 2 * SLOTS);
    log(`graphile-worker, batches: ${JSON.stringify(batched)}`);
    return [
      ...buildRows(visits, sql, { name: 'graphile-worker', ...engine }),
      ...buildRows(visits, sql, { name: 'graphile-worker, batches', ...batched }),
      ['cluster: redelivery after kill -9', '', '', ms(sql.redeliveryMs), '', 'at most 2 s'],
    ];
  });

const buildRows = (visits, sql, theirs) => {
  const rate = ({ perSecond }) => `${Math.round(perSecond)}/s`;
  const cost = ({ cpuMs }) => `${cpuMs.toFixed(2)} ms`;
  return [
    [
      `cluster: ${visits} page visits of ${LOAD_MS} ms, ${WORKERS} workers`,
      theirs.name,
      rate(theirs),
      rate(sql),
      times(sql.perSecond / theirs.perSecond),
      'at least 300/s',
    ],
    [
      'cluster: processor time of PostgreSQL per visit',
      theirs.name,
      cost(theirs),
      cost(sql),
      times(theirs.cpuMs / sql.cpuMs),
      'at most 0.30 ms',
    ],
  ];
};
