// From spawn to the tool list, and from spawn to the first page read.
import { fileURLToPath } from 'node:url';
import { startMcpServer } from '../lib/mcp-server.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { median, ms, rotated, times } from '../lib/stats.mjs';

const reference = (name) => [fileURLToPath(new URL(`../references/${name}.mjs`, import.meta.url))];

export const start = async ({ site, reps }) => {
  const list = { bare: [], sdk: [], openchrome: [] };
  const read = { raw: [], openchrome: [] };
  const servers = {
    bare: () => startMcpServer(reference('bare')),
    sdk: () => startMcpServer(reference('sdk')),
    openchrome: () => startOpenChrome(),
  };
  for (let rep = -1; rep < reps; rep++) {
    for (const name of rotated(Object.keys(servers), rep + 1)) {
      const server = await servers[name]();
      if (rep >= 0) list[name].push(server.readyMs);
      await server.end();
    }
    for (const name of rotated(['raw', 'openchrome'], rep + 1)) {
      const took = name === 'raw' ? await rawRead(site) : await ourRead(site);
      if (rep >= 0) read[name].push(took);
    }
  }
  const of = (values) => median(values);
  return [
    [
      'spawn to tools/list',
      'Node + MCP SDK that does nothing',
      ms(of(list.sdk)),
      ms(of(list.openchrome)),
      times(of(list.openchrome) / of(list.sdk)),
      'at most 1.00 x',
    ],
    [
      '',
      'bare Node',
      ms(of(list.bare)),
      ms(of(list.openchrome)),
      times(of(list.openchrome) / of(list.bare)),
      '',
    ],
    [
      'spawn to first page read',
      'raw CDP',
      ms(of(read.raw)),
      ms(of(read.openchrome)),
      times(of(read.openchrome) / of(read.raw)),
      'at most 1.30 x',
    ],
  ];
};

const rawRead = async (site) => {
  const from = performance.now();
  const chrome = await startRawChrome();
  await chrome.navigate(`${site.origin}/article`);
  await chrome.send('Accessibility.getFullAXTree');
  const took = performance.now() - from;
  await chrome.end();
  return took;
};

const ourRead = async (site) => {
  const from = performance.now();
  const server = await startOpenChrome();
  await server.call('navigate', { url: `${site.origin}/article` });
  await server.call('read_page');
  const took = performance.now() - from;
  await server.end();
  return took;
};
