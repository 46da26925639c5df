// Two web sites for the guard's tests: one that may be reached, under names that are looked up
// here, and one that must hear nothing.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

export interface Sites {
  /** The allowed server: http://localhost:PORT, so that its pages may use service workers. */
  readonly home: string;
  /** The forbidden server, on another loopback address. */
  readonly away: string;
  /** The same server by a name. */
  readonly awayByName: string;
  /** Number of connections to it. */
  connections(): number;
  /** The requested paths. */
  paths(): readonly string[];
  /** The paths that were requested from home, WebSockets included. */
  homePaths(): readonly string[];
}

const SCRIPTS: Readonly<Record<string, string>> = {
  '/worker.js': `
    onmessage = async ({ data, ports }) => {
      const { url, port = ports?.[0] ?? self } = { url: data };
      const say = (word) => port.postMessage(word);
      if (url.startsWith('ws')) { const socket = new WebSocket(url); socket.onopen = () => say('reached'); socket.onerror = () => say('refused'); }
      else fetch(url, { mode: 'no-cors' }).then(() => say('reached'), () => say('refused'));
    };`,
  '/shared.js': `
    onconnect = ({ ports: [port] }) => {
      port.onmessage = ({ data }) => fetch(data, { mode: 'no-cors' }).then(() => port.postMessage('reached'), () => port.postMessage('refused'));
    };`,
  '/service.js': `
    oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());
    onmessage = ({ data, ports: [port] }) => {
      if (data.startsWith('ws')) { const socket = new WebSocket(data); socket.onopen = () => port.postMessage('reached'); socket.onerror = () => port.postMessage('refused'); }
      else fetch(data, { mode: 'no-cors' }).then(() => port.postMessage('reached'), () => port.postMessage('refused'));
    };`,
};

const accept = (request: IncomingMessage, socket: Socket): void => {
  const key = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
  );
};

const listen = (server: Server, host: string): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port)),
  );

export const useSites = (): Sites => {
  let homePort = 0;
  let awayPort = 0;
  let connections = 0;
  const paths: string[] = [];
  const homePaths: string[] = [];
  const home = createServer((request, response) => {
    homePaths.push(request.url ?? '');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/redirect') {
      response.writeHead(302, { location: searchParams.get('to') ?? '/' }).end();
      return;
    }
    const script = SCRIPTS[pathname];
    response.writeHead(200, {
      'content-type': script === undefined ? 'text/html' : 'text/javascript',
    });
    response.end(
      script ??
        `<title>home</title><h1>home</h1><a href="${searchParams.get('to') ?? '/'}">elsewhere</a>`,
    );
  });
  const away = createServer((request, response) => {
    paths.push(request.url ?? '');
    const cors = {
      'access-control-allow-origin': request.headers.origin ?? '*',
      'access-control-allow-credentials': 'true',
    };
    response
      .writeHead(200, { 'content-type': 'text/html', ...cors })
      .end('<title>away</title>away');
  });
  away.on('connection', () => connections++);
  for (const server of [home, away]) server.on('upgrade', accept);
  home.on('upgrade', ({ url = '' }) => homePaths.push(url));
  beforeAll(async () => {
    [homePort, awayPort] = await Promise.all([
      listen(home, '127.0.0.1'),
      listen(away, '127.0.0.2'),
    ]);
  });
  afterAll(async () => {
    for (const server of [home, away]) {
      server.closeAllConnections();
      server.close();
    }
  });
  return {
    get home() {
      return `http://localhost:${homePort}`;
    },
    get away() {
      return `http://127.0.0.2:${awayPort}`;
    },
    get awayByName() {
      return `http://away.test:${awayPort}`;
    },
    connections: () => connections,
    paths: () => paths,
    homePaths: () => homePaths,
  };
};

const ADDRESSES: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  'home.test': '203.0.113.1',
  'away.test': '203.0.113.2',
  'rebinding.test': '127.0.0.1',
  'rebinding6.test': '::1',
  'mapped.test': '::ffff:127.0.0.1',
  'unspecified.test': '0.0.0.0',
  'inside.test': '10.99.0.1',
  'metadata.test': '169.254.169.254',
};

/** Replaces the name service. */
export const lookUp = (name: string): Promise<{ address: string; family: number }[]> => {
  const address = ADDRESSES[name];
  if (address !== undefined)
    return Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }]);
  return Promise.reject(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }));
};

/** Connects the public addresses of the test names to the servers of this file. */
export const route = (address: string): string => address.replace(/^203\.0\.113\./, '127.0.0.');
