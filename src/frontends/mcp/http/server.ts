// The HTTP server: listens, answers, and shuts down.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fail, type Failure } from '../../../core/failure.ts';
import { settlesWithin } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { createGate } from './gate.ts';
import { answerRequest } from './router.ts';
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
  const { routes, endpoint } = createRoutes(
    engine,
    { stopping: stopping.signal, connections: () => connections.size },
    additions,
  );

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
  process.stderr.write(`openchrome listening on http://${inUrl(config.host)}:${port}/mcp\n`);

  const close = async (
    reason = fail('engine_stopped', 'The server is stopping.'),
  ): Promise<void> => {
    stopping.abort(reason);
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await settlesWithin(Promise.all(posts), GRACE_MS);
    await endpoint.close();
    server.closeIdleConnections();
    await settlesWithin(closed, GRACE_MS);
    server.closeAllConnections();
    await closed;
  };
  let closing: Promise<void> | undefined;
  return { port, close: (reason) => (closing ??= close(reason)) };
};

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
