// Rendered pages of a cluster: one worker with its Chrome, and two on the same machine.
import { once } from 'node:events';
import { createServer } from 'node:http';
import os from 'node:os';
import { readServerCpuMs, startTask, startWorker, waitForEnd, withCluster } from '../lib/fleet.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, times } from '../lib/stats.mjs';

const SLOTS = 4;
const LINKS = 4;

/** The page shows its text with a script, after a response that takes as long as that of a real site. */
const startSite = async (pages, loadMs) => {
  const server = createServer((request, response) => {
    const n = Number(/^\/p\/(\d+)$/.exec(request.url)?.[1] ?? -1);
    const links = Array.from({ length: LINKS }, (_, k) => LINKS * n + k + 1)
      .filter((to) => to < pages)
      .map((to) => `<a href="/p/${to}">page ${to}</a>`);
    const html = `<!doctype html><title>Page ${n}</title><h1>Page ${n}</h1><div id="text"></div>
      ${links.join(' ')}<script>document.getElementById('text').textContent =
      'Old maps disagree about where it begins. '.repeat(20)</script>`;
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html), loadMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => (server.closeAllConnections(), server.close());
  return { url: `http://127.0.0.1:${server.address().port}/p/0`, close };
};

const crawl = async (gateway, site, pages) => {
  const startedAt = performance.now();
  const task = await startTask(gateway, {
    ...{ url: site.url, max_pages: pages, max_depth: 100, render: 'browser' },
    ...{ respect_robots: false, delay_ms: 0, concurrency: 2 * SLOTS },
  });
  const { status, progress } = await waitForEnd(gateway, task);
  if (status !== 'COMPLETED' || progress.done !== pages)
    throw new Error(`${status}: ${progress?.done} pages instead of ${pages}`);
  return (pages / (performance.now() - startedAt)) * 1000;
};

export const clusterRender = ({ isQuick, log }) =>
  withCluster(async ({ folder, server, url }) => {
    const pages = isQuick ? 40 : 100;
    const gateway = await startOpenChrome(['--cluster', url]);
    const workers = [];
    const rows = [];
    let serverMs = 0;
    const rates = { 5: [], 500: [] };
    const sites = await Promise.all(Object.keys(rates).map((ms) => startSite(pages, Number(ms))));
    try {
      for (const count of [1, 2]) {
        while (workers.length < count)
          workers.push(await startWorker({ url, folder, slots: SLOTS }));
        await crawl(gateway, sites[0], 20); // starts the Chromes
        for (const [i, loadMs] of Object.keys(rates).entries()) {
          const before = readServerCpuMs(server.pid);
          const found = [];
          while (found.length < 3) found.push(await crawl(gateway, sites[i], pages));
          log(`${count} workers, ${loadMs} ms: ${found.map((rate) => rate.toFixed(1)).join(', ')}`);
          rates[loadMs].push(median(found));
          serverMs = (readServerCpuMs(server.pid) - before) / (found.length * pages);
        }
      }
    } finally {
      await Promise.all(workers.map((worker) => worker.end()));
      await gateway.end();
      for (const site of sites) site.close();
    }
    for (const [loadMs, [one, two]] of Object.entries(rates))
      rows.push([
        `cluster: rendered pages, response after ${loadMs} ms, ${os.cpus().length} cores`,
        'one worker',
        `${one.toFixed(1)}/s`,
        `two workers: ${two.toFixed(1)}/s`,
        times(two / one),
        'at least 1.60 x with enough cores',
      ]);
    const cost = `${serverMs.toFixed(2)} ms`;
    rows.push(['cluster: PostgreSQL per rendered page that takes 500 ms', '', '', cost, '', '']);
    return rows;
  });
