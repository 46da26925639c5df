// The agents of a server cannot use its dashboard, even with a valid ticket or as the user's Chrome.
import { createServer } from 'node:http';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { useSite } from '../fixtures.ts';
import { type DashboardServer, send, takeAccess } from './dashboard-server.ts';
import { useDashboard } from './dashboard-viewer.ts';

const site = useSite({ '/': '<title>Home</title><h1>Home</h1>' });
const board = useDashboard();
let server: DashboardServer;

const spell = (host: string): string => server.url.replace('127.0.0.1', host);

beforeAll(async () => {
  // The ticket of board.server is used by the viewer: this one is left for the agents.
  server = await board.start({});
});

it.each(['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.0.0.5', '[::ffff:127.0.0.1]'])(
  'an agent cannot open the dashboard of its server as %s with a valid ticket',
  async (host) => {
    const reply = await server.call('navigate', { url: spell(host) });
    expect(reply).toContain('domain_not_allowed');
    expect(await server.call('tabs', { action: 'new', url: spell(host) })).toContain(
      'domain_not_allowed',
    );
  },
);

it('an agent of another server of the same home cannot open it either', async () => {
  const other = await board.start({ home: server.home });
  expect(await other.call('navigate', { url: server.url })).toContain('domain_not_allowed');
  expect(await other.call('crawl', { url: server.url })).toContain('domain_not_allowed');
});

it('a link to the dashboard ends a call of several steps, and a popup cannot be read', async () => {
  const headers = await takeAccess(server.url);
  const list = async (): Promise<{ tabId: string; url: string }[]> => {
    const { status, text } = await send(server.origin, '/dashboard/state', { headers });
    expect(status).toBe(200);
    return (JSON.parse(text) as { tabs: { tabId: string; url: string }[] }).tabs;
  };
  const { origin } = server;
  site.page('/leads', `<title>Leads</title><a href="${origin}/#/waiting">Next</a>`);
  site.page('/opens', `<title>Opens</title><button onclick="open('${origin}/')">Open</button>`);
  await server.call('navigate', { url: `${site.origin}/leads` });
  const steps = 'click "Next"; click "Waiting for you"';
  const both = await server.call('act', { instruction: steps, timeout_ms: 4_000 });
  expect(both).toContain('domain_not_allowed');
  // Calls are rejected until the tab has left the dashboard.
  await expect
    .poll(() => server.call('wait_for', { url: 'about:blank' }), { timeout: 20_000 })
    .not.toContain('error');
  await server.call('navigate', { url: `${site.origin}/opens` });
  await server.call('interact', { action: 'click', query: 'Open' });
  for (const { tabId, url } of await list()) {
    if (!url.startsWith(origin)) continue;
    const reply = await server.call('read_page', { tabId });
    expect(reply).toContain('domain_not_allowed');
  }
});

it('the port of a server that has ended is free for agents, also if it was killed', async () => {
  const first = await board.start({});
  await first.kill();
  const second = await board.start({ home: first.home });
  const taken = createServer((_, response) => response.end('<title>Another program</title>'));
  await new Promise<void>((resolve) => {
    taken.listen(first.port, '127.0.0.1', resolve);
  });
  onTestFinished(() => void taken.close());
  expect(await second.call('navigate', { url: first.origin })).toContain('Another program');
});
