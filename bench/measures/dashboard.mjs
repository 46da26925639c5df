// The dashboard: first view with 20 tabs, 10,000 calls and 500 tasks, delay of a new call, pictures
// per second, slowdown of calls with a viewer, idle CPU and heap of the page.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clock, median, ms } from '../lib/stats.mjs';
import { startHttp } from '../lib/dashboard.mjs';

const CALLS = 10_000;
const TASKS = 500;
const TABS = 20;
/** Time until the work of the start or of a change of the view is done, and of an idle measure. */
const SETTLE_MS = 3_000;
const IDLE_MS = 8_000;

/** A line of the journal. */
const formatCall = (i, ts) =>
  JSON.stringify({
    ts,
    tool: ['read_page', 'interact', 'navigate', 'find'][i % 4],
    session: i % 3 === 0 ? 'research' : 'default',
    args: { url: `https://example.test/page/${i}`, ref: `e${i % 90}` },
    durationMs: 20 + (i % 400),
    tokens: 30 + (i % 900),
    ok: i % 17 !== 0,
    ...(i % 17 === 0 && { code: 'element_not_found' }),
    summary: `clicked e${i % 90} button "Load more ${i}"`,
  });

const findJournal = (home) => {
  const day = new Date().toISOString().slice(0, 10);
  return join(home, 'journal', `journal-${day}.jsonl`);
};

/** The calls of a busy hour, eight per second, in a few seconds. */
const addBusyHour = async (home) => {
  for (let batch = 0; batch < 144; batch++) {
    const lines = Array.from({ length: 200 }, (_, i) => formatCall(batch * 200 + i, Date.now()));
    appendFileSync(findJournal(home), `${lines.join('\n')}\n`);
    await sleep(40);
  }
};

/** A journal and tasks as older servers of this home would have left them. */
const fillHome = (home) => {
  const now = Date.now();
  const lines = Array.from({ length: CALLS }, (_, i) => formatCall(i, now - (CALLS - i) * 300));
  mkdirSync(join(home, 'journal'), { recursive: true });
  writeFileSync(findJournal(home), `${lines.join('\n')}\n`);
  for (let i = 0; i < TASKS; i++) {
    const created = now - i * 60_000;
    const id = `${created.toString(16).padStart(11, '0')}${(i + 4096).toString(16).padStart(5, '0')}`;
    const folder = join(home, 'tasks', id);
    mkdirSync(folder, { recursive: true });
    const meta = {
      task_id: id,
      kind: 'crawl',
      status: i % 9 === 0 ? 'FAILED' : 'COMPLETED',
      session: 'default',
      pid: 1,
      process_started_at: created,
      created_at: created,
      started_at: created,
      ended_at: created + 30_000,
      args_summary: { url: `https://example.test/${i}` },
      progress: { done: 40, total: 40, message: 'done' },
    };
    writeFileSync(join(folder, 'meta.json'), JSON.stringify(meta));
    writeFileSync(join(folder, 'events.jsonl'), '');
  }
};

const PAGE = `<title>Counter</title><body><h1 id="n">0</h1><button>Press</button><script>
  let n = 0; setInterval(() => { document.getElementById('n').textContent = ++n }, 30)
</script>`;

const startPage = async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(PAGE);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
};

const evaluate = async (viewer, code) =>
  JSON.parse(await viewer.text('javascript_tool', { code: `return JSON.stringify(${code})` }));

/** From the navigation to the first rows of the timeline, by the clock of the page. */
const measureFirstView = async (viewer, origin, view, selector) => {
  await viewer.call('navigate', { url: 'about:blank' });
  await viewer.call('navigate', { url: `${origin}/#/${view}` });
  await viewer.call('wait_for', { selector, timeout_ms: 20_000 });
  return evaluate(
    viewer,
    `await new Promise((done) => {
       const look = () => document.querySelector('${selector}')
         ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look);
       look();
     })`,
  );
};

/** Installs a clock in the page that notes when a row first contains a word. */
const measureDelay = async (viewer, server, n) => {
  const word = `delay-${n}`;
  await viewer.call('javascript_tool', {
    code: `window.seen = new Promise((done) => {
             const observer = new MutationObserver(() => {
               if (!document.querySelector('main').textContent.includes('${word}')) return;
               observer.disconnect(); done(Date.now());
             });
             observer.observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
           }); return 1`,
  });
  await server.call('expand_tools', { query: word });
  const repliedAt = Date.now();
  const seenAt = await evaluate(viewer, 'await window.seen');
  return Math.max(0, seenAt - repliedAt);
};

const ROUNDS = 4;
const CLICKS = 25;
/** The first clicks after a change of the view are not counted. */
const WARM_CLICKS = 3;

const timeCalls = async (server) => {
  const times = [];
  for (let i = 0; i < CLICKS + WARM_CLICKS; i++)
    times.push(await clock(() => server.call('interact', { action: 'click', query: 'Press' })));
  return times.slice(WARM_CLICKS);
};

/** Opens the timeline and waits until its older calls are loaded, which happens in small pages. */
const openTimeline = async (viewer, origin) => {
  await viewer.call('navigate', { url: `${origin}/#/timeline` });
  await viewer.call('wait_for', { text: '10,', timeout_ms: 60_000 });
};

