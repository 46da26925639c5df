// Actions under which the page, the tab or Chrome goes away: within its time each ends as unknown
// or as a named failure, never as done.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { killRenderers } from '../renderers.ts';

const site = useSite({
  '/never': () => {},
  '/away': '<title>Away</title><button id=b>Save</button>',
});
const server = useEngine();

const open = async (path: string, page: string): Promise<void> => {
  await server.json('navigate', {
    url: site.page(path, `<!doctype html><meta charset=utf-8>${page}`),
  });
};

const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
};

describe('an action', () => {
  it('on a page that is on its way to one that never answers is refused in time', async () => {
    await open('/leaving', '<button>Save</button>');
    await server.text('javascript_tool', {
      code: `setTimeout(() => { location = '/never' }, 20); 1`,
    });
    await delay(150);
    const { result, ms } = await timed(
      server.failure('interact', { action: 'click', query: 'Save', waitForMs: 300 }),
    );
    expect(result).toMatchObject({
      code: 'page_changed',
      message: expect.stringContaining('action was not performed') as string,
    });
    expect(ms).toBeLessThan(10_000); // its deadline is 30 s
    await server.json('tabs', { action: 'close' });
  });

  it('on a page that changes while its target is awaited is rejected or done on the new page, and reports which', async () => {
    await open('/changing', `<script>setTimeout(() => { location = '/away' }, 100)</script>`);
    const reply = await server.reply('interact', {
      action: 'click',
      query: 'Save',
      waitForMs: 2000,
    });
    if (reply.failure) expect(reply.failure.code).toMatch(/^(page_changed|outcome_unknown)$/);
    else expect(reply.text).toMatch(/^clicked e\d+ button "Save"/);
  });

  it('that closes its tab reports that it closed', async () => {
    await open('/opener', `<button onclick="window.open('/closer')">Open</button>`);
    site.page('/closer', `<button onclick="window.close()">Close me</button>`);
    const [, tabId] =
      /new tab (\w+)/.exec(await server.text('interact', { action: 'click', query: 'Open' })) ?? [];
    const reply = await server.reply('interact', { action: 'click', query: 'Close me', tabId });
    expect(reply.text ?? reply.failure?.code).toMatch(/the tab closed$|^outcome_unknown$/);
  });

  it('in a tab that another call closes is not called done', async () => {
    const { tabId } = await server.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: site.page('/doomed', '<p>x</p>'),
    });
    const waiting = server.reply('interact', {
      action: 'click',
      query: 'Never there',
      waitForMs: 5000,
      tabId,
    });
    await delay(100);
    await server.json('tabs', { action: 'close', tabId });
    const { failure } = await waiting;
    expect(failure?.code).toMatch(/^(tab_closed|outcome_unknown)$/);
  });

  it('whose page hangs in its handler ends at its deadline', async () => {
    let release = (): void => {};
    site.page('/held', (_, response) => {
      release = () => void response.end();
    });
    const handler = `const request = new XMLHttpRequest();
      request.open('GET', '/held', false); request.send()`;
    await open('/busy', `<button onclick="${handler}">Hang</button>`);
    // The page hangs until it is released below.
    expect(
      await server.failure('interact', { action: 'click', query: 'Hang', timeout_ms: 1000 }),
    ).toMatchObject({ code: 'outcome_unknown', retryable: false });
    release();
    await server.text('javascript_tool', { code: '1', timeout_ms: 30_000 });
  });

  it('that a pending navigation delays past its deadline blames that navigation, not the page', async () => {
    await open('/held-up', '<button>Save</button>');
    await server.text('javascript_tool', {
      code: `setTimeout(() => { location = '/never' }, 20); 1`,
    });
    await delay(150);
    const failure = await server.failure('interact', {
      action: 'click',
      query: 'Save',
      waitForMs: 5000,
      timeout_ms: 1200,
    });
    expect(failure).toMatchObject({
      code: expect.stringMatching(/^(timeout|page_changed)$/) as string,
      message: expect.stringMatching(/navigating to "http.*\/never"/) as string,
    });
    expect(failure.message).not.toContain('main thread');
    await server.json('tabs', { action: 'close' });
  });

  it.each([
    [
      'its target is awaited',
      '<p>Nothing to press</p>',
      { query: 'Never there', waitForMs: 10_000 },
    ],
    [
      'its handler runs',
      `<button onclick="const end = Date.now() + 8000; while (Date.now() < end);">Slow</button>`,
      { query: 'Slow' },
    ],
  ])(
    'under which the page crashes while %s is not called done, and the tab can be used again',
    async (_, page, target) => {
      await open('/crashing', page);
      const { chrome } = await server.json<{ chrome: { pid: number } }>('oc_connection_health');
      const waiting = timed(server.failure('interact', { action: 'click', ...target }));
      await delay(400);
      await killRenderers(chrome.pid);
      const { result, ms } = await waiting;
      expect(result).toMatchObject({
        code: 'page_crashed',
        hint: expect.stringContaining('navigate') as string,
      });
      expect(ms).toBeLessThan(6000); // both would take longer
      await open('/after', '<button>Back</button>');
      expect(await server.text('interact', { action: 'click', query: 'Back' })).toMatch(
        /^clicked e\d+ button "Back"/,
      );
    },
  );

  it('under which Chrome dies is not called done, and the next call has a new Chrome', async () => {
    await open(
      '/dying',
      `<button onclick="const end = Date.now() + 2000; while (Date.now() < end);">Slow</button>`,
    );
    const { chrome } = await server.json<{ chrome: { pid: number } }>('oc_connection_health');
    const waiting = server.reply('interact', { action: 'click', query: 'Slow' });
    await delay(200);
    process.kill(chrome.pid, 'SIGKILL');
    expect((await waiting).failure?.code).toMatch(/^(outcome_unknown|chrome_disconnected)$/);
    await open('/again', '<button id=b>Back</button>');
    expect(await server.text('interact', { action: 'click', query: 'Back' })).toMatch(
      /^clicked e\d+ button "Back"/,
    );
  });
});

