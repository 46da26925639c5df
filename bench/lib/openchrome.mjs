// The built server of this project, with the Chrome and the flags that everybody here runs.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROME, CHROME_FLAGS } from './chrome.mjs';
import { startMcpServer } from './mcp-server.mjs';

/** Another build can be measured too: OPENCHROME is the path of its index.js. */
export const DIST = resolve(
  process.env.OPENCHROME ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url)),
);

export const OPENCHROME = [
  DIST,
  '--headless',
  '--isolated',
  '--chrome-path',
  CHROME,
  ...CHROME_FLAGS.map((flag) => `--chrome-arg=${flag}`),
];

export const startOpenChrome = (flags = []) => startMcpServer([...OPENCHROME, ...flags]);
