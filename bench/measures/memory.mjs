// Resident memory of the server process: before Chrome starts, over a thousand calls, and with 20 tabs.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startMcpServer } from '../lib/mcp-server.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, mib, times } from '../lib/stats.mjs';

/** The server releases memory after a pause of this length at the latest. */
const RELEASE_MS = 3000;
const TABS = 20;

const SDK = [fileURLToPath(new URL('../references/sdk.mjs', import.meta.url))];

/** Memory settles for a moment after the last answer. */
const settled = async (server) => {
  const seen = [];
  for (let i = 0; i < 5; i++) {
    await pause(200);
    seen.push(server.residentBytes());
  }
  return median(seen);
};

/** Five calls of different tools. */
const makeCalls = async (ours, site, i) => {
  await ours.call('navigate', { url: `${site.origin}/${i % 2 ? 'small' : 'article'}` });
  await ours.call('javascript_tool', { code: 'document.title' });
  await ours.call('read_page');
  await ours.call('tabs_context');
  await ours.call('page_screenshot');
};

const measureTabs = async (site) => {
  const ours = await startOpenChrome();
  for (let i = 0; i < 40; i++) await makeCalls(ours, site, i);
  for (let i = 1; i < TABS; i++)
    await ours.call('tabs', { action: 'new', url: `${site.origin}/chapters/${i}` });
  await pause(RELEASE_MS);
  const bytes = await settled(ours);
  await ours.end();
  return bytes;
};

export const memory = async ({ site }) => {
  const sdk = await startMcpServer(SDK);
  const idleSdk = await settled(sdk);
  await sdk.end();
  const ours = await startOpenChrome();
  await pause(RELEASE_MS);
  const idle = await settled(ours);
  for (let i = 0; i < 10; i++) await makeCalls(ours, site, i);
  const after50 = await settled(ours);
  for (let i = 10; i < 200; i++) await makeCalls(ours, site, i);
  const after1000 = await settled(ours);
  await ours.end();
  return [
    [
      'memory before Chrome starts',
      'Node + MCP SDK that does nothing',
      mib(idleSdk),
      mib(idle),
      times(idle / idleSdk),
      'at most 45 MiB',
    ],
    [
      `memory after 200 calls, ${TABS} tabs`,
      '',
      '',
      mib(await measureTabs(site)),
      '',
      'at most 55 MiB',
    ],
    [
      'memory after 1,000 calls',
      'after the first 50',
      mib(after50),
      mib(after1000),
      times(after1000 / after50),
      'at most 1.10 x',
    ],
  ];
};
