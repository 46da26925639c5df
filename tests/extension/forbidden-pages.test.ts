// Files that the user opens in a tab of an agent: the agent learns nothing about them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { openSettings, useOwnChrome } from './user-chrome.ts';

const site = useSite({ '/': '<title>Shop</title><h1>Welcome</h1>' });
const own = useOwnChrome();

let tabId = 0;
let fileUrl = '';
beforeAll(async () => {
  const file = join(own.folder, 'taxes.html');
  await writeFile(file, '<title>Taxes</title>Income<script>console.log("income: 7")</script>');
  fileUrl = pathToFileURL(file).href;
  await own.text('navigate', { url: `${site.origin}/` });
  const { state } = await (await openSettings(own.chrome)).press({ kind: 'state' });
  tabId = state.tabs[0]?.tabId ?? 0;
});

/** Opens a page as the user does, in the address bar. */
const openInTab = async (url: string): Promise<void> => {
  await own.chrome.worker(`chrome.tabs.update(${tabId}, { url: '${url}' })`);
  const readTab = () =>
    own.chrome.worker(`chrome.tabs.get(${tabId}).then(({ url, status }) => [url, status])`);
  await expect.poll(readTab).toEqual([url, 'complete']);
};

it('a file in the tab of an agent is not attached, and its messages and requests are not recorded', async () => {
  await openInTab(fileUrl);
  const isAttached = `chrome.debugger.getTargets().then((all) =>
    all.some(({ tabId, attached }) => tabId === ${tabId} && attached))`;
  await expect.poll(() => own.chrome.worker(isAttached)).toBe(false);
  await own.text('navigate', { url: `${site.origin}/` });
  expect(await own.text('console')).not.toContain('income');
  expect(await own.text('network', { all: true })).not.toContain('taxes');
  expect(await own.text('tabs_context', { all: true })).not.toMatch(/taxes/i);
});

it('an agent cannot go back to a file', async () => {
  await openInTab(fileUrl);
  await openInTab(`${site.origin}/`);
  expect(await own.text('read_page')).toContain('Welcome');
  expect(await own.failure('navigate', { action: 'back' })).toMatchObject({
    code: 'not_supported_here',
    message: 'Agents may not open file: pages.',
  });
  expect(await own.text('read_page')).toContain('Welcome');
});
