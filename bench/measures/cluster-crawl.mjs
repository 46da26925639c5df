// A crawl over the worker processes of a cluster: pages a second, and processor time per page of the
// workers and of PostgreSQL. The site has 50 hosts and answers after 5 ms.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';
import { OPENCHROME, startOpenChrome } from '../lib/openchrome.mjs';
import { ms } from '../lib/stats.mjs';

const WORKERS = 4;
const SLOTS = 8;
const HOSTS = 50;
const LOAD_MS = 5;
const LINKS = 4;

const pageOf = (n, pages, port) => {
  const links = Array.from({ length: LINKS }, (_, k) => LINKS * n + k + 1)
    .filter((to) => to < pages)
    .map((to) => `<a href="http://127.0.1.${(to % HOSTS) + 1}:${port}/p/${to}">page ${to}</a>`);
  const text = '<p>Old maps disagree about where it begins.</p>'.repeat(6);
  return `<!doctype html><title>Page ${n}</title><h1>Page ${n}</h1>${text}${links.join(' ')}`;
};

const startSite = async (pages) => {
  const counts = new Map();
  const server = createServer((request, response) => {
    const n = Number(/^\/p\/(\d+)$/.exec(request.url)?.[1] ?? -1);
    if (n < 0) {
      response.writeHead(404).end();
      return;
    }
    counts.set(n, (counts.get(n) ?? 0) + 1);
    setTimeout(
      () =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(pageOf(n, pages, server.address().port)),
      LOAD_MS,
    );
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.1.1:${server.address().port}/p/0`, counts, close };
};

/** Processor time of a process, or of all children of one. */
const cpuMs = (pid, { children = false } = {}) => {
  const read = (id) => {
    try {
      return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1].split(' ').map(Number);
    } catch {
      return []; // has ended
    }
  };
  const ids = children ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [pid];
  const stats = ids.map(read).filter((stat) => !children || stat[1] === pid);
  return stats.reduce((sum, stat) => sum + (stat[11] ?? 0) + (stat[12] ?? 0), 0) * 10;
};

const startWorker = async (url, folder) => {
  const child = spawn(
    process.execPath,
    [...OPENCHROME.toSpliced(1, 0, 'worker'), '--slots', SLOTS],
    {
      env: { ...process.env, OPENCHROME_HOME: folder, OPENCHROME_CLUSTER: url },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  for await (const text of child.stderr.setEncoding('utf8'))
    if (text.includes('openchrome worker with')) break;
  return child;
};

/** A call of the bench must return within two minutes. */
const waitForEnd = async (gateway, task_id) => {
  for (;;) {
    const row = JSON.parse(await gateway.call('oc_task_get', { task_id })).meta;
    if (row.status !== 'PENDING' && row.status !== 'RUNNING') return row;
    await gateway.call('oc_task_wait', { task_id, timeout_ms: 30_000 }).catch(() => {});
  }
};

export const clusterCrawl = async ({ isQuick, log }) => {
  const pages = isQuick ? 2_000 : 20_000;
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-bench-fleet-'));
  await bundle({
    entryPoints: { postgres: 'tests/cluster/postgres.ts' },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  });
  const { startOwnPostgres } = await import(join(folder, 'postgres.mjs'));
  const database = await startOwnPostgres();
  const url = await database.createDatabase();
  const site = await startSite(pages);
  const gateway = await startOpenChrome(['--cluster', url]);
  const workers = [];
  for (let i = 0; i < WORKERS; i++)
    workers.push(await startWorker(url, mkdtempSync(join(folder, 'home-'))));
  try {
    const sumCpu = () => workers.reduce((sum, { pid }) => sum + cpuMs(pid), 0);
    const before = { workers: sumCpu(), database: cpuMs(database.pid, { children: true }) };
    const args = {
      ...{ url: site.url, max_pages: pages, max_depth: 100, scope: 'any', render: 'fetch' },
      ...{ concurrency: 32, respect_robots: false },
    };
    const startedAt = performance.now();
    const { task_id } = JSON.parse(await gateway.call('oc_task_start', { kind: 'crawl', args }));
    const ended = await waitForEnd(gateway, task_id);
    const seconds = (performance.now() - startedAt) / 1000;
    const twice = [...site.counts.values()].filter((count) => count > 1).length;
    log(`${ended.status}, ${site.counts.size} pages in ${seconds.toFixed(1)} s, ${twice} twice`);
    if (ended.status !== 'COMPLETED' || site.counts.size !== pages)
      throw new Error(`${ended.status}: ${site.counts.size} pages instead of ${pages}`);
    const perPage = (sum) => `${(sum / pages).toFixed(2)} ms`;
    return [
      [
        `cluster: a crawl of ${pages} pages on ${HOSTS} hosts with ${WORKERS} workers`,
        '-',
        '-',
        `${Math.round(pages / seconds)}/s, ${twice} pages twice`,
        '-',
        'at least 300/s, each once',
      ],
      [
        'cluster: processor time of PostgreSQL per page of a crawl',
        '-',
        '-',
        perPage(cpuMs(database.pid, { children: true }) - before.database),
        '-',
        'at most 0.30 ms',
      ],
      [
        'cluster: processor time of all workers per page of a crawl',
        '-',
        '-',
        perPage(sumCpu() - before.workers),
        '-',
        `page load ${ms(LOAD_MS)}`,
      ],
    ];
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await gateway.end();
    site.close();
    await database[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
};
