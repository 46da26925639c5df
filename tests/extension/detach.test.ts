// Ends of Chrome's debugger in a tab: by the user, by Chrome itself, and by time.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useOwnChrome } from './user-chrome.ts';

const site = useSite({
  '/': '<title>Shop</title><h1>Welcome</h1>',
  // The frame is there until the other page is opened.
  '/login': `<title>Login</title><h1>Log in</h1><script>
    new BroadcastChannel('frame').onmessage = () => document.querySelector('iframe').remove();
    </script>`,
  '/paper.pdf': (_, response) => {
    response.setHeader('content-type', 'application/pdf');
    response.end('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF');
  },
  '/filled': `<title>Filled</title><script>new BroadcastChannel('frame').postMessage(1)</script>`,
});
const own = useOwnChrome();
const POLL = { timeout: 10_000 };

beforeEach(async () => {
  await own.text('navigate', { url: `${site.origin}/` });
});

const listTabs = (): Promise<string> => own.text('tabs_context', { all: true });

/** The tab of the agent, in the service worker. */
const SHOP = 'chrome.tabs.query({ title: "Shop" }).then(([tab]) => tab)';

it('the tab is detached within 500 ms after the user dragged it out of the group', async () => {
  const elapsed = await own.chrome.worker<number>(`(async () => {
    const tab = await ${SHOP};
    const isAttached = async () => (await chrome.debugger.getTargets()).some((one) =>
      one.tabId === tab.id && one.attached);
    if (!(await isAttached())) throw new Error('The tab was not attached.');
    const start = performance.now();
    await chrome.tabs.ungroup(tab.id);
    while (await isAttached());
    await chrome.tabs.remove(tab.id);
    return performance.now() - start;
  })()`);
  expect(elapsed).toBeLessThan(500);
  await expect.poll(listTabs).not.toContain('Shop');
  const { notes } = await own.reply('navigate', { url: `${site.origin}/` });
  expect(notes.join()).toContain(`"${site.origin}/": moved out of the tab group`);
});

it("Cancel in Chrome's bar ends the grant, which the next reply reports", async () => {
  // A headless Chrome does not show the bar: the event is the one that its button causes.
  await own.chrome.worker(`${SHOP}.then((tab) =>
    chrome.debugger.detach({ tabId: tab.id }).then(() =>
      chrome.debugger.onDetach.dispatch({ tabId: tab.id }, 'canceled_by_user')))`);
  await expect.poll(listTabs).not.toContain('Shop');
  const titles = await own.chrome.worker<string[]>(
    'chrome.tabs.query({}).then((tabs) => tabs.map(({ title }) => title))',
  );
  expect(titles).toContain('Shop');
  const reply = await own.reply('navigate', { url: `${site.origin}/` });
  expect(reply.notes.join()).toContain("Cancel in Chrome's bar");
});

it('a tab with a frame of another extension is not usable until the frame is gone', async () => {
  const folder = join(own.folder, 'password-manager');
  await mkdir(folder);
  const manifest = {
    manifest_version: 3,
    name: 'Password manager',
    version: '1',
    web_accessible_resources: [{ resources: ['frame.html'], matches: ['<all_urls>'] }],
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'frame.html'), '<p>Fill in the password</p>');
  const { id } = await own.chrome.root.send('Extensions.loadUnpacked', { path: folder });
  await own.text('navigate', { url: `${site.origin}/login` });
  await own.text('javascript_tool', {
    code: `setTimeout(() => {
      const frame = document.createElement('iframe');
      frame.src = 'chrome-extension://${id}/frame.html';
      document.body.append(frame);
    }); 1`,
  });
  const read = async (): Promise<string> => {
    const { failure, text } = await own.reply('read_page');
    return failure?.message ?? text ?? '';
  };
  await expect.poll(read, POLL).toContain('a frame of another extension');
  const popup = await own.chrome.openPopup();
  await expect
    .poll(() => popup.evaluate('document.body.innerText'), POLL)
    .toContain('a frame of another extension');
  await own.chrome.open(`${site.origin}/filled`);
  await expect.poll(read, POLL).toContain('Log in');
});

it('a tab stays usable after a page that Chrome does not let agents use', async () => {
  const { code } = await own.failure('navigate', { url: `${site.origin}/paper.pdf` });
  expect(code).toBe('chrome_disconnected');
  expect(await own.text('navigate', { url: `${site.origin}/` })).toContain('Shop');
});

it('a crashed page is reported, and a reload works', async () => {
  const { tabs } = await own.json<{ tabs: { tabId: string; active?: true }[] }>('tabs_context');
  const tabId = tabs.find(({ active }) => active)?.tabId ?? '';
  await own.chrome.crash(tabId);
  await expect
    .poll(async () => (await own.reply('read_page')).failure?.code, POLL)
    .toBe('page_crashed');
  expect(await own.text('navigate', { action: 'reload' })).toContain('Shop');
});
