// A web site on loopback with every kind of response that the recorder must report.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll } from 'vitest';
import { WebSocketServer } from 'ws';

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export interface TrafficSite {
  readonly port: number;
  /** http://127.0.0.1:… */
  readonly origin: string;
  /** The same server under another name: another site for Chrome, in a process of its own. */
  readonly otherOrigin: string;
  /** Number of requests of a path. */
  hits(path: string): number;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

const send =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

const page = (body: string): Answer => send(200, HTML, `<!doctype html><title>page</title>${body}`);

const echo: Answer = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, headers } = request;
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ method, headers, size: Buffer.concat(chunks).length }));
  });
};

const SERVICE_WORKER = `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (event.request.url.includes('/made-up')) event.respondWith(new Response('{"made":"up"}', { headers: { 'content-type': 'application/json' } }));
    if (event.request.url.includes('/passed-on')) event.respondWith(fetch('/echo?by-service-worker'));
  });`;

const WORKER = `
  onmessage = async ({ data }) => {
    console.log('worker asked for', { data });
    postMessage(await (await fetch(data)).text());
  };
  postMessage('up');`;

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/': page('home'),
  '/second': page('second'),
  '/form': page(
    '<form method="post" enctype="multipart/form-data" action="/echo?submitted"><input name="who" value="ada"><input type="file" name="file"></form>',
  ),
  '/moved': send(301, { location: '/moved-again', 'set-cookie': 'from=redirect' }, 'moved'),
  '/moved-again': send(302, { location: '/second' }),
  '/post-moved': (request, response) => {
    request.resume();
    response.writeHead(307, { location: '/echo' }).end();
  },
  '/echo': echo,
  '/empty': send(204),
  '/missing': send(404, JSON_TYPE, '{"error":"missing"}'),
  '/revalidated': (request, response) => {
    if (request.headers['if-none-match']) return response.writeHead(304, { etag: '"1"' }).end();
    return response
      .writeHead(200, { ...JSON_TYPE, etag: '"1"', 'cache-control': 'no-cache' })
      .end('{"version":1}');
  },
  '/cached': send(200, { ...JSON_TYPE, 'cache-control': 'max-age=1000' }, '{"cached":true}'),
  '/picture.png': send(
    200,
    { 'content-type': 'image/png', 'cache-control': 'max-age=1000' },
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  ),
  '/gzip': send(
    200,
    { ...JSON_TYPE, 'content-encoding': 'gzip' },
    gzipSync(JSON.stringify({ text: 'y'.repeat(5_000) })),
  ),
  '/brotli': send(
    200,
    { ...JSON_TYPE, 'content-encoding': 'br' },
    brotliCompressSync(JSON.stringify({ text: 'z'.repeat(5_000) })),
  ),
  '/binary': send(200, { 'content-type': 'application/octet-stream' }, Buffer.from([0, 255, 1, 2])),
  '/bom': send(200, JSON_TYPE, '\ufeff{"bom":true}'),
  '/large': (_request, response, url) =>
    void response
      .writeHead(200, JSON_TYPE)
      .end(`"${'x'.repeat(Number(url.searchParams.get('n')))}"`),
  '/never': () => {}, // no answer at all
  '/stream': (_request, response) => void response.writeHead(200, JSON_TYPE).write('{"never":'),
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\ndata: hello\n\nevent: price\ndata: {"eur":1}\n\n');
  },
  '/file': send(
    200,
    { 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="a.zip"' },
    'PK',
  ),
  '/worker.js': send(200, { 'content-type': 'text/javascript' }, WORKER),
  '/service-worker.js': send(200, { 'content-type': 'text/javascript' }, SERVICE_WORKER),
  '/throws.js': send(
    200,
    { 'content-type': 'text/javascript' },
    'function deep() {\n  throw new TypeError("thrown");\n}\ndeep();',
  ),
  '/private': (request, response) => {
    const known =
      request.headers.authorization === `Basic ${Buffer.from('ada:secret').toString('base64')}`;
    if (known) response.writeHead(200, HTML).end('<title>private</title>welcome');
    else
      response
        .writeHead(401, { ...HTML, 'www-authenticate': 'Basic realm="club"' })
        .end('members only');
  },
};

export const useTrafficSite = (): TrafficSite => {
  const counts = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site');
    counts.set(url.pathname, (counts.get(url.pathname) ?? 0) + 1);
    (ANSWERS[url.pathname] ?? send(404, HTML, 'not found'))(request, response, url);
  });
  const sockets = new WebSocketServer({ server, path: '/socket' });
  sockets.on('connection', (socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  );
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return {
    get port() {
      return port;
    },
    get origin() {
      return `http://127.0.0.1:${port}`;
    },
    get otherOrigin() {
      return `http://localhost:${port}`;
    },
    hits: (path) => counts.get(path) ?? 0,
  };
};
