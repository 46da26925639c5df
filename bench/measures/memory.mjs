// Resident memory of the server process: before Chrome starts, and over a thousand calls.
import { fileURLToPath } from 'node:url';
import { startMcpServer } from '../lib/mcp-server.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, mib, times } from '../lib/stats.mjs';

const SDK = [fileURLToPath(new URL('../references/sdk.mjs', import.meta.url))];

/** Memory settles for a moment after the last answer. */
const settled = async (server) => {
  const seen = [];
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.push(server.residentBytes());
  }
  return median(seen);
};

export const memory = async ({ site }) => {
  const sdk = await startMcpServer(SDK);
  const idleSdk = await settled(sdk);
  await sdk.end();
  const ours = await startOpenChrome();
  const idle = await settled(ours);
  const round = async (i) => {
    await ours.call('navigate', { url: `${site.origin}/${i % 2 ? 'small' : 'article'}` });
    await ours.call('javascript_tool', { code: 'document.title' });
    await ours.call('read_page');
    await ours.call('tabs_context');
    await ours.call('page_screenshot');
  };
  for (let i = 0; i < 10; i++) await round(i);
  const after50 = await settled(ours);
  for (let i = 10; i < 200; i++) await round(i);
  const after1000 = await settled(ours);
  await ours.end();
  return [
    [
      'memory before Chrome starts',
      'Node + MCP SDK that does nothing',
      mib(idleSdk),
      mib(idle),
      times(idle / idleSdk),
      'at most 90 MiB',
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
