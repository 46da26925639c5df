// Finding a Chrome that runs already: by address, by port, by itself; and what else may listen
// there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findAttachEndpoint } from '../../src/browser/launch/attach.ts';
import { connectSocket } from '../../src/browser/cdp/socket.ts';
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { type ForeignChrome, startForeignChrome } from '../foreign-chrome.ts';
import { codeOf, failureOf, makeFolder, processes, until } from './support.ts';

let chrome: ForeignChrome;
let port = 0;

beforeAll(async () => {
  chrome = await startForeignChrome(makeFolder());
  port = Number(new URL(chrome.url).port);
});
afterAll(async () => {
  await chrome.end();
  await until(() => processes({ leader: chrome.pid }).length === 0, 5000);
});

const serve = async (status: number, body: string): Promise<string> => {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const servers: (() => void)[] = [];
afterEach(() => servers.splice(0).map((close) => close()));

describe('attaching', () => {
  it.each([
    ['an address', () => `http://127.0.0.1:${port}`],
    ['an address with a path', () => `http://127.0.0.1:${port}/json/version`],
    ['a name and a port', () => `localhost:${port}`],
    ['a port', () => String(port)],
  ])('finds the socket behind %s', async (_what, where) => {
    const { webSocketUrl, product } = await findAttachEndpoint(where());
    expect(product).toMatch(/Chrome\/\d+/);
    const connection = new CdpConnection(await connectSocket(webSocketUrl));
    expect((await connection.root.send('Browser.getVersion')).product).toBe(product);
    connection.close();
  });

  it('takes a socket as it is', async () => {
    const where = 'ws://127.0.0.1:9/devtools/browser/x';
    expect(await findAttachEndpoint(where)).toEqual({ webSocketUrl: where, from: where });
  });

  it.each(['nonsense://x', 'http://', 'http://127.0.0.1:99999', '::::'])(
    'refuses %s',
    async (where) => {
      expect(await codeOf(findAttachEndpoint(where))).toBe('attach_failed');
    },
  );

  it('reports a refused connection', async () => {
    const origin = await serve(200, '');
    servers.splice(0).map((close) => close());
    expect(await failureOf(findAttachEndpoint(origin))).toMatchObject({
      code: 'attach_failed',
      message: expect.stringContaining('the connection was refused'),
    });
  });

  it.each([
    [200, '<html>'],
    [200, '{}'],
    [200, 'null'],
    [404, ''],
    [500, '{"webSocketDebuggerUrl": 7}'],
  ])('reports a server that is not Chrome (%i %j)', async (status, body) => {
    expect(await codeOf(findAttachEndpoint(await serve(status, body)))).toBe('attach_failed');
  });

  it('ends with the call when nothing answers', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const cancel = new AbortController();
    server.once('request', () => cancel.abort(new Error('enough')));
    await expect(
      findAttachEndpoint(`127.0.0.1:${(server.address() as AddressInfo).port}`, cancel.signal),
    ).rejects.toThrow('enough');
  });
});

describe.skipIf(process.platform !== 'linux')('attaching by itself', () => {
  const config = makeFolder();
  const note = (browser: string, text: string): void => {
    mkdirSync(join(config, browser), { recursive: true });
    writeFileSync(join(config, browser, 'DevToolsActivePort'), text);
  };
  const before = process.env['XDG_CONFIG_HOME'];
  beforeAll(() => void (process.env['XDG_CONFIG_HOME'] = config));
  afterAll(() => {
    if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
    else process.env['XDG_CONFIG_HOME'] = before;
  });

  it('passes by what Chromes of the past left behind and finds the one that runs', async () => {
    note('google-chrome', '1\n/devtools/browser/dead\n');
    note('google-chrome-beta', 'torn');
    note('chromium', `${port}\n/devtools/browser/any\n`);
    expect(await findAttachEndpoint('auto')).toMatchObject({
      from: join(config, 'chromium'),
      webSocketUrl: expect.stringContaining(`:${port}/`),
    });
  });

  it('uses only the socket if the user switched on remote debugging in Chrome itself', async () => {
    const { port: silent } = new URL(await serve(404, ''));
    note('google-chrome', `${silent}\n/devtools/browser/0b9f-11\n`);
    expect(await findAttachEndpoint('auto')).toEqual({
      webSocketUrl: `ws://127.0.0.1:${silent}/devtools/browser/0b9f-11`,
      from: join(config, 'google-chrome'),
      asksUser: true,
    });
  });
});
