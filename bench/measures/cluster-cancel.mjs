// Cancelling a crawl of a cluster with 4 workers: until the row is CANCELLED, and until the site has no
// open request any more; with and without notifications of PostgreSQL.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readTask, startTask, startWorker, withCluster } from '../lib/fleet.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, ms } from '../lib/stats.mjs';

const WORKERS = 4;
const SLOTS = 4;
/** Every tenth page is never answered, so that visits are in flight when the crawl is cancelled. */
const HANGS = 10;
const LOAD_MS = 20;
const LINKS = 8;

const startSite = async () => {
  const open = new Set();
  const site = { requests: 0, idleAt: 0 };
  const server = createServer((request, response) => {
    const n = Number(/^\/(\d+)$/.exec(request.url)?.[1] ?? 0);
    const links = Array.from(
      { length: LINKS },
      (_, k) => `<a href="/${LINKS * n + k + 1}">next</a>`,
    );
    site.requests++;
    open.add(response);
    response.on('close', () => {
      open.delete(response);
      site.idleAt = performance.now();
    });
    if (n % HANGS === HANGS - 1) return;
    setTimeout(
      () =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<title>${n}</title><p>Page ${n}.</p>${links.join(' ')}`),
      LOAD_MS,
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  site.isIdle = () => open.size === 0;
  site.url = `http://127.0.0.1:${server.address().port}/0`;
  site.close = () => (server.closeAllConnections(), server.close());
  return site;
};

const until = async (test) => {
  while (!(await test())) await new Promise((resolve) => setTimeout(resolve, 2));
};

const cancelOnce = async (gateway, site) => {
  const before = site.requests;
  const task_id = await startTask(gateway, {
    ...{ url: site.url, max_pages: 10_000, max_depth: 100, render: 'fetch', concurrency: 4 },
    respect_robots: false,
  });
  await until(() => site.requests >= before + 60);
  const startedAt = performance.now();
  await gateway.call('oc_task_cancel', { task_id });
  const rowMs = performance.now() - startedAt;
  const { status } = await readTask(gateway, task_id);
  if (status !== 'CANCELLED') throw new Error(`the task is ${status} after its cancel`);
  await until(site.isIdle);
  return { rowMs, idleMs: Math.max(0, site.idleAt - startedAt) };
};

const measureCancels = async ({ folder, url }, count) => {
  const site = await startSite();
  const gateway = await startOpenChrome(['--cluster', url]);
  const workers = [];
  try {
    while (workers.length < WORKERS) workers.push(await startWorker({ url, folder, slots: SLOTS }));
    await cancelOnce(gateway, site); // warm up
    const found = [];
    while (found.length < count) found.push(await cancelOnce(gateway, site));
    return { rowMs: found.map((one) => one.rowMs), idleMs: found.map((one) => one.idleMs) };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await gateway.end();
    site.close();
  }
};

export const clusterCancel = ({ isQuick, log }) =>
  withCluster(async (context) => {
    const count = isQuick ? 5 : 20;
    const usual = await measureCancels(context, count);
    log(`cancel: ${JSON.stringify(usual)}`);
    const { startSilentProxy } = await context.load('proxy');
    const proxy = await startSilentProxy(context.url);
    const silent = await measureCancels({ ...context, url: proxy.url }, Math.ceil(count / 4));
    await proxy[Symbol.asyncDispose]();
    log(`cancel without notifications: ${JSON.stringify(silent)}`);
    const show = (values) => `${ms(median(values))}, at most ${ms(Math.max(...values))}`;
    const row = (what, values, aim) => [`cluster: ${what}`, '', '', show(values), '', aim];
    const aim = 'median under 500 ms, all within 2 s';
    return [
      row(`cancel of a crawl on ${WORKERS} workers, until CANCELLED`, usual.rowMs, aim),
      row('the same, until the site has no open request', usual.idleMs, 'all within 2 s'),
      row('cancel without notifications, until CANCELLED', silent.rowMs, 'all within 2 s'),
      row('the same, until the site has no open request', silent.idleMs, 'all within 2 s'),
    ];
  });
