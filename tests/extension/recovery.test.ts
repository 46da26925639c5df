// The link after servers and the service worker were killed: it comes back without the user.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { resolveHome } from '../../src/core/home.ts';
import { useSite } from '../fixtures.ts';
import { type McpServer, useMcpServers } from './mcp-servers.ts';
import { openSettings, pair, startUserChrome, type UserChrome } from './user-chrome.ts';

const site = useSite({
  '/one': '<title>One</title><h1>First page</h1>',
  '/two': '<title>Two</title><h1>Second page</h1>',
});
let folder = '';
let chrome: UserChrome;
const servers = useMcpServers(() => join(folder, 'home'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  chrome = await startUserChrome(folder);
  await pair(chrome, resolveHome({ OPENCHROME_HOME: join(folder, 'home') }).pairing);
});
afterAll(async () => {
  await chrome?.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

const start = (): Promise<McpServer> => servers.start('--attach', 'extension');

const listGroups = () =>
  chrome.worker<string[]>(
    'chrome.tabGroups.query({}).then((all) => all.map(({ title }) => title).sort())',
  );

/** The tabs to which the extension's debugger is attached; the test attaches to its own pages. */
const countAttached = () =>
  chrome.worker<number>(
    `chrome.debugger.getTargets().then((all) =>
      all.filter(({ attached, url }) => attached && /\\/(one|two)$/.test(url)).length)`,
  );

let first: McpServer;
let second: McpServer;

it('another server uses the link within 6 s after the server that had it was killed', async () => {
  first = await start();
  await first.text('navigate', { url: `${site.origin}/one` });
  second = await start();
  await second.text('navigate', { url: `${site.origin}/two` });
  expect(await listGroups()).toEqual(['OpenChrome', 'OpenChrome 2']);

  first.kill();
  await vi.waitFor(async () => expect(await second.text('read_page')).toContain('Second page'), {
    timeout: 6_000,
  });
  expect(await listGroups()).toEqual(['OpenChrome', 'OpenChrome 2']);
});

it('all tabs are detached within 30 s after all servers were killed', async () => {
  second.kill();
  await expect.poll(countAttached, { timeout: 30_000 }).toBe(0);
});

it('a server that starts again works within 6 s, in the tab group of the killed one', async () => {
  first = await start();
  await vi.waitFor(() => first.text('navigate', { url: `${site.origin}/two` }), { timeout: 6_000 });
  expect(await first.text('tabs_context', { all: true })).toContain('/one');
  expect(await listGroups()).toEqual(['OpenChrome', 'OpenChrome 2']);
});

it('a killed service worker is back within 35 s, with the grants of the user', async () => {
  const settings = await openSettings(chrome);
  const before = (await settings.press({ kind: 'state' })).state.tabs.length;
  await settings.close();
  await chrome.killWorker();
  await vi.waitFor(async () => expect(await first.text('read_page')).toContain('Second page'), {
    timeout: 35_000,
  });
  const { state } = await (await openSettings(chrome)).press({ kind: 'state' });
  expect(state.tabs).toHaveLength(before);
});
