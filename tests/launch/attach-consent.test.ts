// --attach auto with Chrome's switch for remote debugging: its user must allow the connection. A
// relay before a real Chrome answers in place of the dialog, which no headless Chrome shows.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { useEngine, useSite } from '../fixtures.ts';
import { type ForeignChrome, startForeignChrome } from '../foreign-chrome.ts';
import { makeFolder } from './support.ts';

const site = useSite({ '/': '<title>Shop</title><h1>Welcome</h1>' });
const config = makeFolder();
const profile = join(config, 'google-chrome');
const before = process.env['XDG_CONFIG_HOME'];
beforeAll(() => {
  process.env['XDG_CONFIG_HOME'] = config;
  mkdirSync(profile, { recursive: true });
});
afterAll(() => {
  if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
  else process.env['XDG_CONFIG_HOME'] = before;
});

const openShop = () => ({ url: `${site.origin}/`, timeoutMs: 60_000 });

describe.skipIf(process.platform !== 'linux')('a Chrome that asks its user', () => {
  const engine = useEngine(['--attach', 'auto']);
  const second = useEngine(['--attach', 'auto']);
  let chrome: ForeignChrome;
  const relay = new WebSocketServer({ noServer: true });
  const server = createHttpServer((_, response) => response.writeHead(404).end());
  const dialogs: { readonly allow: () => void; readonly decline: () => void }[] = [];

  const connectToChrome = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    relay.handleUpgrade(request, socket, head, (client) => {
      const target = new WebSocket(chrome.url);
      const early: string[] = [];
      client.on('message', (data: Buffer) => {
        if (target.readyState === WebSocket.OPEN) target.send(data.toString());
        else early.push(data.toString());
      });
      target.on('open', () => {
        for (const message of early.splice(0)) target.send(message);
      });
      target.on('message', (data: Buffer) => client.send(data.toString()));
      client.on('close', () => target.close());
    });

  beforeAll(async () => {
    chrome = await startForeignChrome(makeFolder());
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {});
      dialogs.push({
        allow: () => connectToChrome(request, socket, head),
        decline: () => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(profile, 'DevToolsActivePort'), `${port}\n/devtools/browser/0b9f-11\n`);
  });
  afterAll(async () => {
    rmSync(join(profile, 'DevToolsActivePort'));
    relay.close();
    server.closeAllConnections();
    server.close();
    await chrome.end();
  });

  it('gets one connection for many calls, which report consent_needed until the user presses Allow', async () => {
    const early = await Promise.all([1, 2, 3].map(() => engine.failure('navigate', openShop())));
    for (const failure of early)
      expect(failure).toMatchObject({
        code: 'consent_needed',
        retryable: true,
        hint: expect.stringContaining('press Allow') as string,
      });
    expect(await engine.failure('navigate', openShop())).toMatchObject({ code: 'consent_needed' });
    expect(dialogs).toHaveLength(1);

    dialogs[0]?.allow();
    expect(await engine.text('navigate', openShop())).toContain('Shop');
    expect(await engine.text('read_page')).toContain('Welcome');
    expect(dialogs).toHaveLength(1);
  });

  it('continues a call that waits when the user presses Allow, and reports a declined connection', async () => {
    const declined = second.failure('navigate', openShop());
    await expect.poll(() => dialogs.length).toBe(2);
    dialogs[1]?.decline();
    expect(await declined).toMatchObject({
      code: 'attach_failed',
      message: expect.stringContaining('did not allow it') as string,
    });

    const allowed = second.text('navigate', openShop());
    await expect.poll(() => dialogs.length).toBe(3);
    dialogs[2]?.allow();
    expect(await allowed).toContain('Shop');
  });
});

describe.skipIf(process.platform !== 'linux')('without a Chrome that accepts connections', () => {
  const engine = useEngine(['--attach', 'auto']);

  it('the failure names the state of Chrome and the next step', async () => {
    expect(await engine.failure('navigate', openShop())).toMatchObject({
      code: 'attach_failed',
      message: 'No Chrome is running with remote debugging.',
      hint: expect.stringContaining('Start Chrome, open chrome://inspect') as string,
    });

    // Chrome listens on this socket while it runs.
    const socketPath = join(makeFolder(), 'SingletonSocket');
    const running = createSocketServer();
    await new Promise<void>((resolve) => running.listen(socketPath, resolve));
    symlinkSync(socketPath, join(profile, 'SingletonSocket'));
    try {
      writeFileSync(join(profile, 'Last Version'), '156.0.8078.73');
      expect(await engine.failure('navigate', openShop())).toMatchObject({
        message: expect.stringContaining('remote debugging is off') as string,
        hint: expect.stringContaining('Open chrome://inspect') as string,
      });
      writeFileSync(join(profile, 'Last Version'), '143.0.7499.40');
      expect(await engine.failure('navigate', openShop())).toMatchObject({
        message: expect.stringContaining('Chrome 143 is running') as string,
        hint: expect.stringContaining('Update Chrome to version 144') as string,
      });
    } finally {
      running.close();
    }

    for (const [holder, name] of [
      ['another-machine-77', 'process 77 on another-machine'],
      [`${hostname()}-${process.pid}`, `process ${process.pid}, which does not respond`],
    ] as const) {
      symlinkSync(holder, join(profile, 'SingletonLock'));
      expect(await engine.failure('navigate', openShop())).toMatchObject({
        message: `The profile ${profile} is locked by ${name}.`,
        hint: expect.stringContaining('End that Chrome, start Chrome again') as string,
      });
      rmSync(join(profile, 'SingletonLock'));
    }
  });
});
