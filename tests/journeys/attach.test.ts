// A Chrome that already runs is used, never closed or rearranged, and none of its tabs is woken by being listed.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { connectSocket } from '../../src/browser/cdp/socket.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { useSite } from '../fixtures.ts';

const TABS = 40;
const site = useSite({ '/theirs': '<title>Theirs</title>', '/ours': '<title>Ours</title>' });

let chrome: ReturnType<typeof spawn>;
let folder = '';
let user: CdpConnection;
let engine: Engine;

const call = async <T>(name: string, args: object = {}): Promise<T> => {
  const { text, failure } = await engine.call({ name, arguments: args });
  return (failure ? failure.toJSON() : JSON.parse(text ?? 'null')) as T;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--remote-debugging-port=0',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ];
  chrome = spawn(process.env['CHROME_PATH'] ?? '', [...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await new Promise<string>((resolve) => {
    let text = '';
    chrome.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, found] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (found) resolve(found);
    });
  });
  user = new CdpConnection(await connectSocket(url));
  for (let i = 0; i < TABS; i++)
    await user.root.send('Target.createTarget', { url: i ? 'about:blank' : `${site.origin}/theirs`, background: true });
  const home = resolveHome({ OPENCHROME_HOME: join(folder, 'home') });
  engine = createEngine({ config: resolveConfig({ flags: ['--attach', url, '--log-level', 'error'] }), home });
});

afterAll(async () => {
  await engine.stop();
  await user.root.send('Browser.close');
  await new Promise((resolve) => chrome.once('exit', resolve));
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const attachedCount = async (): Promise<number> =>
  (await user.root.send('Target.getTargets')).targetInfos.filter(({ attached, type }) => attached && type === 'page').length;

describe('an attached Chrome', () => {
  test('is used in a tab of our own', async () => {
    expect(await call('navigate', { url: `${site.origin}/ours` })).toMatchObject({ title: 'Ours' });
  });

  test('has all its tabs listed without any of them being attached to', async () => {
    const { tabs } = await call<{ tabs: { title: string; session?: string | null }[] }>('tabs_context', { all: true });
    expect(tabs.filter(({ session }) => session === null)).toHaveLength(TABS + 1);
    expect(tabs.map(({ title }) => title)).toContain('Theirs');
    expect(await attachedCount()).toBe(1);
  });

  test('lets a tab that is named be used, but not closed', async () => {
    const { tabs } = await call<{ tabs: { title: string; tabId: string }[] }>('tabs_context', { all: true });
    const tabId = tabs.find(({ title }) => title === 'Theirs')?.tabId;
    expect(await call('page_screenshot', { tabId, path: join(process.cwd(), '.cache', 'theirs.png') })).toMatchObject({
      mimeType: 'image/png',
    });
    expect(await call('tabs', { action: 'close', tabId })).toMatchObject({ error: { code: 'tab_not_owned' } });
  });

  test('has its requests listed from when its tab was named, which the listing says', async () => {
    expect(await call('network', { all: true })).toMatchObject({ capture_started_at: expect.stringMatching(/^\d{4}-/) });
  });

  test('is still there, with its tabs, after the engine has let go of it', async () => {
    expect(await call('oc_stop')).toEqual({ stopped: true });
    const { targetInfos } = await user.root.send('Target.getTargets');
    expect(targetInfos.filter(({ url }) => url.endsWith('/theirs'))).toHaveLength(1);
    expect(chrome.exitCode).toBeNull();
    await readFile(join(process.cwd(), '.cache', 'theirs.png'));
  });
});
