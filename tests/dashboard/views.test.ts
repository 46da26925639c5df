// The views of the dashboard, driven with our own tools in a real Chrome.
import { describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { HAS_PICTURE, useDashboard } from './dashboard-viewer.ts';

const site = useSite();
const board = useDashboard();
const { viewer, openView, waitFor, waitUntil, click, press, run, setWidth, audit } = board;

const startTask = async (kind: string, args: object): Promise<string> => {
  const started = await board.server.call('oc_task_start', { kind, args });
  return (JSON.parse(started) as { task_id: string }).task_id;
};

describe('the dashboard', () => {
  it('shows a call as it happens, and its arguments and reply by keyboard alone', async () => {
    await openView('timeline');
    await waitFor('Timeline');
    site.page('/watched', '<title>Watched page</title><h1>Hello</h1>');
    await board.server.call('navigate', { url: `${site.origin}/watched` });
    await waitFor(`${site.origin}/watched`);
    await press('j', 'Enter');
    await waitFor('Arguments');
    expect(await viewer.text('read_page', {})).toContain('Watched page');
    await press('Escape');
    await press('/');
    expect(await run('return document.activeElement.type')).toBe('search');
  });

  it('shows every tab as a live picture with its title, address and session', async () => {
    await openView('live');
    await waitFor('Watched page');
    await waitUntil(HAS_PICTURE);
    const size = await run<number>('return document.querySelector("canvas").width');
    expect(size).toBeGreaterThan(300);
  });

  it('outlines the element that an action works on', async () => {
    site.page('/button', '<title>Button page</title><button>Press me</button>');
    await board.server.call('navigate', { url: `${site.origin}/button` });
    await openView('live');
    await waitFor('Button page');
    await waitUntil(HAS_PICTURE);
    await run(`window.outlined = new Promise((done) => new MutationObserver(() => {
      const mark = document.querySelector('.aim');
      if (mark) done(mark.textContent);
    }).observe(document.querySelector('main'), { childList: true, subtree: true })); return 1`);
    await board.server.call('interact', { action: 'click', query: 'Press me' });
    expect(await run('return window.outlined')).toBe('clicked');
  });

  it('reports a page that does not respond', async () => {
    site.page(
      '/hang',
      '<title>Hanging page</title><script>setTimeout(() => { for (;;); }, 50)</script>',
    );
    await openView('waiting');
    const opened = board.server.call('tabs', { action: 'new', url: `${site.origin}/hang` });
    await waitFor('does not respond');
    const { tabId } = JSON.parse(await opened) as { tabId: string };
    await board.server.call('tabs', { action: 'close', tabId });
    await waitFor('Nothing waits for you');
  });

  it.each([380, 1440])(
    'lists tasks with their pages, and cancels one, at %d pixels',
    async (width) => {
      await setWidth(width);
      for (let i = 0; i < 100; i++)
        site.page(`/slow/${i}`, (_, response) => {
          setTimeout(() => {
            response.writeHead(200, { 'content-type': 'text/html' });
            response.end(`<title>Page ${i}</title><a href="/slow/${i + 1}">next</a>`);
          }, 300);
        });
      const url = `${site.origin}/slow/0`;
      const task_id = await startTask('crawl', { url, max_pages: 100, max_depth: 100 });
      await openView(`tasks/${task_id}`);
      await waitFor('Page 0');
      await click('Cancel task');
      await waitFor('CANCELLED');
      const shown = JSON.parse(await board.server.call('oc_task_get', { task_id })) as object;
      expect(shown).toMatchObject({ meta: { status: 'CANCELLED' } });
      await waitFor('Resume');
    },
  );

  it.each([380, 1440])(
    'opens the replay of a recording in a sandbox, at %d pixels',
    async (width) => {
      await setWidth(width);
      await board.server.call('navigate', { url: `${site.origin}/watched` });
      const task_id = await startTask('recording', { duration_ms: 600 });
      await board.server.call('oc_task_wait', { task_id, timeout_ms: 20_000 });
      await openView(`tasks/${task_id}`);
      await waitFor('Open result');
      const opened = await viewer.text('interact', { action: 'click', query: 'Replay' });
      const [tabId = ''] = /[0-9A-F]{32}/.exec(opened) ?? [];
      await viewer.text('wait_for', { tabId, text: 'Watched page', timeout_ms: 20_000 });
      const origin = await viewer.text('javascript_tool', { tabId, code: 'return origin' });
      expect(origin).toBe('null');
      await viewer.text('tabs', { action: 'close', tabId });
    },
  );

  it('shows the requests of a tab with their shape and as curl', async () => {
    site.page('/api/items', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"items":[{"id":7}]}');
    });
    site.page('/shop', '<title>Shop</title><script>fetch("/api/items")</script>');
    await board.server.call('navigate', { url: `${site.origin}/shop` });
    await openView('network');
    await waitFor('/api/items');
    await viewer.text('act', { instruction: 'click "/api/items"' });
    await waitFor('$.items[0].id');
    expect(await viewer.text('read_page', {})).toContain(`curl '${site.origin}/api/items'`);
  });

  it('shows the response of a request that was opened before its end', async () => {
    let finish = (): void => {};
    site.page('/api/late', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"late":');
      finish = () => void response.end('7}');
    });
    site.page('/waits', '<title>Waits</title><script>fetch("/api/late")</script>');
    await board.server.call('navigate', { url: `${site.origin}/waits` });
    await openView('network');
    await waitFor('/api/late');
    await viewer.text('act', { instruction: 'click "/api/late"' });
    await waitFor('Request headers');
    finish();
    await waitFor('$.late');
  });

  it('shows plots and counts of the last hour', async () => {
    await openView('health');
    await waitFor('Calls per second');
    await expect.poll(() => run('return document.querySelectorAll(".plot canvas").length')).toBe(4);
  });

  it('answers a dialog of a page', async () => {
    site.page('/ask', '<title>Asks</title><script>setTimeout(() => confirm("Go on?"), 0)</script>');
    await board.server.call('navigate', { url: `${site.origin}/ask` });
    await openView('waiting');
    await waitFor('Go on?');
    await viewer.text('act', { instruction: 'click "OK"' });
    await waitFor('Nothing waits for you');
  });

  it.each(['stop', 'kill'] as const)(
    'continues without a reload and without a gap after the server was ended with %s',
    async (end) => {
      await openView('timeline');
      await board.server.call('expand_tools', { query: `first-${end}` });
      await waitFor(`first-${end}`);
      await run('window.sameDocument = true; return 1');
      await board.server[end]();
      await waitFor('The server does not answer');
      await board.restart();
      for (const n of [2, 3])
        await board.server.call('expand_tools', { query: `next-${end}-${n}` });
      await waitFor(`next-${end}-3`);
      await board.server.call('expand_tools', { query: `last-${end}` });
      await waitFor(`last-${end}`);
      const targets = await run<string[]>(
        'return [...document.querySelectorAll("main .cell-target")].map((cell) => cell.textContent)',
      );
      expect(targets.slice(0, 4)).toEqual([
        `last-${end}`,
        `next-${end}-3`,
        `next-${end}-2`,
        `first-${end}`,
      ]);
      expect(await run('return window.sameDocument')).toBe(true);
    },
  );
});

it.each([380, 1440])(
  'every view has no accessibility violation and no overflow, light and dark, at %d pixels',
  async (width) => {
    await setWidth(width);
    const opened = await board.server.call('navigate', { url: `${site.origin}/shop` });
    const { tabId } = JSON.parse(opened) as { tabId: string };
    const task = await startTask('crawl', { url: `${site.origin}/shop` });
    const views = ['live', 'timeline', 'tasks', 'network', 'health', 'waiting'];
    for (const view of [...views, `live/${tabId}`, `tasks/${task}`]) {
      await openView(view);
      await viewer.text('wait_for', { selector: 'main h1', timeout_ms: 20_000 });
      for (const theme of ['light', 'dark']) {
        await run(`document.documentElement.dataset.theme = '${theme}'; return 1`);
        expect(await audit(), `${view}, ${theme}`).toEqual({ violations: [], overflow: 0 });
      }
    }
  },
);