/** The same calls in turn with and without a viewer, because the load of the machine changes. */
const compareClicks = async (viewer, server) => {
  const closed = [];
  const open = [];
  const clickClosed = async () => {
    await viewer.call('navigate', { url: 'about:blank' });
    closed.push(...(await timeCalls(server)));
  };
  const clickOpen = async () => {
    await openTimeline(viewer, server.origin);
    open.push(...(await timeCalls(server)));
  };
  for (let i = 0; i < ROUNDS; i++) {
    const turns = i % 2 === 0 ? [clickClosed, clickOpen] : [clickOpen, clickClosed];
    for (const turn of turns) await turn();
  }
  return { closed: median(closed), open: median(open) };
};

export const dashboard = async ({ reps }) => {
  const home = mkdtempSync(join(tmpdir(), 'openchrome-bench-dashboard-'));
  fillHome(home);
  const page = await startPage();
  const server = await startHttp(home);
  const viewer = await startHttp(mkdtempSync(join(tmpdir(), 'openchrome-bench-viewer-')));
  try {
    await server.call('navigate', { url: page.url });
    const rounds = Math.max(3, reps);
    for (let i = 1; i < TABS; i++) await server.call('tabs', { action: 'new', url: page.url });
    await sleep(SETTLE_MS);
    const closedCpu = await server.measureCpu(IDLE_MS);
    await viewer.call('navigate', { url: server.url });
    const first = {};
    for (const [view, selector] of [
      ['timeline', 'main [role=option]'],
      ['tasks', 'main [role=option]'],
      ['live', 'main canvas'],
    ]) {
      const taken = [];
      for (let i = 0; i < rounds; i++)
        taken.push(await measureFirstView(viewer, server.origin, view, selector));
      first[view] = median(taken);
    }
    await viewer.call('navigate', { url: `${server.origin}/#/timeline` });
    await viewer.call('wait_for', { text: 'calls' });
    const delays = [];
    for (let i = 0; i < rounds; i++) delays.push(await measureDelay(viewer, server, i));
    await viewer.call('wait_for', { text: '10,', timeout_ms: 60_000 });
    const heap = await evaluate(viewer, 'performance.memory.usedJSHeapSize');
    const rows = await evaluate(viewer, "document.querySelectorAll('main [role=option]').length");
    const { closed, open } = await compareClicks(viewer, server);
    await openTimeline(viewer, server.origin);
    await sleep(SETTLE_MS);
    const [serverIdle, pageIdle] = await Promise.all([
      server.measureCpu(IDLE_MS),
      viewer.measureChromeCpu(IDLE_MS),
    ]);
    await addBusyHour(home);
    await sleep(3_000);
    const heapAfterHour = await evaluate(viewer, 'performance.memory.usedJSHeapSize');
    const { tabId } = JSON.parse(await server.text('navigate', { url: page.url }));
    await viewer.call('navigate', { url: `${server.origin}/#/live/${tabId}` });
    await viewer.call('wait_for', { text: 'pictures/s' });
    await sleep(3_000);
    const rate = await evaluate(viewer, "document.querySelector('.full-foot').textContent");
    await viewer.call('navigate', { url: 'about:blank' });
    await sleep(SETTLE_MS);
    const idleCpu = await server.measureCpu(IDLE_MS);
    const slower = (open / closed - 1) * 100;
    const beside = 'aim of the spec';
    const cpu = `${closedCpu.toFixed(1)} %, ${idleCpu.toFixed(1)} %`;
    const clicks = `${ms(closed)}, ${ms(open)}`;
    const openCpu = `${serverIdle.toFixed(1)} %, ${pageIdle.toFixed(1)} %`;
    const hour = `${(heapAfterHour / 1e6).toFixed(1)} MB`;
    const page10k = `${(heap / 1e6).toFixed(1)} MB, ${rows} rows in the DOM`;
    return [
      ['first view of 10,000 calls', beside, '-', ms(first.timeline), '-', 'under 1 s'],
      ['first view of 500 tasks', beside, '-', ms(first.tasks), '-', 'under 1 s'],
      ['first view of 20 live tabs', beside, '-', ms(first.live), '-', 'under 1 s'],
      ['new call visible after its reply', beside, '-', ms(median(delays)), '-', 'under 200 ms'],
      ['pictures of one moving tab', beside, '-', rate, '-', '5 to 10/s, at most 1.5 MB/s'],
      ['a click without and with a viewer', beside, '-', clicks, `${slower.toFixed(1)} %`, '5 %'],
      ['CPU of the idle server, before and after a viewer', beside, '-', cpu, '-', 'equal'],
      ['CPU of an open, idle dashboard: server, page', beside, '-', openCpu, '-', 'under 3 %'],
      ['heap of the page with 10,000 calls', beside, '-', page10k, '-', 'under 60 MB'],
      ['heap after the calls of a busy hour', beside, '-', hour, '-', 'under 60 MB'],
    ];
  } finally {
    await viewer.stop();
    await server.stop();
    page.close();
    rmSync(home, { recursive: true, force: true });
  }
};
