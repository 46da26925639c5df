// Chrome over bare CDP on a WebSocket: the limit that the machine and Chrome allow, with nothing
// around it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { CHROME, CHROME_FLAGS } from './chrome.mjs';

export const startRawChrome = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const flags = [
    '--headless',
    ...CHROME_FLAGS,
    '--window-size=1280,720',
    '--remote-debugging-port=0',
    `--user-data-dir=${join(dir, 'profile')}`,
  ];
  const child = spawn(CHROME, [...flags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: dir },
  });
  // An aborted run must not leave its Chrome running.
  process.once('exit', () => child.kill('SIGKILL'));
  const url = await devToolsUrl(child);
  const cdp = await connect(url);
  const { targetInfos } = await cdp.send('Target.getTargets');
  const { sessionId } = await cdp.send('Target.attachToTarget', {
    targetId: targetInfos.find((t) => t.type === 'page').targetId,
    flatten: true,
  });
  const page = (method, params) => cdp.send(method, params, sessionId);
  const viewport = { width: 1280, height: 720, deviceScaleFactor: 1, mobile: false };
  await Promise.all([
    page('Page.enable'),
    page('Network.enable'),
    page('Runtime.enable'),
    page('Emulation.setDeviceMetricsOverride', viewport),
  ]);
  return {
    dir,
    send: page,
    /** How many commands were sent so far. */
    commands: cdp.commands,
    /** Events of the page. */
    listen: (listener) =>
      cdp.listen((message) => message.sessionId === sessionId && listener(message)),
    /** Another tab; it is only opened, the page stays the one that is worked with. */
    openTab: async (address) => {
      const { targetId } = await cdp.send('Target.createTarget', { url: 'about:blank' });
      const { sessionId: tab } = await cdp.send('Target.attachToTarget', {
        targetId,
        flatten: true,
      });
      await cdp.send('Page.enable', {}, tab);
      const loaded = cdp.once('Page.loadEventFired', tab);
      await cdp.send('Page.navigate', { url: address }, tab);
      await loaded;
    },
    navigate: async (address) => {
      const loaded = cdp.once('Page.loadEventFired', sessionId);
      const { errorText } = await page('Page.navigate', { url: address });
      if (errorText) throw new Error(errorText);
      await loaded;
    },
    /**
     * From now on frames of other processes are attached to; the answer lists the sessions at any
     * moment, the page's first.
     */
    attachFrames: async () => {
      const attach = (id) =>
        cdp.send(
          'Target.setAutoAttach',
          { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
          id,
        );
      const frames = new Set();
      cdp.listen(({ method, params }) => {
        if (method === 'Target.detachedFromTarget') frames.delete(params.sessionId);
        if (method !== 'Target.attachedToTarget' || params.targetInfo.type !== 'iframe') return;
        frames.add(params.sessionId);
        attach(params.sessionId).catch(() => {}); // gone already
      });
      await attach(sessionId);
      return () =>
        [sessionId, ...frames].map((id) => (method, params) => cdp.send(method, params, id));
    },
    evaluate: async (expression) =>
      (await page('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }))
        .result.value,
    end: async () => {
      await cdp.send('Browser.close').catch(() => {});
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
};

const devToolsUrl = (child) =>
  new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const [, url] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (url) resolve(url);
    });
    child.once('exit', (code) =>
      reject(new Error(`Chrome ended with ${code}: ${text.slice(-500)}`)),
    );
  });

const connect = async (url) => {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 1 << 30 });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map();
  const listeners = new Set();
  let id = 0;
  socket.on('message', (data) => {
    const message = JSON.parse(data);
    if (!message.id) {
      for (const listener of listeners) listener(message);
      return;
    }
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  });
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params, sessionId }));
      }),
    commands: () => id,
    listen: (listener) => listeners.add(listener),
    once: (method, sessionId) =>
      new Promise((resolve) => {
        const listener = (message) => {
          if (message.method !== method || message.sessionId !== sessionId) return;
          listeners.delete(listener);
          resolve(message.params);
        };
        listeners.add(listener);
      }),
  };
};
