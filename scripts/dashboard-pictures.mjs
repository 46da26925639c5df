// Takes the pictures of docs/dashboard.md with our own tools, from a real run on the demo site:
// `npm run build && node scripts/dashboard-pictures.mjs [FOLDER]`.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
const startServer = async (ownerFile = {}) => {
  const home = await mkdtemp(path.join(tmpdir(), 'openchrome-pictures-'));
  await writeFile(path.join(home, 'openchrome.json'), JSON.stringify(ownerFile), { mode: 0o600 });
  const server = await startHttp(home);
  ends.push(async () => {
    await server.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return server;
};

const STORE = `<!doctype html><title>Harbour Outfitters</title><link rel="stylesheet" href="/store.css">
<header><b>Harbour Outfitters</b><nav>New Jackets Boots Bags Sale</nav></header>
<main><h1>Autumn collection</h1><section>${Array.from(
  { length: 8 },
  (_, i) =>
    `<article><img src="/picture-${i}.svg" alt=""><b>Jacket ${i + 1}</b><span>${89 + i * 10} €</span></article>`,
).join('')}</section><button>Load more</button></main>
<script src="/vendor.js"></script><script src="/store.js"></script>`;

const CHECKOUT = `<!doctype html><title>Checkout</title><link rel="stylesheet" href="/store.css">
<header><b>Harbour Outfitters</b></header><main><h1>Your order</h1>
<form method="post" action="/pay"><p>2 items, 178.00 €</p>
<label>Card number <input autocomplete="cc-number" value="4111 1111 1111 1111"></label>
<button>Pay 178.00 €</button></form></main>`;

const STYLE = `body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#20302c;background:#f6f4ef}
header{display:flex;gap:32px;padding:18px 40px;background:#17453b;color:#fff}nav{word-spacing:18px}
main{padding:24px 40px}section{display:grid;grid-template-columns:repeat(4,1fr);gap:20px}
article{display:grid;gap:4px;background:#fff;border-radius:12px;padding:12px}img{width:100%}
button{margin-top:20px;padding:12px 28px;border:0;border-radius:8px;background:#17453b;color:#fff}
label{display:block;max-width:380px}input{display:block;width:100%;padding:12px;font-size:18px}`;

const SCRIPT = `for (const name of ['session', 'prices', 'stock', 'recommendations'])
  fetch('/api/' + name).then((answer) => answer.json());`;

const drawPicture = (n) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 150">
<rect width="200" height="150" fill="hsl(${n * 43} 35% 82%)"/>
<path d="M60 40l25-12h30l25 12 14 80h-94z" fill="hsl(${n * 43} 45% 38%)"/></svg>`;

const pause = {
  '/vendor.js': 60,
  '/store.js': 90,
  '/api/prices': 140,
  '/api/recommendations': 320,
};

/** What a path of the show site answers: its type and its text. */
const answerShow = async (pathname) => {
  const [, picture] = /^\/picture-(\d)/.exec(pathname) ?? [];
  const [, page] = /^\/pages\/([a-z-]+)$/.exec(pathname) ?? [];
  if (picture) return ['image/svg+xml', drawPicture(Number(picture))];
  if (page) return ['text/html', await readFile(path.join(ROOT, 'bench/pages', `${page}.html`))];
  const texts = {
    '/store': ['text/html', STORE],
    '/checkout': ['text/html', CHECKOUT],
    '/store.css': ['text/css', STYLE],
    '/store.js': ['text/javascript', SCRIPT],
    '/vendor.js': ['text/javascript', '/* vendor */'.repeat(4_000)],
  };
  return texts[pathname] ?? ['application/json', JSON.stringify({ items: [{ id: 7, price: 89 }] })];
};

/** A shop with many requests, and the saved pages of the benchmark. */
const startShowSite = async () => {
  const answer = async (request, response) => {
    const { pathname } = new URL(request.url, 'http://site');
    await sleep(pause[pathname] ?? 15);
    const [type, text] = await answerShow(pathname);
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
    response.end(text);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(async () => server.close());
  return `http://127.0.0.1:${server.address().port}`;
};

const SHOWN = {
  research: ['search-results', 'data-table', 'blog-post'],
  support: ['mailbox', 'kanban', 'login'],
};

/** Opens tabs of several sessions; returns the id of the store's tab. */
const openTabs = async ({ call }, show) => {
  for (const [session, pages] of Object.entries(SHOWN)) {
    await call('sessions', { action: 'open', name: session });
    for (const page of pages)
      await call('tabs', { action: 'new', url: `${show}/pages/${page}`, session });
  }
  await call('sessions', { action: 'open', name: 'checkout' });
  await call('tabs', { action: 'new', url: `${show}/checkout`, session: 'checkout' });
  const { tabId } = parse(await call('tabs', { action: 'new', url: `${show}/store` }));
  return tabId;
};

/** A hand-off, an approval and a dialog. They wait until the server ends. */
const askUser = async ({ call }, shopTab) => {
  await call('oc_task_start', {
    kind: 'oc_handoff',
    session: 'support',
    args: { reason: 'Enter the code that was sent to your phone', until: { url: '**/inbox' } },
  });
  void call('interact', {
    ...{ session: 'checkout', action: 'click', query: 'Pay', timeout_ms: 290_000 },
  }).catch(() => {});
  await call('javascript_tool', {
    tabId: shopTab,
    code: "setTimeout(() => confirm('Place the order for 24.00 EUR?'), 0); return 1",
  });
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
  const { tabId } = parse(await call('navigate', { url: shop }));
  return tabId;
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

const openView = async (viewer, origin, fragment, theme) => {
  await viewer.call('navigate', { url: `${origin}/#/${fragment}` });
  await viewer.call('javascript_tool', {
    code: `localStorage.setItem('theme', '${theme}'); location.reload()`,
  });
  const ready = READY[fragment.split('/')[0]];
  const isReady = `document.querySelector('.connection-open') && (${ready})`;
  await viewer.call('wait_for', { function: isReady, timeout_ms: 20_000 });
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
  const [slow, show] = [await startSlowSite(), await startShowSite()];
  const server = await startServer({
    policy: [{ decision: 'ask', effect: 'submit', sessions: ['checkout'] }],
  });
  const viewer = await startServer();
  await viewer.call('navigate', { url: server.url });
  await viewer.call('emulate', { viewport: { width: 1440, height: 900 } });
  const shopTab = await work(server, `${shop.origin}/`);
  const storeTab = await openTabs(server, show);
  await openView(viewer, server.origin, 'live', 'light');
  // The plots need a few samples.
  await sleep(46_000);
  const crawl = await startCrawl(server, slow);
  await askUser(server, shopTab);
  await sleep(6_000);
  await server.call('find', { query: 'Load more' });
  await server.call('interact', { action: 'click', query: 'Load more' });
  for (const theme of ['light', 'dark']) {
    const items = { tasks: `tasks/${crawl}` };
    for (const view of VIEWS) {
      await openView(viewer, server.origin, items[view] ?? view, theme);
      if (view === 'timeline') await openCall(viewer, 'interact');
      await picture(viewer, `${view}-${theme}`);
    }
    await openView(viewer, server.origin, `live/${storeTab}`, theme);
    await picture(viewer, `tab-${theme}`);
  }
  await viewer.call('emulate', { viewport: { width: 380, height: 800 } });
  for (const view of ['live', 'timeline', 'tasks', 'waiting']) {
    await openView(viewer, server.origin, view, view === 'timeline' ? 'dark' : 'light');
    await picture(viewer, `${view}-narrow`);
  }
} finally {
  for (const end of ends.toReversed()) await end();
}
