// Sessions own their tabs and the popups these open; a tab that hangs or waits blocks nothing else.
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { killRenderers } from '../renderers.ts';

const browser = useEngine();
const site = useSite({
  '/a': '<title>A</title>',
  '/b': '<title>B</title>',
  '/popup': '<title>Opener</title>',
});

interface Listing {
  readonly tabs: {
    tabId: string;
    url: string;
    title: string;
    active?: boolean;
    dialog?: object;
    session?: string | null;
  }[];
  readonly other_tabs?: number;
}

const inSession = async <T>(session: string, name: string, args: object = {}): Promise<T> =>
  browser.json<T>(name, { ...args, session });

describe('tabs', () => {
  test('a call that names no tab opens one and works in it', async () => {
    expect(await inSession<Listing>('fresh', 'tabs_context')).toMatchObject({ tabs: [] });
    const { tabId } = await inSession<{ tabId: string }>('fresh', 'navigate', {
      url: `${site.origin}/a`,
    });
    expect(await inSession<Listing>('fresh', 'tabs_context')).toMatchObject({
      tabs: [{ tabId, url: `${site.origin}/a`, title: 'A', active: true }],
    });
  });

  test('new, select and close change which tab is current', async () => {
    const first = await inSession<{ tabId: string }>('three', 'tabs', {
      action: 'new',
      url: `${site.origin}/a`,
    });
    const second = await inSession<{ tabId: string }>('three', 'tabs', {
      action: 'new',
      url: `${site.origin}/b`,
    });
    await inSession('three', 'tabs', { action: 'select', tabId: first.tabId });
    const listed = await inSession<Listing>('three', 'tabs_context');
    expect(listed.tabs.map(({ title, active }) => [title, active])).toEqual([
      ['A', true],
      ['B', undefined],
    ]);
    expect(await inSession('three', 'tabs', { action: 'close' })).toEqual({
      closed: first.tabId,
      current: { tabId: second.tabId, url: `${site.origin}/b` },
    });
  });

  test("two sessions do not see each other's tabs unless they request it", async () => {
    const { tabId } = await inSession<{ tabId: string }>('alice', 'navigate', {
      url: `${site.origin}/a`,
    });
    const other = await inSession<Listing>('bob', 'tabs_context');
    expect(other.tabs).toEqual([]);
    expect(other.other_tabs).toBeGreaterThan(0);
    expect((await inSession<Listing>('bob', 'tabs_context', { all: true })).tabs).toContainEqual(
      expect.objectContaining({ tabId, session: 'alice' }),
    );
    expect(
      await browser.failure('javascript_tool', { session: 'bob', tabId, code: '1' }),
    ).toMatchObject({
      code: 'tab_not_found',
      message: `The tab ${tabId} belongs to the session "alice".`,
    });
  });

  test('a popup belongs to the session that opened it', async () => {
    await inSession('parent', 'navigate', { url: `${site.origin}/popup` });
    await inSession('parent', 'javascript_tool', { code: `window.open("/b"); 1` });
    const listTabs = async () => (await inSession<Listing>('parent', 'tabs_context')).tabs;
    await expect.poll(listTabs).toHaveLength(2); // the user's Chrome reports a popup later
    const popup = (await listTabs()).find(({ active }) => !active);
    expect(
      await browser.text('javascript_tool', {
        session: 'parent',
        tabId: popup?.tabId,
        code: 'await new Promise(r => document.title ? r() : onload = r); document.title',
      }),
    ).toBe('B');
  });

  test('an unknown tab lists the tabs there are', async () => {
    const { tabId } = await inSession<{ tabId: string }>('lister', 'navigate', {
      url: `${site.origin}/a`,
    });
    expect(
      await browser.failure('javascript_tool', { session: 'lister', tabId: 'nope', code: '1' }),
    ).toMatchObject({
      code: 'tab_not_found',
      tabs: expect.arrayContaining([expect.objectContaining({ tabId, title: 'A' })]),
    });
  });

  test('calls on one tab run in order, calls on different tabs side by side', async () => {
    const one = await inSession<{ tabId: string }>('order', 'tabs', {
      action: 'new',
      url: `${site.origin}/a`,
    });
    const two = await inSession<{ tabId: string }>('order', 'tabs', {
      action: 'new',
      url: `${site.origin}/a`,
    });
    const order: string[] = [];
    const run = async (name: string, tabId: string, code: string): Promise<void> => {
      await browser.text('javascript_tool', { session: 'order', tabId, code });
      order.push(name);
    };
    // The first tab waits for a message that the second one sends after the first has been given
    // more to do.
    const held = run(
      'held',
      one.tabId,
      'new Promise((resolve) => (new BroadcastChannel("gate").onmessage = resolve)).then(() => 1)',
    );
    const behind = run('behind', one.tabId, '1');
    expect(
      await browser.failure('javascript_tool', {
        session: 'order',
        tabId: one.tabId,
        code: '1',
        timeout_ms: 3000,
      }),
    ).toMatchObject({
      code: 'timeout',
      message: 'The tab was still busy with javascript_tool after 3000 ms.',
    });
    await run('elsewhere', two.tabId, 'new BroadcastChannel("gate").postMessage("go"); 1');
    await Promise.all([held, behind]);
    expect(order.indexOf('held')).toBeLessThan(order.indexOf('behind'));
  });
});