describe('a ref', () => {
  const refOf = async (query: string): Promise<string> =>
    /\be\d+\b/.exec(await server.text('find', { query }))?.[0] ?? '';

  it('of a re-rendered element is stale, with the new ref', async () => {
    await open(
      '/drawn',
      `<ul id=l><li><button>Approve</button></li></ul><script>window.draw = () => { l.innerHTML = '<li><button onclick="window.hit=1">Approve</button></li>' }</script>`,
    );
    const ref = await refOf('Approve');
    await server.text('javascript_tool', { code: 'draw(); 1' });
    const failure = await server.failure('interact', { action: 'click', ref, waitForMs: 100 });
    expect(failure).toMatchObject({
      code: 'stale_ref',
      ref,
      new_ref: expect.stringMatching(/^e\d+$/) as string,
    });
    expect(await server.text('javascript_tool', { code: 'String(window.hit)' })).toBe('undefined');
    await server.text('interact', { action: 'click', ref: failure['new_ref'] });
    expect(await server.text('javascript_tool', { code: 'String(window.hit)' })).toBe('1');
  });

  it('of a row that now shows another person is stale, and no row is approved', async () => {
    await open(
      '/rows',
      `<table>${['Ada', 'Bob', 'Cyd'].map((who) => `<tr><td>${who}</td><td><button onclick="window.hit=this.closest('tr').cells[0].textContent">Approve</button></td></tr>`).join('')}</table>`,
    );
    const ref = /\b(e\d+) button/.exec(
      await server.text('find', { role: 'button', near: 'Bob' }),
    )?.[1];
    await server.text('javascript_tool', {
      code: `document.querySelectorAll('td:first-child')[1].textContent = 'Eve Mallory'; 1`,
    });
    expect((await server.failure('interact', { action: 'click', ref, waitForMs: 100 })).code).toBe(
      'stale_ref',
    );
    expect(await server.text('javascript_tool', { code: 'String(window.hit)' })).toBe('undefined');
  });

  it('of a field in a row that now shows another person fails alone in a form', async () => {
    await open(
      '/fields',
      `<table>${['Ada', 'Bob'].map((who) => `<tr><td>${who}</td><td><input aria-label="Note on ${who}"></td></tr>`).join('')}</table>`,
    );
    const fields = [
      { ref: await refOf('Note on Ada'), value: 'first' },
      { ref: await refOf('Note on Bob'), value: 'second' },
    ];
    await server.text('javascript_tool', {
      code: `document.querySelector('td').textContent = 'Eve Mallory'; 1`,
    });
    const reply = await server.text('fill_form', { fields, waitForMs: 100 });
    expect(reply).toMatch(/filled 1 of 2 fields\n.*"code":"stale_ref"/);
    const code = `[...document.querySelectorAll('input')].map(({ value }) => value).join()`;
    expect(await server.text('javascript_tool', { code })).toBe(',second');
  });

  it('of a page that was left is stale', async () => {
    await open('/left', '<button>Old</button>');
    const ref = await refOf('Old');
    await open('/right', '<button>New</button>');
    expect(await server.failure('interact', { action: 'click', ref })).toMatchObject({
      code: 'stale_ref',
      reason: 'navigated',
    });
  });

  it('that was never returned is not found', async () => {
    await open('/no-refs', '<p>');
    expect((await server.failure('interact', { action: 'click', ref: 'e99999' })).code).toBe(
      'element_not_found',
    );
  });

  it('of a cover, from a failure, can be acted on', async () => {
    await open(
      '/veil',
      `<button>Buy</button><div id=veil style="position:fixed;inset:0" onclick="this.remove()"></div>`,
    );
    const { cover } = await server.failure('interact', {
      action: 'click',
      query: 'Buy',
      waitForMs: 100,
    });
    await server.text('interact', { action: 'click', ref: (cover as { ref: string }).ref });
    expect(await server.text('interact', { action: 'click', query: 'Buy' })).toMatch(
      /^clicked e\d+ button "Buy"/,
    );
  });

  it('of a candidate, from a failure, leads to that one', async () => {
    await open(
      '/twins',
      `<button onclick="window.hit='first'">Delete</button><button onclick="window.hit='second'">Delete</button>`,
    );
    const { candidates } = await server.failure('interact', {
      action: 'click',
      query: 'Delete',
      waitForMs: 0,
    });
    await server.text('interact', {
      action: 'click',
      ref: (candidates as { ref: string }[])[1]?.ref,
    });
    expect(await server.text('javascript_tool', { code: 'window.hit' })).toBe('second');
  });
});
