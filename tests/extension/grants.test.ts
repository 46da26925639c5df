// Grants of the extension: which tabs and cookies agents reach, and how the user ends it.
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { type ExtensionButtons, openSettings, useOwnChrome } from './user-chrome.ts';

const site = useSite({
  '/': '<title>Shop</title><h1>Welcome</h1><a href="/popup" target="_blank">More</a>',
  '/popup': '<title>Popup</title><h1>Details</h1>',
  '/diary': '<title>My diary</title><h1>Private</h1>',
});
const own = useOwnChrome();

let settings: ExtensionButtons;
const press: ExtensionButtons['press'] = (request) => settings.press(request);

const findTabId = (path: string): Promise<number> =>
  own.chrome.worker(
    `chrome.tabs.query({}).then((tabs) => tabs.find((tab) => tab.url.endsWith('${path}')).id)`,
  );

const findTargetId = async (title: string): Promise<string> => {
  const [, id = ''] =
    new RegExp(`([0-9A-F]{32})","url":"[^"]*","title":"${title}`).exec(await listTabs()) ?? [];
  return id;
};

const listTabs = (): Promise<string> => own.text('tabs_context', { all: true });

beforeAll(async () => {
  settings = await openSettings(own.chrome);
  await own.text('navigate', { url: `${site.origin}/` });
});

describe('a tab of the user', () => {
  beforeAll(async () => {
    await own.chrome.open(`${site.origin}/diary`);
  });

  it('is invisible until the user grants it, and again after Stop', async () => {
    expect(await listTabs()).toContain('Shop');
    expect(await listTabs()).not.toMatch(/diary|Private/);

    const tabId = await findTabId('/diary');
    await press({ kind: 'grant', tabId, agent: 'OpenChrome' });
    await expect.poll(listTabs).toContain('My diary');

    await press({ kind: 'revoke', tabId });
    await expect.poll(listTabs).not.toContain('diary');
  });

  it('is granted by dragging it into the group of the agent, until it is dragged out', async () => {
    const tabId = await findTabId('/diary');
    const [shop] = (await press({ kind: 'state' })).state.tabs;
    const { groupId } = await own.chrome.worker<{ groupId: number }>(
      `chrome.tabs.get(${shop?.tabId})`,
    );
    await own.chrome.worker(`chrome.tabs.group({ tabIds: [${tabId}], groupId: ${groupId} })`);
    await expect.poll(listTabs).toContain('My diary');
    const id = await findTargetId('My diary');
    expect(await own.text('read_page', { tabId: id })).toContain('Private');

    await own.chrome.worker(`chrome.tabs.ungroup(${tabId})`);
    await expect.poll(listTabs).not.toContain('diary');
    expect(await own.failure('read_page', { tabId: id })).toMatchObject({ code: 'tab_not_found' });
  });

  it('is not granted by dragging it into the group while it shows a file', async () => {
    const file = join(own.folder, 'taxes.html');
    await writeFile(file, '<title>My taxes</title>');
    await own.chrome.open(`file://${file}`);
    const tabId = await findTabId('/taxes.html');
    const [shop] = (await press({ kind: 'state' })).state.tabs;
    const isGrouped = `chrome.tabs.get(${shop?.tabId}).then(({ groupId }) =>
      chrome.tabs.group({ tabIds: [${tabId}], groupId }))`;
    await own.chrome.worker(isGrouped);
    await own.chrome.open(`${site.origin}/diary`);
    await expect.poll(listTabs).toContain('Shop');
    expect(await listTabs()).not.toContain('taxes');
    expect((await press({ kind: 'state' })).state.tabs.map(({ title }) => title)).toEqual(['Shop']);
    await own.chrome.worker(`chrome.tabs.remove(${tabId})`);
  });

  it('is not granted if it shows a page of Chrome or of an extension', async () => {
    const tabId = await findTabId('options.html');
    const answer = await press({ kind: 'grant', tabId, agent: 'OpenChrome' });
    expect(answer.error).toBe('Agents may not use this page.');
  });
});

describe('the tab of an agent', () => {
  it('is attached again with its settings and requests after it was detached as idle', async () => {
    await own.text('emulate', { timezone: 'Asia/Tokyo' });
    await own.text('read_page');
    const isAttached = () =>
      own.chrome.worker(
        'chrome.debugger.getTargets().then((all) => all.some((one) => one.attached && one.title === "Shop"))',
      );
    // The test's own connection does not attach to this tab.
    await expect.poll(isAttached).toBe(true);
    await own.chrome.worker(
      'void (globalThis.realNow = Date.now, Date.now = () => realNow() + 31e3)',
    );
    await expect.poll(isAttached, { timeout: 20_000 }).toBe(false);
    await own.chrome.worker('void (Date.now = realNow)');
    expect(await own.text('read_page')).toContain('Welcome');
    expect(await own.text('network', { all: true })).toContain(`${site.origin}/`);
    const code = 'Intl.DateTimeFormat().resolvedOptions().timeZone';
    expect(await own.text('javascript_tool', { code })).toBe('Asia/Tokyo');
  });

  it('grants the popups that its page opens', async () => {
    await own.text('interact', { action: 'click', query: 'More' });
    await expect.poll(listTabs).toContain('Popup');
    const { tabs } = (await press({ kind: 'state' })).state;
    expect(tabs.map(({ title }) => title)).toContain('Popup');
  });

  it('reads the cookies of its own site, and none of another site', async () => {
    const other = createServer((_, response) =>
      response.setHeader('set-cookie', 'bank=secret; Max-Age=900').end('<title>Bank</title>'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    afterAll(() => other.close());
    const bank = `http://localhost:${(other.address() as AddressInfo).port}/`;
    const bankTab = await own.chrome.open(bank);
    await own.text('navigate', { url: `${site.origin}/` });
    const cookie = { name: 'cart', value: 'full', url: `${site.origin}/` };
    await own.text('cookies', { action: 'set', ...cookie });

    const listed = await own.text('cookies', { action: 'list' });
    expect(listed).toContain('cart');
    expect(listed).not.toContain('bank');
    expect(await own.failure('cookies', { action: 'list', url: bank })).toMatchObject({
      code: 'not_supported_here',
      message: "Agents may only use the cookies of the tab's own site.",
    });
    expect(
      await own.failure('cookies', { action: 'delete', name: 'bank', url: bank }),
    ).toMatchObject({ code: 'not_supported_here' });
    await own.reply('cookies', { action: 'clear', all: true });
    expect(await bankTab.evaluate('document.cookie')).toBe('bank=secret');
  });
});

it('sessions with their own storage are rejected with the reason', async () => {
  const opened = await own.reply('sessions', { action: 'open', name: 'apart', storage: 'own' });
  const failure =
    opened.failure ?? (await own.reply('navigate', { url: site.origin }, 'apart')).failure;
  expect(failure?.toJSON().error).toMatchObject({
    code: 'not_supported_here',
    message: expect.stringContaining('own storage') as string,
  });
});

it('after "Stop all agents" no tab can be used or opened until the user resumes', async () => {
  await press({ kind: 'stop' });
  await expect.poll(listTabs).not.toContain('Shop');
  expect(await own.failure('navigate', { url: `${site.origin}/` })).toMatchObject({
    code: 'not_supported_here',
    message: 'The user has stopped all agents in the extension.',
    hint: 'Do not continue in this Chrome until the user lets agents work again there.',
  });
  await press({ kind: 'resume' });
  expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
});
