// A browser on another machine: reached with headers, through a provider, and after failures.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { resolveConfig } from '../../src/core/config.ts';
import { connectRemote } from '../../src/browser/launch/attach.ts';
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { ConsentWait } from '../../src/browser/launch/consent-wait.ts';
import { type ForeignChrome, startForeignChrome } from '../foreign-chrome.ts';
import { failureOf, makeFolder } from './support.ts';

const KEY = 'key-of-the-provider-1';
let chrome: ForeignChrome;
let origin = '';
let [attempts, rejections, posts] = [0, 0, 0];

/** A provider: a POST returns an address, and its WebSocket leads to the Chrome of this test. */
const relay = new WebSocketServer({ noServer: true });
const server = createServer((request, response) => {
  posts++;
  const isAllowed = request.method === 'POST' && request.headers['x-api-key'] === KEY;
  response.writeHead(isAllowed ? 201 : 401, { 'content-type': 'application/json' });
  const address = `${origin.replace('http:', 'ws:')}/browser?token=t0ken-1234`;
  response.end(isAllowed ? JSON.stringify({ connectUrl: address }) : '{"error":"no key"}');
});
server.on('upgrade', (request, socket, head) => {
  attempts++;
  if (rejections-- > 0 || request.headers['x-api-key'] !== KEY) {
    socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
    return;
  }
  relay.handleUpgrade(request, socket, head, (client) => {
    const target = new WebSocket(chrome.url);
    const early: string[] = [];
    client.on('message', (data: Buffer) =>
      target.readyState === WebSocket.OPEN
        ? target.send(data.toString())
        : early.push(data.toString()),
    );
    target.on('open', () => {
      for (const message of early.splice(0)) target.send(message);
    });
    target.on('message', (data: Buffer) => client.send(data.toString()));
    target.on('error', () => client.close()); // closed before it was open
    client.on('close', () => target.close());
  });
});

beforeAll(async () => {
  chrome = await startForeignChrome(makeFolder());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  relay.close();
  server.closeAllConnections();
  server.close();
  await chrome.end();
});

const connect = (...flags: readonly string[]) =>
  connectRemote(resolveConfig({ flags }), new ConsentWait(), new AbortController().signal);

it('a provider returns the browser for one POST, and failed connections are retried', async () => {
  rejections = 2;
  const { transport, address } = await connect(
    ...['--attach-from', `${origin}/sessions`, '--attach-header', `x-api-key=${KEY}`],
  );
  const connection = new CdpConnection(transport);
  const { product } = await connection.root.send('Browser.getVersion');
  connection.close();
  expect(product).toContain('Chrome');
  expect([posts, attempts]).toEqual([1, 3]);
  expect(address).not.toContain('t0ken');
});

it('a socket gets the headers', async () => {
  const { transport } = await connect(
    ...['--attach', `${origin.replace('http:', 'ws:')}/browser?token=t0ken-1234`],
    ...['--attach-header', `x-api-key=${KEY}`],
  );
  transport.close();
});

it('a provider without a browser and a rejected socket are attach_failed, without tokens', async () => {
  const refused = await failureOf(connect('--attach-from', `${origin}/sessions`));
  expect(refused).toMatchObject({ code: 'attach_failed' });
  const rejected = await failureOf(
    connect('--attach', `${origin.replace('http:', 'ws:')}/browser?token=t0ken-1234`),
  );
  expect(rejected).toMatchObject({ code: 'attach_failed' });
  expect(JSON.stringify(rejected)).not.toContain('t0ken');
});