describe('a page that hangs', () => {
  test('in a loop of our own code is ended by its deadline and stays usable', async () => {
    await inSession('loop', 'navigate', { url: `${site.origin}/a` });
    expect(
      await browser.failure('javascript_tool', {
        session: 'loop',
        code: 'while(true){}',
        timeout_ms: 2000,
      }),
    ).toMatchObject({ code: 'timeout' });
    expect(await browser.text('javascript_tool', { session: 'loop', code: '1 + 1' })).toBe('2');
  });

  test('in an endless loop is named, and the control plane responds at once', async () => {
    await inSession('hung', 'navigate', { url: `${site.origin}/a` });
    await inSession('hung', 'javascript_tool', {
      code: 'setTimeout(() => { while(true){} }, 0); 1',
    });
    const startedAt = performance.now();
    const hung = browser.failure('javascript_tool', {
      session: 'hung',
      code: '1',
      timeout_ms: 1500,
    });
    await inSession('hung', 'tabs_context');
    await browser.json('oc_connection_health');
    await inSession('elsewhere', 'navigate', { url: `${site.origin}/b` });
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(await hung).toMatchObject({ code: 'page_unresponsive' });
    await inSession('hung', 'tabs', { action: 'close' });
  });

  test('with an open dialog is named in every reply of that tab and refuses what must wait', async () => {
    await inSession('dialog', 'navigate', { url: `${site.origin}/a` });
    expect(
      await browser.failure('javascript_tool', { session: 'dialog', code: 'confirm("sure?")' }),
    ).toMatchObject({
      code: 'dialog_open',
      dialog: { kind: 'confirm', message: 'sure?' },
    });
    const reply = await browser.reply('page_screenshot', { session: 'dialog' });
    expect(reply.failure?.code).toBe('dialog_open');
    expect(reply.notes.join()).toContain('confirm dialog open: "sure?"');
    expect((await inSession<Listing>('dialog', 'tabs_context')).tabs[0]?.dialog).toEqual({
      kind: 'confirm',
      message: 'sure?',
    });
    await inSession('dialog', 'handle_dialog', { accept: false });
    expect(await browser.text('javascript_tool', { session: 'dialog', code: '2' })).toBe('2');
  });
});

describe('a Chrome that dies', () => {
  test('is restarted by the next call, which reports the lost tabs', async () => {
    await browser.json('navigate', { url: `${site.origin}/a` });
    const { chrome } = await browser.json<{ chrome: { pid: number } }>('oc_connection_health');
    process.kill(chrome.pid, 'SIGKILL');
    await expect
      .poll(async () => (await browser.json<{ state: string }>('oc_connection_health')).state)
      .toBe('not_started');
    const reply = await browser.reply('navigate', { url: `${site.origin}/b` });
    expect(JSON.parse(reply.text ?? '')).toMatchObject({ title: 'B' });
    expect(reply.notes[0]).toContain('Chrome crashed and was restarted');
    expect(reply.notes[0]).toContain(`these tabs were lost: ${JSON.stringify(`${site.origin}/a`)}`);
  });

  test('oc_stop ends it, and the next call starts it again', async () => {
    await browser.json('navigate', { url: `${site.origin}/a` });
    expect(await browser.json('oc_stop')).toEqual({ stopped: true });
    expect(await browser.json('oc_connection_health')).toMatchObject({ state: 'not_started' });
    expect(await browser.json('navigate', { url: `${site.origin}/a` })).toMatchObject({
      title: 'A',
    });
  });

  test('a crashed page is reported at once, and a reload works', async () => {
    await inSession('crash', 'navigate', { url: `${site.origin}/a` });
    const { chrome } = await browser.json<{ chrome: { pid: number } }>('oc_connection_health');
    const waiting = browser.failure('javascript_tool', {
      session: 'crash',
      code: 'new Promise(() => {})',
      timeout_ms: 20_000,
    });
    await killRenderers(chrome.pid);
    expect(await waiting).toMatchObject({ code: 'page_crashed' });
    expect((await inSession<Listing>('crash', 'tabs_context')).tabs[0]).toMatchObject({
      crashed: true,
    });
    expect(await browser.failure('read_page', { session: 'crash' })).toMatchObject({
      code: 'page_crashed',
    });
    expect(await inSession('crash', 'navigate', { action: 'reload' })).toMatchObject({
      title: 'A',
    });
  });
});
