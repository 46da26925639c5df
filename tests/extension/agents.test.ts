// Many agents through one Chrome: each server has its own group and tabs, and Stop ends one agent.
import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineCalls } from '../fixtures.ts';
import { useSite } from '../fixtures.ts';
import { type ExtensionButtons, openSettings, useOwnChrome } from './user-chrome.ts';

const NAMES = ['anna', 'ben', 'cleo', 'dora'];
const site = useSite(
  Object.fromEntries(
    NAMES.map((name) => [`/${name}`, `<title>Page of ${name}</title><h1>Work of ${name}</h1>`]),
  ),
);
const own = useOwnChrome();
let servers: readonly (EngineCalls & { readonly engine: { stop(): Promise<void> } })[];
let settings: ExtensionButtons;

const readState = async () => (await settings.press({ kind: 'state' })).state;
/** The name that the extension shows for the server of this page. */
const findAgent = async (name: string): Promise<string> => {
  const tab = (await readState()).tabs.find(({ url }) => url.endsWith(`/${name}`));
  if (!tab) throw new Error(`No tab of ${name}.`);
  return tab.agent;
};
const at = (name: string): EngineCalls => {
  const server = servers[NAMES.indexOf(name)];
  if (!server) throw new Error(`No server of ${name}.`);
  return server;
};

beforeAll(async () => {
  settings = await openSettings(own.chrome);
  servers = [own, await own.addServer(), await own.addServer(), await own.addServer()];
  await Promise.all(
    NAMES.map((name) => at(name).text('navigate', { url: `${site.origin}/${name}` })),
  );
});

describe('four servers that share one extension', () => {
  it('have a tab group of their own, each with another colour', async () => {
    const groups = await own.chrome.worker<{ title: string; color: string }[]>(
      'chrome.tabGroups.query({})',
    );
    expect(groups.map(({ title }) => title).sort()).toEqual([
      'OpenChrome',
      'OpenChrome 2',
      'OpenChrome 3',
      'OpenChrome 4',
    ]);
    expect(new Set(groups.map(({ color }) => color)).size).toBe(4);
  });

  it('work at the same time, and see only their own tabs', async () => {
    const pages = await Promise.all(NAMES.map((name) => at(name).text('read_page')));
    expect(pages.map((text, n) => text.includes(`Work of ${NAMES[n]}`))).toEqual(
      NAMES.map(() => true),
    );
    for (const name of NAMES) {
      const listed = await at(name).text('tabs_context', { all: true });
      expect(NAMES.filter((other) => listed.includes(`/${other}`))).toEqual([name]);
    }
  });

  it('cannot use a tab of another one, even if they know its id', async () => {
    const { tabs } = await at('anna').json<{ tabs: { tabId: string }[] }>('tabs_context');
    expect(await at('ben').failure('read_page', { tabId: tabs[0]?.tabId })).toMatchObject({
      code: 'tab_not_found',
    });
  });

  it('lose one agent if the user stops it, until the user lets it work again', async () => {
    const agent = await findAgent('cleo');
    await settings.press({ kind: 'stop', agent });
    await expect.poll(() => at('cleo').text('tabs_context')).not.toContain('cleo');
    const stopped = await at('cleo').reply('read_page');
    expect(stopped.failure?.toJSON().error).toMatchObject({
      code: 'not_supported_here',
      message: `The user has stopped the agent "${agent}" in the extension.`,
    });
    expect(stopped.notes.join()).toContain('The user ended your access to the tab');
    expect(stopped.notes.join()).toContain('Stop in the extension');
    for (const name of NAMES.filter((one) => one !== 'cleo'))
      expect(await at(name).text('read_page')).toContain(`Work of ${name}`);

    await settings.press({ kind: 'resume', agent });
    expect(await at('cleo').text('navigate', { url: `${site.origin}/cleo` })).toContain('cleo');
    expect(await findAgent('cleo')).toBe(agent);
  });

  it('keep their tabs and groups if the server that has the connection ends', async () => {
    const agents = new Map<string, string>();
    for (const name of NAMES) agents.set(name, await findAgent(name));
    await servers[0]?.engine.stop();
    for (const name of NAMES.slice(1)) {
      // A call that runs when the connection ends fails; the next one uses the new connection.
      await expect
        .poll(async () => (await at(name).reply('read_page')).text, { timeout: 6_000 })
        .toContain(`Work of ${name}`);
      expect(await findAgent(name)).toBe(agents.get(name));
    }
    // A server that starts now gets the group of the one that ended, with its tab.
    const next = await own.addServer();
    expect(await next.text('tabs_context', { all: true })).toContain('Page of anna');
  });
});
