// A crawl over the worker processes of a cluster: pages a second, and processor time per page of the
// workers and of PostgreSQL. The site has 50 hosts and answers after 5 ms.
import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  readCpuMs,
  readServerCpuMs,
  startTask,
  startWorker,
  waitForEnd,
  withCluster,
} from '../lib/fleet.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';

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

const measureCrawl = async ({ gateway, site, pages, readCosts, log }) => {
  const before = readCosts();
  const startedAt = performance.now();
  const task = await startTask(gateway, {
    ...{ url: site.url, max_pages: pages, max_depth: 100, scope: 'any', render: 'fetch' },
    ...{ concurrency: 32, respect_robots: false },
  });
  const { status } = await waitForEnd(gateway, task);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = readCosts();
  const twice = [...site.counts.values()].filter((count) => count > 1).length;
  log(`${status}, ${site.counts.size} pages in ${seconds.toFixed(1)} s, ${twice} twice`);
  if (status !== 'COMPLETED' || site.counts.size !== pages)
    throw new Error(`${status}: ${site.counts.size} pages instead of ${pages}`);
  return {
    perSecond: pages / seconds,
    twice,
    databaseMs: (after.database - before.database) / pages,
    workersMs: (after.workers - before.workers) / pages,
  };
};

export const clusterCrawl = ({ isQuick, log }) =>
  withCluster(async ({ folder, server, url }) => {
    const pages = isQuick ? 2_000 : 20_000;
    const site = await startSite(pages);
    const gateway = await startOpenChrome(['--cluster', url]);
    const workers = [];
    try {
      while (workers.length < WORKERS)
        workers.push(await startWorker({ url, folder, slots: SLOTS }));
      const readCosts = () => ({
        workers: workers.reduce((sum, { pid }) => sum + readCpuMs(pid), 0),
        database: readServerCpuMs(server.pid),
      });
      const found = await measureCrawl({ gateway, site, pages, readCosts, log });
      return buildRows(pages, found);
    } finally {
      await Promise.all(workers.map((worker) => worker.end()));
      await gateway.end();
      site.close();
    }
  });

const buildRows = (pages, { perSecond, twice, databaseMs, workersMs }) => {
  const alone = (what, ours, aim) => [what, '', '', ours, '', aim];
  return [
    alone(
      `cluster: a crawl of ${pages} pages on ${HOSTS} hosts with ${WORKERS} workers`,
      `${Math.round(perSecond)}/s, ${twice} pages twice`,
      'at least 300/s, each once',
    ),
    alone(
      'cluster: processor time of PostgreSQL per page of a crawl',
      `${databaseMs.toFixed(2)} ms`,
      'at most 0.30 ms',
    ),
    alone(
      'cluster: processor time of all workers per page of a crawl',
      `${workersMs.toFixed(2)} ms`,
      'a rate of 300/s on two cores',
    ),
  ];
};
