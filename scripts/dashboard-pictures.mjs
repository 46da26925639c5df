// Takes the pictures of docs/dashboard.md with our own tools, from a real run on the demo site:
// `npm run build && node scripts/dashboard-pictures.mjs [FOLDER]`.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHttp } from '../bench/lib/dashboard.mjs';
import { ROOT } from './bundle.mjs';
import { startSite } from './demo-site/server.mjs';

const OUT = path.resolve(process.argv[2] ?? path.join(ROOT, 'docs/dashboard'));
const VIEWS = ['live', 'timeline', 'tasks', 'network', 'health', 'waiting'];
const ends = [];

/** When a view is complete. */
const READY = {
  live: "document.querySelector('canvas') && !document.querySelector('.picture-note')",
  timeline: "document.querySelector('main .row') !== null",
  tasks: "document.querySelector('main .row') !== null",
  network: "document.querySelector('main .row') !== null",
  health: "document.querySelectorAll('.uses li').length > 2",
  waiting: "document.querySelector('.waiting-card') !== null",
};

/** Starts the built server in a home of its own; both are removed at the end. */
const startServer = async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'openchrome-pictures-'));
  const server = await startHttp(home);
  ends.push(async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return { ...server, home };
};

/** Pages that take a while, so that a crawl is in progress when its picture is taken. */
const startSlowSite = async () => {
  const areas = ['guides', 'reference', 'blog'];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://site');
    const depth = pathname.split('/').filter(Boolean).length;
    const links =
      depth === 0
        ? areas
        : Array.from({ length: 9 }, (_, i) => `${pathname.slice(1)}/page-${i + 1}`);
    const isMissing = pathname.endsWith('page-7');
    setTimeout(() => {
      response.writeHead(isMissing ? 404 : 200, { 'content-type': 'text/html' });
      response.end(
        `<title>${pathname === '/' ? 'Documentation' : pathname.split('/').at(-1)}</title>
         ${depth < 2 ? links.map((link) => `<a href="/${link}">${link}</a>`).join(' ') : 'Text'}`,
      );
    }, 900);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
};

const work = async ({ call }, shop) => {
  await call('navigate', { url: shop });
  await call('read_page', {});
  await call('find', { query: 'Your name' });
  await call('act', { instruction: 'fill "Your name" with Ada; click "Place order"' });
  await call('network', { format: 'lines' });
  await call('interact', { action: 'click', ref: 'e999' });
  await call('sessions', { action: 'open', name: 'research' });
  for (const book of ['1', '2', '3']) {
    await call('tabs', { action: 'new', url: `${shop}books/${book}`, session: 'research' });
    await call('read_page', { session: 'research', mode: 'markdown' });
  }
  const { task_id: envelope } = parse(
    await call('oc_task_start', { objective: 'Compare the prices of three books' }),
  );
  await call('extract_data', {
    taskId: envelope,
    schema: {
      type: 'object',
      properties: { title: { type: 'string' }, price: { type: 'string' } },
    },
  });
  await call('read_page', { taskId: envelope });
  await call('navigate', { url: 'http://169.254.169.254/latest' });
  const recording = parse(
    await call('oc_task_start', { kind: 'recording', args: { duration_ms: 800 } }),
  );
  await call('oc_task_wait', { task_id: recording.task_id });
  await call('oc_task_start', { kind: 'oc_evidence_bundle', args: {} });
  await call('oc_task_start', { kind: 'crawl', args: { url: 'http://127.0.0.1:9/' } });
  await call('navigate', { url: shop });
};

const startCrawl = async ({ call }, slow) => {
  const { task_id } = parse(
    await call('oc_task_start', {
      kind: 'crawl',
      args: { url: slow, max_pages: 60, max_depth: 3, concurrency: 1 },
    }),
  );
  return task_id;
};

const parse = ({ content }) => JSON.parse(content[0].text);

const picture = async ({ call }, name) => {
  const { content } = await call('page_screenshot', { format: 'webp', quality: 80 });
  const image = content.find(({ type }) => type === 'image');
  await writeFile(path.join(OUT, `${name}.webp`), Buffer.from(image.data, 'base64'));
  console.log(path.join(OUT, `${name}.webp`));
};

const show = async (viewer, origin, fragment, theme) => {
  await viewer.call('navigate', { url: `${origin}/#/${fragment}` });
  await viewer.call('javascript_tool', {
    code: `localStorage.setItem('theme', '${theme}'); location.reload()`,
  });
  await viewer.call('wait_for', { function: READY[fragment.split('/')[0]], timeout_ms: 20_000 });
};

/** Opens the details of the last call of a tool, with its picture. */
const openCall = async (viewer, tool) => {
  await viewer.call('javascript_tool', {
    code: `[...document.querySelectorAll('.cell-tool')].find(({ textContent }) =>
             textContent === '${tool}').closest('.row').click(); return 1`,
  });
  const isShown = "document.querySelector('img.thumbnail')?.complete === true";
  await viewer.call('wait_for', { function: isShown, timeout_ms: 10_000 });
};

try {
  await mkdir(OUT, { recursive: true });
  const shop = await startSite(0);
  ends.push(async () => shop.close());
  const slow = await startSlowSite();
  const server = await startServer();
  const viewer = await startServer();
  await viewer.call('navigate', { url: server.url });
  await viewer.call('emulate', { viewport: { width: 1440, height: 900 } });
  const shopUrl = `${shop.origin}/`;
  await work(server, shopUrl);
  await server.call('javascript_tool', {
    code: "setTimeout(() => confirm('Place the order for 24.00 EUR?'), 0); return 1",
  });
  // The plots need a few samples.
  await sleep(46_000);
  const crawl = await startCrawl(server, slow);
  await sleep(8_000);
  for (const theme of ['light', 'dark']) {
    for (const view of VIEWS) {
      await show(viewer, server.origin, view === 'tasks' ? `tasks/${crawl}` : view, theme);
      if (view === 'timeline') await openCall(viewer, 'act');
      await picture(viewer, `${view}-${theme}`);
    }
  }
  await viewer.call('emulate', { viewport: { width: 380, height: 800 } });
  for (const view of ['live', 'timeline', 'tasks', 'waiting']) {
    await show(viewer, server.origin, view, view === 'timeline' ? 'dark' : 'light');
    await picture(viewer, `${view}-narrow`);
  }
} finally {
  for (const end of ends.toReversed()) await end();
}
