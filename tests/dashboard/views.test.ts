// The views of the dashboard, driven with our own tools in a real Chrome.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { type DashboardServer, makeHome, startDashboard } from './dashboard-server.ts';

const site = useSite();
const viewer = useEngine(['--allow-private-network']);
let server: DashboardServer;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
  server = await startDashboard({ home: await makeHome(onEnd), onEnd });
  await viewer.json('navigate', { url: server.url });
});
afterAll(async () => {
  for (const end of ends) await end();
});

const openView = (fragment: string): Promise<unknown> =>
  viewer.json('navigate', { url: `${server.origin}/#/${fragment}` });

const waitFor = (text: string): Promise<string> =>
  viewer.text('wait_for', { text, timeout_ms: 20_000 });

/** The value that code returns in the page of the dashboard. */
const run = async <T>(code: string): Promise<T> => {
  const wrapped = `return JSON.stringify((await (async () => { ${code} })()) ?? null)`;
  return JSON.parse(await viewer.text('javascript_tool', { code: wrapped })) as T;
};

const press = (key: string): Promise<string> =>
  viewer.text('interact', { action: 'press', value: key });

const setWidth = (width: number): Promise<string> =>
  viewer.text('emulate', { viewport: { width, height: 800 } });

describe('the dashboard', () => {
  it('shows a call as it happens, and its arguments and reply by keyboard alone', async () => {
    await openView('timeline');
    await waitFor('Timeline');
    site.page('/watched', '<title>Watched page</title><h1>Hello</h1>');
    await server.call('navigate', { url: `${site.origin}/watched` });
    await waitFor(`${site.origin}/watched`);
    await press('j');
    await press('j');
    await press('Enter');
    await waitFor('Arguments');
    expect(await viewer.text('read_page', {})).toContain('Watched page');
    await press('Escape');
    await press('/');
    expect(await run('return document.activeElement.type')).toBe('search');
  });

  it('shows every tab as a live picture with its title, address and session', async () => {
    await openView('live');
    await waitFor('Watched page');
    await viewer.text('wait_for', {
      function: 'document.querySelector(".picture-note") === null',
      timeout_ms: 20_000,
    });
    const size = await run<number>('return document.querySelector("canvas").width');
    expect(size).toBeGreaterThan(300);
  });

  it('outlines the element that an action works on', async () => {
    site.page('/button', '<title>Button page</title><button>Press me</button>');
    await server.call('navigate', { url: `${site.origin}/button` });
    await openView('live');
    await waitFor('Button page');
    await viewer.text('wait_for', {
      function: 'document.querySelector(".picture-note") === null',
      timeout_ms: 20_000,
    });
    await run(`window.outlined = new Promise((done) => new MutationObserver(() => {
      const mark = document.querySelector('.aim');
      if (mark) done(mark.textContent);
    }).observe(document.querySelector('main'), { childList: true, subtree: true })); return 1`);
    await server.call('interact', { action: 'click', query: 'Press me' });
    expect(await run('return window.outlined')).toBe('clicked');
  });

  it('reports a page that does not respond', async () => {
    site.page(
      '/hang',
      '<title>Hanging page</title><script>setTimeout(() => { for (;;); }, 50)</script>',
    );
    await openView('waiting');
    const opened = server.call('tabs', { action: 'new', url: `${site.origin}/hang` });
    await waitFor('does not respond');
    const { tabId } = JSON.parse(await opened) as { tabId: string };
    await server.call('tabs', { action: 'close', tabId });
    await waitFor('Nothing waits for you');
  });

  it('lists tasks with their pages, and cancels one', async () => {
    for (let i = 0; i < 30; i++)
      site.page(`/slow/${i}`, (_, response) => {
        setTimeout(() => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end(`<title>Page ${i}</title><a href="/slow/${i + 1}">next</a>`);
        }, 300);
      });
    const { task_id } = JSON.parse(
      await server.call('oc_task_start', {
        kind: 'crawl',
        args: { url: `${site.origin}/slow/0`, max_pages: 30, max_depth: 30 },
      }),
    ) as { task_id: string };
    await openView(`tasks/${task_id}`);
    await waitFor('Page 0');
    await viewer.text('act', { instruction: 'click "Cancel task"' });
    await waitFor('CANCELLED');
    const shown = JSON.parse(await server.call('oc_task_get', { task_id })) as {
      meta: { status: string };
    };
    expect(shown.meta.status).toBe('CANCELLED');
    await waitFor('Resume');
  });

  it('opens the replay of a recording in a sandbox', async () => {
    await server.call('navigate', { url: `${site.origin}/watched` });
    const { task_id } = JSON.parse(
      await server.call('oc_task_start', { kind: 'recording', args: { duration_ms: 600 } }),
    ) as { task_id: string };
    await server.call('oc_task_wait', { task_id, timeout_ms: 20_000 });
    await openView(`tasks/${task_id}`);
    await waitFor('Replay');
    await viewer.json('navigate', { url: `${server.origin}/dashboard/replay?id=${task_id}` });
    expect(await viewer.text('read_page', {})).toContain('Watched page');
    expect(await run('return origin')).toBe('null');
  });

  it('shows the requests of a tab with their shape and as curl', async () => {
    site.page('/api/items', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"items":[{"id":7}]}');
    });
    site.page('/shop', '<title>Shop</title><script>fetch("/api/items")</script>');
    await server.call('navigate', { url: `${site.origin}/shop` });
    await openView('network');
    await waitFor('/api/items');
    await viewer.text('act', { instruction: 'click "/api/items"' });
    await waitFor('$.items[0].id');
    expect(await viewer.text('read_page', {})).toContain(`curl '${site.origin}/api/items'`);
  });

  it('shows plots and counts of the last hour', async () => {
    await openView('health');
    await waitFor('Calls per second');
    expect(await run('return document.querySelectorAll(".plot canvas").length')).toBe(4);
  });

  it('answers a dialog of a page', async () => {
    site.page('/ask', '<title>Asks</title><script>setTimeout(() => confirm("Go on?"), 0)</script>');
    await server.call('navigate', { url: `${site.origin}/ask` });
    await openView('waiting');
    await waitFor('Go on?');
    await viewer.text('act', { instruction: 'click "OK"' });
    await waitFor('Nothing waits for you');
  });

  it('continues after a restart of the server without a reload', async () => {
    await openView('timeline');
    await run('window.sameDocument = true; return 1');
    await server.stop();
    await waitFor('The server does not answer');
    const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
    server = await startDashboard({ home: server.home, port: server.port, onEnd });
    await server.call('expand_tools', { query: 'after the restart' });
    await waitFor('after the restart');
    expect(await run('return window.sameDocument')).toBe(true);
  });
});

const VIEWS = ['live', 'timeline', 'tasks', 'network', 'health', 'waiting'];

describe('every view', () => {
  it('has no accessibility violation and no overflow, at 380 and 1440 pixels, light and dark', async () => {
    const axe = await readFile(
      createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
      'utf8',
    );
    await server.call('navigate', { url: `${site.origin}/shop` });
    for (const width of [380, 1440]) {
      await setWidth(width);
      for (const theme of ['light', 'dark']) {
        for (const view of VIEWS) {
          await openView(view);
          await viewer.text('wait_for', { selector: 'main h1', timeout_ms: 20_000 });
          const found = await run<{ violations: string[]; overflow: number }>(
            `document.documentElement.dataset.theme = '${theme}'; ${axe}; const { violations } = await axe.run(document);
             return { violations: violations.map(({ id, nodes }) => id + ': ' + nodes[0].html),
               overflow: document.documentElement.scrollWidth - innerWidth }`,
          );
          expect(found, `${view} ${width} ${theme}`).toEqual({ violations: [], overflow: 0 });
        }
      }
    }
  });
});
