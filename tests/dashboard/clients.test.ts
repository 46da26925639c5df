// The name and version of the client of each session, in the live view of the dashboard.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useDashboard } from './dashboard-viewer.ts';

const site = useSite({ '/': '<title>Watched page</title><h1>Hello</h1>' });
const board = useDashboard();
const { openView, waitFor, waitUntil, run, setWidth, audit } = board;

interface TestClient {
  readonly name: string;
  readonly version: string;
}

/** Opens a page in a session of its own, as a client with this name. */
const openAs = async (info: TestClient, session: string, protocol = '2025-11-25') => {
  const client = new Client(
    info,
    protocol >= '2026'
      ? { versionNegotiation: { mode: { pin: protocol } } }
      : { supportedProtocolVersions: [protocol] },
  );
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${board.server.origin}/mcp`)));
  const args = { url: `${site.origin}/?${session}`, session };
  await client.callTool({ name: 'navigate', arguments: args });
};

const readGroups = (): Promise<readonly string[]> =>
  run(`return [...document.querySelectorAll('main .group-title')].map((title) =>
    [...title.querySelectorAll('.session-names span')].map((part) => part.textContent).join(' | '))`);

const hasGroups = (count: number): string =>
  `document.querySelectorAll('main .group-title').length === ${count}`;

it('the live view shows the client of each session, in both protocols', async () => {
  await openAs({ name: 'claude-code', version: '2.1.0' }, 'research');
  await openAs({ name: 'other-agent', version: '' }, 'shopping', '2026-07-28');
  await board.server.call('navigate', { url: site.origin });
  await openView('live');
  await waitUntil(hasGroups(3));
  expect((await readGroups()).toSorted()).toEqual([
    'default',
    'research | claude-code 2.1.0',
    'shopping | other-agent',
  ]);
});

it('a hostile client name is a short text that changes nothing', async () => {
  const name = `<img src=x onerror="window.injected=1">\u202e\u0000\u001b[31m${'x'.repeat(5_000)}`;
  await openAs({ name, version: '"><script>window.injected=1</script>' }, 'hostile');
  await openView('live');
  await waitFor('hostile');
  const [shown = ''] = (await readGroups()).filter((text) => text.startsWith('hostile'));
  expect(shown).toContain('<img src=x onerror="window.injected=1">');
  expect(shown.length).toBeLessThan(120);
  expect(shown).not.toMatch(/[\p{C}]/u);
  expect(
    await run('return [window.injected ?? 0, document.querySelectorAll("main img").length]'),
  ).toEqual([0, 0]);
  for (const width of [380, 1440]) {
    await setWidth(width);
    expect(await audit()).toEqual({ violations: [], overflow: 0 });
  }
});
