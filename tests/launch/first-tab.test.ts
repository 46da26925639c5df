// The tab that is opened while Chrome starts: used only by the call that needed it.
import { describe, expect, test } from 'vitest';
import { useEngine } from '../fixtures.ts';

describe('a Chrome that is started for a tab', () => {
  const browser = useEngine();

  test('opens one for each who waits for it, and none besides', async () => {
    const open = async (session: string): Promise<string> =>
      (await browser.json<{ tabId: string }>('navigate', { url: 'about:blank', session })).tabId;
    const tabs = await Promise.all([open('one'), open('two')]);
    expect(new Set(tabs).size).toBe(2);
    expect(browser.engine.health()).toMatchObject({ starts: 1, tabs: 2 });
  });
});

describe('calls that arrive together in a session without a tab', () => {
  const browser = useEngine();

  test('open one tab for all of them', async () => {
    const calls = ['read_page', 'page_content', 'read_page'].map((name) => browser.reply(name));
    await Promise.all([...calls, browser.json('navigate', { url: 'about:blank' })]);
    const { tabs } = await browser.json<{ tabs: unknown[] }>('tabs_context');
    expect(tabs).toHaveLength(1);
  });

  test('open one tab even if the call that opens it is cancelled', async () => {
    const cancel = new AbortController();
    const session = 'other';
    const first = browser.engine.call({
      name: 'navigate',
      arguments: { url: 'about:blank', session },
      signal: cancel.signal,
    });
    const second = browser.json<{ tabId: string }>('navigate', { url: 'about:blank', session });
    cancel.abort();
    await first;
    expect(await second).toMatchObject({ tabId: expect.any(String) as string });
  });
});

describe('a Chrome that is started for a tab that is not used', () => {
  const browser = useEngine();

  test('uses it for the next new tab', async () => {
    const cancel = new AbortController();
    const given = browser.engine.call({
      name: 'navigate',
      arguments: { url: 'about:blank' },
      signal: cancel.signal,
    });
    cancel.abort();
    expect((await given).failure?.code).toBe('cancelled');
    await browser.json('navigate', { url: 'about:blank' });
    expect(browser.engine.health()).toMatchObject({ starts: 1, tabs: 1 });
  });
});

describe('a Chrome that is started for anything else', () => {
  const browser = useEngine();

  test('starts without a tab', async () => {
    expect(await browser.failure('read_page', { tabId: 'none' })).toMatchObject({
      code: 'tab_not_found',
    });
    expect(browser.engine.health()).toMatchObject({ starts: 1, tabs: 0 });
  });
});
