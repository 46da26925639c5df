// Stop while a tab of the agent is being opened: it ends this tab too.
import { beforeAll, describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { type ExtensionButtons, openSettings, useOwnChrome } from './user-chrome.ts';

const site = useSite({ '/': '<title>Shop</title><h1>Welcome</h1>' });
const own = useOwnChrome();

let settings: ExtensionButtons;
beforeAll(async () => {
  settings = await openSettings(own.chrome);
  await own.text('navigate', { url: `${site.origin}/` });
});

/** Makes the extension wait after this call of Chrome's API until `continueCall` is called. */
const pauseAfter = (api: 'create' | 'group') =>
  own.chrome.worker(`{
    const call = chrome.tabs.${api};
    chrome.tabs.${api} = async (options) => {
      chrome.tabs.${api} = call;
      const result = await call.call(chrome.tabs, options);
      await new Promise((resolve) => { globalThis.continueCall = resolve; });
      delete globalThis.continueCall;
      return result;
    };
  }`);

const countTabs = () =>
  own.chrome.worker<number>('chrome.tabs.query({}).then((all) => all.length)');

describe.each([
  ['one agent', 'OpenChrome'],
  ['all agents', undefined],
])('after Stop for %s', (_, agent) => {
  it.each(['create', 'group'] as const)(
    'a tab that Chrome is opening (chrome.tabs.%s) is closed and not granted',
    async (api) => {
      const before = await countTabs();
      await pauseAfter(api);
      const opening = own.reply('tabs', { action: 'new', url: `${site.origin}/` });
      await expect.poll(() => own.chrome.worker('typeof continueCall')).toBe('function');
      await settings.press(agent === undefined ? { kind: 'stop' } : { kind: 'stop', agent });
      await own.chrome.worker('continueCall()');

      expect((await opening).failure?.toJSON().error).toMatchObject({
        code: 'not_supported_here',
        message: expect.stringContaining('has stopped') as string,
      });
      expect((await settings.press({ kind: 'state' })).state.tabs).toEqual([]);
      expect(await countTabs()).toBe(before);
      await settings.press(agent === undefined ? { kind: 'resume' } : { kind: 'resume', agent });
    },
  );
});
