// The visible parts of the extension: badge, popup and options page, used as the user does.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EXTENSION_ID } from '../../src/browser/extension/link-proof.ts';
import { useSite } from '../fixtures.ts';
import { useOwnChrome, type UserTab } from './user-chrome.ts';

const site = useSite({
  '/': '<title>Shop</title><h1>Welcome</h1><button>Buy</button>',
  '/diary': '<title>My diary</title><h1>Private</h1>',
});
const own = useOwnChrome();
let popup: UserTab;

const readPopup = () => popup.evaluate<string>('document.body.innerText');
const click = (selector: string) =>
  popup.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
const listTabs = (): Promise<string> => own.text('tabs_context', { all: true });
const readBadge = () =>
  own.chrome.worker<[string, string]>(
    'Promise.all([chrome.action.getBadgeText({}), chrome.action.getTitle({})])',
  );

beforeAll(async () => {
  await own.text('navigate', { url: `${site.origin}/` });
  await own.text('interact', { action: 'click', query: 'Buy' });
});

describe('the popup', () => {
  afterEach(() => popup.close());

  it('shows which agent works in which tab, and its last action', async () => {
    popup = await own.chrome.openPopup();
    await expect.poll(readPopup).toContain('Shop');
    expect((await readPopup()).split('\n').filter((line) => line !== '')).toEqual([
      'OpenChrome',
      'Connected',
      'OpenChrome',
      'Stop',
      'Shop',
      'interact · in use',
      'Revoke',
      ...['Grant this tab to', 'OpenChrome', 'Grant'],
      'Stop all agents',
      'Settings',
    ]);
  });

  it('does not grant a page of Chrome', async () => {
    await own.chrome.open('chrome://version');
    popup = await own.chrome.openPopup();
    await expect.poll(readPopup).toContain('Agents may not use this page.');
    expect(await popup.evaluate('document.querySelector("#grant-button").disabled')).toBe(true);
  });

  it('grants the tab that the user sees to an agent, and revokes the grant', async () => {
    await own.chrome.open(`${site.origin}/diary`);
    expect(await listTabs()).not.toContain('diary');
    popup = await own.chrome.openPopup();
    await expect.poll(readPopup).not.toContain('Agents may not use this page.');
    await click('#grant-button');
    await expect.poll(listTabs).toContain('My diary');
    await expect.poll(readPopup).toContain('My diary');
    expect(await readPopup()).not.toContain('Grant this tab to');
    await click('[aria-label="Revoke the access of OpenChrome to My diary"]');
    await expect.poll(listTabs).not.toContain('diary');
  });

  it('stops one agent and lets it work again', async () => {
    popup = await own.chrome.openPopup();
    await expect.poll(readPopup).toContain('Shop');
    await click('[aria-label="Stop OpenChrome"]');
    await expect.poll(readPopup).toContain('stopped');
    await expect.poll(listTabs).not.toContain('Shop');
    expect(await own.failure('navigate', { url: `${site.origin}/` })).toMatchObject({
      message: 'The user has stopped the agent "OpenChrome" in the extension.',
    });
    await click('[aria-label="Let OpenChrome work again"]');
    await expect.poll(readPopup).not.toContain('stopped');
    expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
  });

  it('stops all agents, which the badge shows', async () => {
    expect(await readBadge()).toEqual(['1', 'OpenChrome: agents may use 1 tab']);
    popup = await own.chrome.openPopup();
    await expect.poll(readPopup).toContain('Shop');
    await click('#stop');
    await expect.poll(readPopup).toContain('Let agents work again');
    expect(await readBadge()).toEqual(['off', 'OpenChrome: all agents are stopped']);
    await click('#resume');
    await expect.poll(readPopup).toContain('Stop all agents');
    expect(await readBadge()).toEqual(['', 'OpenChrome']);
    expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
  });
});

it('the options page shows the paired server, and forgets it', async () => {
  const { port } = JSON.parse(await readFile(join(own.home, 'extension.json'), 'utf8')) as {
    port: number;
  };
  const options = await own.chrome.open(`chrome-extension://${EXTENSION_ID}/options.html`);
  const readPairing = () => options.evaluate('document.querySelector("#pairing").textContent');
  await expect
    .poll(readPairing)
    .toBe(`Paired with the server on port ${port}, which is connected.`);
  await options.evaluate('document.querySelector("#forget").click()');
  await expect
    .poll(readPairing)
    .toBe('No server is paired. Run "openchrome setup --extension" in a terminal.');
  expect(await options.evaluate('document.querySelector("#forget").hidden')).toBe(true);
  // The connection may end during the first call.
  await expect
    .poll(() => own.failure('navigate', { url: `${site.origin}/` }), { timeout: 40_000 })
    .toMatchObject({
      code: 'attach_failed',
      message: 'The extension did not connect within 8 s.',
    });
});
