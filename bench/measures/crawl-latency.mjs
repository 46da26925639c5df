// What other calls wait for while a background crawl fetches pages of about 100 KB: tabs_context, a
// deadline, a cancel; and the crawl's speed.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, ms } from '../lib/stats.mjs';

const PAGES = 150;
const CONCURRENCY = 4;
/** Pages of documentation, 110 and 124 KB. */
const SOURCES = ['manual', 'reference'].map((name) =>
  readFileSync(new URL(`../pages/${name}.html`, import.meta.url), 'utf8'),
);
const DEADLINE_MS = 200;

/** Each page differs in its heading and leads to the next ones. */
const pageOf = (i) => {
  const links = [1, 2, 3].map((k) => 3 * i + k).filter((to) => to < PAGES);
  const nav = `<h1>Page ${i}</h1>${links.map((to) => `<a href="/p/${to}">Page ${to}</a> `).join('')}`;
  return SOURCES[i % SOURCES.length]
    .replace(/<body[^>]*>/, (body) => `${body}${nav}`)
    .replace(/<base [^>]*>/, '');
};

const startSite = async () => {
  const pages = Array.from({ length: PAGES }, (_, i) => pageOf(i));
  const server = createServer((request, response) => {
    const page = pages[Number(/^\/p\/(\d+)$/.exec(request.url)?.[1] ?? PAGES)];
    response
      .writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      .end(page ?? 'not found');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/p/0`,
    close: () => (server.closeAllConnections(), server.close()),
  };
};

const startCrawl = async (server, url) => {
  const args = {
    url,
    max_pages: PAGES,
    max_depth: 100,
    concurrency: CONCURRENCY,
    delay_ms: 0,
    render: 'fetch',
    include: ['/p/*'],
  };
  return JSON.parse(await server.call('oc_task_start', { kind: 'crawl', args })).task_id;
};

const statusOf = async (server, id) =>
  JSON.parse(await server.call('oc_task_get', { task_id: id })).meta;

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** Calls tabs_context every 20 ms until the crawl has ended. */
const watch = async (server, url) => {
  const from = performance.now();
  const id = await startCrawl(server, url);
  const waits = [];
  for (let n = 0; ; n++) {
    waits.push(await server.timed('tabs_context'));
    await pause(20);
    if (n % 25 !== 24) continue;
    const { status, progress } = await statusOf(server, id);
    if (status === 'RUNNING' || status === 'PENDING') continue;
    if (status !== 'COMPLETED' || progress.done !== PAGES)
      throw new Error(`${status}, ${progress.done} pages instead of ${PAGES}`);
    return { waits, tookMs: performance.now() - from };
  }
};

/** How late a deadline of 200 ms is, and how long a cancel takes, both during a crawl. */
const interrupt = async (server, url) => {
  const id = await startCrawl(server, url);
  const late = [];
  for (let i = 0; i < 5; i++) {
    const from = performance.now();
    await server.ask('oc_task_wait', { task_id: id, timeout_ms: DEADLINE_MS });
    late.push(performance.now() - from - DEADLINE_MS);
  }
  const cancelMs = await server.timed('oc_task_cancel', { task_id: id });
  await server.ask('oc_task_wait', { task_id: id, timeout_ms: 10_000 });
  return { lateMs: Math.max(...late), cancelMs };
};

export const crawlLatency = async ({ reps }) => {
  const site = await startSite();
  const server = await startOpenChrome();
  await server.call('navigate', { url: 'about:blank' });
  const [waits, speeds, late, cancels] = [[], [], [], []];
  for (let rep = 0; rep < Math.min(reps, 3); rep++) {
    const seen = await watch(server, site.url);
    waits.push(...seen.waits);
    speeds.push((PAGES / seen.tookMs) * 1000);
    const { lateMs, cancelMs } = await interrupt(server, site.url);
    late.push(lateMs);
    cancels.push(cancelMs);
  }
  await server.end();
  site.close();
  const during = `during a crawl of ${PAGES} pages of 110 to 124 KB`;
  return [
    [`tabs_context ${during}, p50`, '', '', ms(percentile(waits, 0.5)), '', ''],
    [`tabs_context ${during}, p99`, '', '', ms(percentile(waits, 0.99)), '', 'under 50 ms'],
    [`tabs_context ${during}, slowest of ${waits.length}`, '', '', ms(Math.max(...waits)), '', ''],
    [
      `a deadline of ${DEADLINE_MS} ms ${during}, latest`,
      '',
      '',
      `${ms(Math.max(...late))} late`,
      '',
      '',
    ],
    [`oc_task_cancel ${during}, slowest`, '', '', ms(Math.max(...cancels)), '', ''],
    [
      `that crawl, ${CONCURRENCY} at once, with these calls`,
      '',
      '',
      `${median(speeds).toFixed(1)} pages/s`,
      '',
      '',
    ],
  ];
};
