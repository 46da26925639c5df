// The shared store of a cluster on a real PostgreSQL: page visits with plain SQL and with the job
// engine, their cost on the server, redelivery after kill -9, ranges of payloads, and changes of one
// row by many processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { bundle } from '../../scripts/bundle.mjs';
import { ms, quantile, times } from '../lib/stats.mjs';

const WORKERS = 4;
const SLOTS = 8;
const LOAD_MS = 5;
/** Visits that the lead keeps offered, as a crawl with a concurrency of 32 for each worker does. */
const AHEAD = 128;
const HOST_DELAY_MS = 100;
const BUSY_LOAD = 10;

const bundleAll = async (folder) => {
  await bundle({
    entryPoints: {
      postgres: 'tests/cluster/postgres.ts',
      stores: 'tests/cluster/stores.ts',
      member: 'tests/cluster/member-process.ts',
      engine: 'bench/lib/job-engine-member.ts',
      handles: 'src/store/handles/handles.ts',
      payload: 'src/store/handles/handle-payload.ts',
      pool: 'src/core/worker-pool.ts',
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
  });
  return (name) => import(join(folder, `${name}.mjs`));
};

/** Processor time of the server and of all its backends, also of those that have ended. */
const serverCpuMs = (pid) => {
  const ticks = (id, fields) => {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ');
      return { parent: Number(stat[1]), sum: fields.reduce((sum, i) => sum + Number(stat[i]), 0) };
    } catch {
      return { parent: 0, sum: 0 }; // has ended
    }
  };
  const own = ticks(pid, [11, 12, 13, 14]).sum;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => ticks(id, [11, 12]))
    .filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + child.sum, own) * 10;
};

const startProcess = (file, args) => {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = [];
  const waiting = new Set();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const waitFor = (words) =>
    new Promise((resolve) => {
      const look = () => {
        const line = lines.find((text) => text === words || text.startsWith(`${words} `));
        if (line === undefined) return;
        waiting.delete(look);
        resolve(line.slice(words.length + 1));
      };
      waiting.add(look);
      look();
    });
  const end = async () => {
    const exited = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { child, lines, waitFor, end };
};

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
  const [startedAt, cpu] = [performance.now(), serverCpuMs(server.pid)];
  await leadVisits(store, second, visits);
  const tookMs = performance.now() - startedAt;
  const cpuMs = serverCpuMs(server.pid) - cpu;
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
  const [startedAt, cpu] = [performance.now(), serverCpuMs(server.pid)];
  await run(1000, visits);
  const tookMs = performance.now() - startedAt;
  const cpuMs = serverCpuMs(server.pid) - cpu;
  await Promise.all(workers.map((worker) => worker.end()));
  await postgres.runSql(url, 'drop table bench_lines; drop table bench_results');
  return { perSecond: (visits / tookMs) * 1000, cpuMs: cpuMs / visits };
};

const measureRanges = async ({ load, stores, url }, reps) => {
  const [{ Handles }, { binaryPayload }, { WorkerPool }] = await Promise.all([
    load('handles'),
    load('payload'),
    load('pool'),
  ]);
  const store = await stores.openStore(url, { join: false });
  const handles = new Handles({
    payloads: store.payloads,
    ttlMs: 3_600_000,
    maxTotalBytes: 2 ** 31,
    sweepEveryMs: 300_000,
    log: stores.testLog,
    workers: new WorkerPool(),
  });
  const bytes = Buffer.alloc(5 * 1024 * 1024, 'page ');
  const { output_handle: handle } = await handles.store(
    binaryPayload(bytes, 'application/gzip'),
    'bench',
  );
  const took = [];
  for (let i = 0; i < reps; i++) {
    const start = Math.floor(Math.random() * (bytes.length - 65_536));
    const startedAt = performance.now();
    const payload = await handles.open(handle, {});
    await payload.read(start, start + 65_536);
    await payload[Symbol.asyncDispose]();
    took.push(performance.now() - startedAt);
  }
  await store[Symbol.asyncDispose]();
  return took;
};

const measureSwaps = async ({ stores, file, url }) => {
  const store = await stores.openStore(url, { join: false });
  const { task_id: id } = await store.tasks.create(stores.buildTask(store));
  const startedAt = performance.now();
  const counters = Array.from({ length: 8 }, () =>
    startProcess(file('member'), ['count', url, id, '500']),
  );
  await Promise.all(counters.map((counter) => counter.waitFor('done')));
  const tookMs = performance.now() - startedAt;
  const { total } = await store.tasks.require(id);
  let ordered = 0;
  await store.tasks.history(id, 1, ({ data }) => (ordered += data.total === ordered + 1 ? 1 : 0));
  await store[Symbol.asyncDispose]();
  return { tookMs, total, ordered };
};

