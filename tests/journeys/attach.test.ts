// A Chrome that already runs is used, never closed or rearranged, and none of its tabs is woken by
// being listed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { connectSocket } from '../../src/browser/cdp/socket.ts';
import { useSite } from '../fixtures.ts';
import { useAttachedEngine } from '../foreign-chrome.ts';

const TABS = 40;
const site = useSite({ '/theirs': '<title>Theirs</title>', '/ours': '<title>Ours</title>' });

const attached = useAttachedEngine();
let user: CdpConnection;

const call = async <T>(name: string, args: object = {}): Promise<T> => {
  const { text, failure } = await attached.reply(name, args);
  return (failure ? failure.toJSON() : JSON.parse(text ?? 'null')) as T;
};

const titles = async (): Promise<string[]> =>
  (await user.root.send('Target.getTargets')).targetInfos.map(({ title }) => title);

beforeAll(async () => {
  user = new CdpConnection(await connectSocket(attached.chrome.url));
  for (let i = 0; i < TABS; i++)
    await user.root.send('Target.createTarget', {
      url: i ? 'about:blank' : `${site.origin}/theirs`,
      background: true,
    });
  await vi.waitFor(async () => expect(await titles()).toContain('Theirs'), { timeout: 30_000 });
});
afterAll(() => user.close());

const attachedCount = async (): Promise<number> =>
  (await user.root.send('Target.getTargets')).targetInfos.filter(
    ({ attached, type }) => attached && type === 'page',
  ).length;

describe('an attached Chrome', () => {
  test('is used in a tab of our own', async () => {
    expect(await call('navigate', { url: `${site.origin}/ours` })).toMatchObject({ title: 'Ours' });
  });

  test('has all its tabs listed without any of them being attached to', async () => {
    const { tabs } = await call<{ tabs: { title: string; session?: string | null }[] }>(
      'tabs_context',
      { all: true },
    );
    expect(tabs.filter(({ session }) => session === null)).toHaveLength(TABS + 1);
    expect(tabs.map(({ title }) => title)).toContain('Theirs');
    expect(await attachedCount()).toBe(1);
  });

  test('lets a tab that is named be used, but not closed', async () => {
    const { tabs } = await call<{ tabs: { title: string; tabId: string }[] }>('tabs_context', {
      all: true,
    });
    const tabId = tabs.find(({ title }) => title === 'Theirs')?.tabId;
    expect(
      await call('page_screenshot', { tabId, path: join(process.cwd(), '.cache', 'theirs.png') }),
    ).toMatchObject({
      mimeType: 'image/png',
    });
    expect(await call('tabs', { action: 'close', tabId })).toMatchObject({
      error: { code: 'tab_not_owned' },
    });
  });

  test('lists the requests since its tab was first used, and reports that time', async () => {
    expect(await call('network', { all: true })).toMatchObject({
      capture_started_at: expect.stringMatching(/^\d{4}-/),
    });
  });

  test('is still there, with its tabs, after the engine has let go of it', async () => {
    expect(await call('oc_stop')).toEqual({ stopped: true });
    const { targetInfos } = await user.root.send('Target.getTargets');
    expect(targetInfos.filter(({ url }) => url.endsWith('/theirs'))).toHaveLength(1);
    expect(attached.chrome.isRunning()).toBe(true);
    await readFile(join(process.cwd(), '.cache', 'theirs.png'));
  });
});
