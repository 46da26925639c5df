// A web site with every kind of response that a listing must report correctly.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Routes, type Site, useSite } from '../fixtures.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const JSON_TYPE = { 'content-type': 'application/json' };

const send =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };

const json = (value: unknown, headers: Record<string, string> = {}): Answer =>
  send(200, { ...JSON_TYPE, ...headers }, JSON.stringify(value));

/** Answers with the request itself. */
const echo: Answer = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, headers, url } = request;
    response
      .writeHead(200, JSON_TYPE)
      .end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
};

const SERVICE_WORKER = `
  addEventListener('install', () => skipWaiting());
  addEventListener('activate', (event) => event.waitUntil(clients.claim()));
  addEventListener('fetch', (event) => {
    if (event.request.url.includes('/made-up')) event.respondWith(new Response('{"made":"up"}', { headers: { 'content-type': 'application/json' } }));
  });`;

const ROUTES: Routes = {
  '/': '<!doctype html><title>Home</title><h1>Home</h1>',
  '/items': json({ items: [{ id: 1, name: 'a' }, { id: 2 }], total: 2 }),
  '/graphql': (request, response) => {
    request.resume();
    response.writeHead(200, JSON_TYPE).end('{"data":{"ok":true}}');
  },
  '/bom': send(200, JSON_TYPE, '\uFEFF{"bom":true}'),
  '/ndjson': send(200, { 'content-type': 'application/x-ndjson' }, '{"a":1}\n{"a":2}\n'),
  '/protobuf': send(
    200,
    { 'content-type': 'application/x-protobuf' },
    Buffer.from([8, 150, 1, 255, 254]),
  ),
  '/gzip': send(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('{"packed":"gzip"}')),
  '/brotli': send(
    200,
    { ...JSON_TYPE, 'content-encoding': 'br' },
    brotliCompressSync('{"packed":"brotli"}'),
  ),
  '/empty': send(204),
  '/missing': send(404, JSON_TYPE, '{"error":"missing"}'),
  '/head': json({ not: 'sent for HEAD' }),
  '/revalidated': (request, response) => {
    if (request.headers['if-none-match']) response.writeHead(304, { etag: '"1"' }).end();
    else
      response
        .writeHead(200, { ...JSON_TYPE, etag: '"1"', 'cache-control': 'no-cache' })
        .end('{"version":1}');
  },
  '/cached': json({ cached: true }, { 'cache-control': 'max-age=1000' }),
  '/no-cors': json({ no: 'cors' }),
  '/never': () => {},
  '/moved': send(302, { location: '/items' }),
  '/echo': echo,
  '/login': json(
    { access_token: 'abc', user: { name: 'ada', password: 'hunter2' } },
    { 'set-cookie': 'sid=verysecret; Path=/' },
  ),
  '/data.json': json({ a: 'document' }),
  '/api/pixel-art.json': json({ art: true }),
  '/style.css': send(200, { 'content-type': 'text/css' }, 'p{color:red}'),
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"price":1}\n\nevent: tick\ndata: {"price":2,"up":true}\n\n');
  },
  '/worker.js': send(
    200,
    { 'content-type': 'text/javascript' },
    "fetch('/items?from-worker').then(() => postMessage('done'))",
  ),
  '/service-worker.js': send(200, { 'content-type': 'text/javascript' }, SERVICE_WORKER),
  '/big': json({
    rows: Array.from({ length: 5000 }, (_, i) => ({ i, text: 'some text that fills a row' })),
  }),
};

export const useNetworkSite = (): Site => useSite(ROUTES);
