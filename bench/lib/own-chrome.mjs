// The built server with --attach extension, and a Chrome of a user that is paired with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { CHROME, CHROME_FLAGS } from './chrome.mjs';
import { startMcpServer } from './mcp-server.mjs';
import { DIST } from './openchrome.mjs';

const POLL_MS = 50;
/** Otherwise scripts wait for the user's answer. */
const CONFIG = JSON.stringify({ policy: [{ decision: 'allow' }] });

/** CDP on Chrome's pipe: only there an extension can be loaded. */
const startPipeChrome = (profile, isHeadless) => {
  const flags = [
    ...(isHeadless ? ['--headless=new'] : []),
    ...CHROME_FLAGS,
    '--remote-debugging-pipe',
    '--enable-unsafe-extension-debugging',
    '--window-size=1280,720',
    '--window-position=0,0',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(CHROME, [...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const waiting = new Map();
  let text = '';
  let lastId = 0;
  child.stdio[4].on('data', (chunk) => {
    text += chunk;
    const messages = text.split('\0');
    text = messages.pop();
    for (const { id, result, error } of messages.map((one) => JSON.parse(one)))
      waiting.get(id)?.(result ?? error);
  });
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { send, end };
};

/** Opens the page, and evaluates the expression there until it is true. */
const evaluateUntilTrue = async (chrome, url, expression) => {
  const { targetId } = await chrome.send('Target.createTarget', { url });
  const { sessionId } = await chrome.send('Target.attachToTarget', { targetId, flatten: true });
  for (;;) {
    const { result } = await chrome.send('Runtime.evaluate', { expression }, sessionId);
    if (result?.value === true) break;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await chrome.send('Target.closeTarget', { targetId });
};

const CONFIRM = `(() => {
  const button = document.querySelector('#confirm');
  if (button && !button.disabled) button.click();
  return document.querySelector('#outcome')?.textContent.startsWith('Paired') === true;
})()`;

/** Without `isHeadless`, Chrome needs a display. */
export const startOwnChrome = async ({ isHeadless = true } = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const chrome = startPipeChrome(join(dir, 'profile'), isHeadless);
  await chrome.send('Extensions.loadUnpacked', { path: join(dirname(DIST), 'extension') });
  const home = join(dir, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'openchrome.json'), CONFIG);
  const env = { ...process.env, OPENCHROME_HOME: home };
  const setup = spawn(process.execPath, [DIST, 'setup', '--extension', '--json'], { env });
  const exit = once(setup, 'exit');
  const [line] = await once(createInterface(setup.stdout), 'line');
  await evaluateUntilTrue(chrome, JSON.parse(line).url, CONFIRM);
  await exit;
  const servers = [];
  const startServer = async () => {
    const started = await startMcpServer(() => ({ args: [DIST, '--attach', 'extension'], env }));
    servers.push(started);
    return started;
  };
  const { call } = await startServer();
  return {
    call,
    chrome,
    startServer,
    end: async () => {
      for (const server of servers) await server.end();
      await chrome.end();
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
};