/** Two crawls of one host, as its server sees them. */
const measureHost = async ({ file, url }, requests, busy) => {
  const times = [];
  const site = createServer((_request, response) => {
    times.push(performance.now());
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const loads = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const address = `http://127.0.0.1:${site.address().port}/`;
  const each = [address, String(HOST_DELAY_MS), String(requests / 2)];
  const crawls = [1, 2].map(() => startProcess(file('member'), ['turns', url, ...each]));
  await Promise.all(crawls.map((crawl) => crawl.waitFor('done')));
  for (const load of loads) load.kill('SIGKILL');
  site.close();
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  return {
    least: Math.min(...gaps),
    close: gaps.filter((gap) => gap < HOST_DELAY_MS).length,
    mean: (times.at(-1) - times[0]) / gaps.length,
  };
};

export const cluster = async ({ isQuick, log }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-bench-cluster-'));
  const load = await bundleAll(folder);
  const file = (name) => join(folder, `${name}.mjs`);
  const [postgres, stores] = [await load('postgres'), await load('stores')];
  const server = await postgres.startOwnPostgres();
  try {
    const context = { load, postgres, stores, file, server, url: await server.createDatabase() };
    const visits = isQuick ? 2_000 : 20_000;
    const sql = await measureSql(context, visits);
    log(`plain SQL: ${JSON.stringify(sql)}`);
    const engine = await measureEngine(context, visits, 0);
    log(`graphile-worker: ${JSON.stringify(engine)}`);
    const batched = await measureEngine(context, visits, 2 * SLOTS);
    log(`graphile-worker, batches: ${JSON.stringify(batched)}`);
    const ranges = await measureRanges(context, isQuick ? 200 : 1000);
    const swaps = await measureSwaps(context);
    log(`swaps: ${JSON.stringify(swaps)}`);
    const requests = isQuick ? 100 : 2_000;
    const calm = await measureHost(context, requests, 0);
    log(`host: ${JSON.stringify(calm)}`);
    const busy = await measureHost(
      context,
      requests,
      Math.max(0, BUSY_LOAD - Math.floor(os.loadavg()[0])),
    );
    log(`host at load: ${JSON.stringify(busy)}`);
    return buildRows({ visits, sql, engine, batched, ranges, swaps, requests, calm, busy });
  } finally {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
};

const buildRows = ({ visits, sql, engine, batched, ranges, swaps, requests, calm, busy }) => {
  const rate = ({ perSecond }) => `${Math.round(perSecond)}/s`;
  const cost = ({ cpuMs }) => `${cpuMs.toFixed(2)} ms`;
  const gap = ({ least, close, mean }) => `${close} (least ${ms(least)}, mean ${ms(mean)})`;
  const compare = (name, theirs) => [
    [
      `cluster: ${visits} page visits of ${LOAD_MS} ms, ${WORKERS} workers`,
      name,
      rate(theirs),
      rate(sql),
      times(sql.perSecond / theirs.perSecond),
      'at least 300/s',
    ],
    [
      'cluster: processor time of PostgreSQL per visit',
      name,
      cost(theirs),
      cost(sql),
      times(theirs.cpuMs / sql.cpuMs),
      'at most 0.30 ms',
    ],
  ];
  const alone = (what, ours, aim) => [what, '', '', ours, '', aim];
  return [
    ...compare('graphile-worker', engine),
    ...compare('graphile-worker, batches', batched),
    alone('cluster: redelivery after kill -9', ms(sql.redeliveryMs), 'at most 2 s'),
    alone('cluster: 64 kB of a 5 MB payload, p95', ms(quantile(ranges, 0.95)), 'under 20 ms'),
    alone(
      'cluster: 8 processes x 500 changes of one row',
      `${swaps.total} changes, ${swaps.ordered} ordered lines in ${ms(swaps.tookMs)}`,
      '4000 and 4000',
    ),
    alone(
      `cluster: ${requests} requests of two crawls at ${HOST_DELAY_MS} ms that came too close`,
      gap(calm),
      '0',
    ),
    alone(`cluster: the same at load ${BUSY_LOAD} or more`, gap(busy), '0'),
  ];
};
