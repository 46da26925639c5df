// Crawlee in a process of its own, as ours is, with the Chrome and the flags that everybody here
// runs.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CHROME, CHROME_FLAGS } from './chrome.mjs';
import { installPeer } from './peers.mjs';

const SCRIPT = fileURLToPath(new URL('../references/crawlee.mjs', import.meta.url));

export const startCrawlee = () => {
  const child = spawn(process.execPath, [SCRIPT, installPeer('crawlee')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = new Promise((resolve) => child.once('close', resolve));
  return {
    crawl: async (job) => {
      child.stdin.write(`${JSON.stringify({ ...job, chrome: CHROME, flags: CHROME_FLAGS })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('Crawlee ended');
      return JSON.parse(value);
    },
    end: async () => {
      child.stdin.end();
      await gone;
    },
  };
};
