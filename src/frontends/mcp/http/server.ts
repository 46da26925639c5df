// The HTTP server: listens, answers, and shuts down.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { fail, type Failure, toFailure } from '../../../core/failure.ts';
import { settlesWithin } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { LIVE_PATH } from '../../dashboard/paths.ts';
import type { DashboardRoutes } from '../../dashboard/routes.ts';
import { createGate, type Gate } from './gate.ts';
import { answerRequest, type Routes } from './router.ts';
import { type Additions, createRoutes } from './routes.ts';

export interface HttpServer {
  readonly port: number;
  /**
   * Aborts running calls, sends their responses, and closes every connection. Does not stop the
   * engine.
   */
  close(reason?: Failure): Promise<void>;
}

/** Limits for slow clients: headers within 10 s, the whole request within 60 s. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 30_000,
};
const MAX_HEADERS = 100;

/** How long a closing server waits for responses to be sent, then for connections to close. */
const GRACE_MS = 1_000;

export const serveHttp = async (engine: Engine, additions?: Additions): Promise<HttpServer> => {
  const { config, log } = engine;
  const gate = createGate(config);
  const stopping = new AbortController();
  const connections = new Set<unknown>();
  const posts = new Set<Promise<void>>();
  const created = createRoutes(
    engine,
    { stopping: stopping.signal, connections: () => connections.size },
    additions,
  );
  const { endpoint, dashboard } = created;
  let { routes } = created;

  const server = createServer(LIMITS, (request, response) => {
    const answered = answerRequest(routes, gate, request, response, (error) => log.defect(error));
    if (request.method === 'POST') hold(posts, answered);
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const port = await listen(server, config.http ?? 0, config.host);
  // a failed connection does not end the server
  server.on('error', (error) => log.defect(error));
  const announced = dashboard && (await announceDashboard(engine, port));
  const served = announced === 'failed' ? undefined : dashboard;
  if (announced === 'failed') routes = omitRoutes(routes, dashboard?.routes);
  if (served)
    server.on('upgrade', (request, socket, head: Buffer) => {
      if (isLiveFeed(request)) void openLiveFeed(served, gate, request, socket, head);
      else serveWithoutUpgrade(server, request, socket, head);
    });
  const origin = `http://${inUrl(config.host)}:${port}`;
  process.stderr.write(`openchrome listening on ${origin}/mcp\n`);
  if (served) additions?.onDashboard?.(served, origin);

  const close = async (
    reason = fail('engine_stopped', 'The server is stopping.'),
  ): Promise<void> => {
    stopping.abort(reason);
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await settlesWithin(Promise.all(posts), GRACE_MS);
    await Promise.all([endpoint.close(), dashboard?.close()]);
    server.closeIdleConnections();
    await settlesWithin(closed, GRACE_MS);
    server.closeAllConnections();
    await closed;
    if (announced !== 'failed') announced?.[Symbol.dispose]();
  };
  let closing: Promise<void> | undefined;
  return { port, close: (reason) => (closing ??= close(reason)) };
};

/** `failed`: pages of other servers of this home could reach the dashboard, so it is not served. */
const announceDashboard = async (
  engine: Engine,
  port: number,
): Promise<Disposable | 'failed' | undefined> => {
  try {
    return await engine.announceDashboard?.(port);
  } catch (error) {
    engine.log.warn('the dashboard is not served: its port could not be recorded', error);
    return 'failed';
  }
};

const omitRoutes = (routes: Routes, omitted: Routes = {}): Routes =>
  Object.fromEntries(Object.entries(routes).filter(([path]) => !(path in omitted)));

const isLiveFeed = ({ url = '', headers }: IncomingMessage): boolean =>
  url.split('?', 1)[0] === LIVE_PATH && headers.upgrade?.toLowerCase() === 'websocket';

const openLiveFeed = async (
  dashboard: DashboardRoutes,
  gate: Gate,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> => {
  socket.on('error', () => {}); // the client disconnected
  try {
    gate.checkSource({ headers: request.headers, localAddress: request.socket.localAddress });
    await dashboard.upgrade(request, socket, head);
  } catch (error) {
    const { code, kind } = toFailure(error, () => '');
    socket.end(`HTTP/1.1 ${kind.http} ${code}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
};

/**
 * Answers a request that offers another protocol (Java's client offers HTTP/2) as if it did not:
 * with an upgrade listener, Node passes on such a request without reading its body.
 */
const serveWithoutUpgrade = (
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!UPGRADE_HEADERS.has(rawHeaders[i]?.toLowerCase() ?? ''))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};

const UPGRADE_HEADERS = new Set(['connection', 'upgrade', 'http2-settings']);

/** Keeps a promise in the set until it settles. */
const hold = (set: Set<Promise<void>>, work: Promise<void>): void => {
  set.add(work);
  void work.finally(() => set.delete(work));
};

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(cannotListen(error, port, host));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });

const cannotListen = (error: NodeJS.ErrnoException, port: number, host: string): Failure => {
  const why =
    error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code ?? error.message})`;
  return fail(
    'invalid_argument',
    `Port ${port} on ${host} ${why}.`,
    { argument: 'http', hint: 'Choose another port, or 0 for any free port.' },
    error,
  );
};
