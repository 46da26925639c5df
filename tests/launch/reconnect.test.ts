// A lost connection to a remote browser: its tabs are used again after the connection is restored.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { type ForeignChrome, startForeignChrome } from '../foreign-chrome.ts';
import { engineCalls, useSite } from '../fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchrome-relay-'));
const site = useSite({ '/': '<title>Page</title><p>text' });
let chrome: ForeignChrome;
let engine: Engine;
let [posts, attempts, rejections] = [0, 0, 0];
const calls = engineCalls(() => engine);

/** A provider whose WebSocket leads to the Chrome of this test. */
const relay = new WebSocketServer({ noServer: true });
const server = createServer((_, response) => {
  posts++;
  response.end(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/browser`);
});
server.on('upgrade', (request, socket, head) => {
  attempts++;
  if (rejections-- > 0) {
    socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
    return;
  }
  relay.handleUpgrade(request, socket, head, (client) => {
    const target = new WebSocket(chrome.url);
    const opened = new Promise<void>((resolve) => target.once('open', () => resolve()));
    client.on('message', (data: Buffer) => void opened.then(() => target.send(data.toString())));
    target.on('message', (data: Buffer) => client.send(data.toString()));
    target.on('error', () => client.close());
    client.on('close', () => target.close());
  });
});
const cut = (): void => {
  for (const client of relay.clients) client.terminate();
};

beforeAll(async () => {
  chrome = await startForeignChrome(folder);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const home = { ...resolveHome({ OPENCHROME_HOME: join(folder, 'home') }) };
  const flags = ['--attach-from', `http://127.0.0.1:${port}/`, '--log-level', 'error'];
  engine = createEngine({ config: resolveConfig({ flags }), home });
});
afterAll(async () => {
  await engine.stop();
  relay.close();
  server.closeAllConnections();
  server.close();
  await chrome.end();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const readState = (): string => engine.health().state;

it('the tabs of a session are used again after several failed attempts', async () => {
  await calls.text('navigate', { url: `${site.origin}/` });
  await calls.text('javascript_tool', { code: 'globalThis.marker = "still here"; 1' });
  rejections = 2;
  attempts = 0;
  cut();
  await expect.poll(readState).toBe('not_started');
  const reply = await calls.reply('javascript_tool', { code: 'marker' });
  expect(reply.text).toBe('still here');
  expect(reply.notes.join()).not.toContain('lost');
  expect([posts, attempts]).toEqual([1, 3]);
});

it('short ids stay, and a tab that this server opened can be closed', async () => {
  await calls.text('tabs', { action: 'new', url: `${site.origin}/?second` });
  cut();
  await expect.poll(readState).toBe('not_started');
  expect(await calls.text('javascript_tool', { tabId: 't1', code: 'marker' })).toBe('still here');
  expect(await calls.text('javascript_tool', { code: 'location.search' })).toBe('?second');
  expect((await calls.reply('tabs', { action: 'close', tabId: 't2' })).failure).toBe(undefined);
});

it('a session with its own storage reports that its data is gone', async () => {
  await calls.text('navigate', { session: 'own', url: `${site.origin}/` });
  cut();
  await expect.poll(readState).toBe('not_started');
  const reply = await calls.reply('javascript_tool', { session: 'own', code: '1' });
  expect(reply.notes.join()).toContain('the cookies and storage of this session');
});

it('if the browser is gone, the provider gets a request for another one', async () => {
  const asked = posts;
  cut();
  await expect.poll(readState).toBe('not_started');
  rejections = 5; // all attempts to reach the former browser
  await calls.text('navigate', { url: `${site.origin}/`, timeout_ms: 60_000 });
  expect(posts).toBe(asked + 1);
});
