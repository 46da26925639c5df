// The HTTP server: guards at the door, three routes behind it, and an orderly end.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fail, toFailure, type Failure } from '../../../core/failure.ts';
import { settledWithin } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import { createMethods } from '../methods.ts';
import { SERVER_INFO } from '../server-info.ts';
import { follow } from '../signals.ts';
import { createEndpoint } from './endpoint.ts';
import { createGate, type Gate } from './gate.ts';
import { createMetrics } from './metrics.ts';
import { sendEmpty, sendFailure, sendJson, sendText } from './reply.ts';

export interface HttpServer {
  readonly port: number;
  /** Aborts running calls, lets their answers out, and closes every connection. The engine is left as it is. */
  close(): Promise<void>;
}

/** A client that sends its request drop by drop is cut off: headers within 10 s, the whole request within 60 s. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
  keepAliveTimeout: 30_000,
};
const MAX_HEADERS = 100;

/** How long an ending server waits for answers to go out, and then for connections to close. */
const GRACE_MS = 1_000;

export const serveHttp = async (engine: Engine): Promise<HttpServer> => {
  const { config, log, tools, resources } = engine;
  const gate = createGate(config);
  const stopping = new AbortController();
  const metrics = createMetrics(tools);
  const call = metrics.counted(untilStopped((request) => engine.call(request), stopping.signal));
  const endpoint = createEndpoint({
    methods: createMethods({ config, log, tools, resources, call }),
    log,
    maxRequestBytes: config.maxRequestBytes,
  });
  const connections = new Set<unknown>();
  const gauges = (): Record<string, number> => ({
    openchrome_http_connections: connections.size,
    openchrome_http_sessions: endpoint.sessions(),
  });

  const routes: Routes = {
    '/mcp': { handle: (request, response) => endpoint.handle(request, response) },
    '/health': { open: true, handle: readOnly((response) => sendJson(response, 200, health())) },
    '/metrics': {
      handle: readOnly((response) => sendText(response, 'text/plain; version=0.0.4; charset=utf-8', metrics.render(gauges()))),
    },
  };

  const posts = new Set<Promise<void>>();
  const server = createServer(LIMITS, (request, response) => {
    const handled = handle(routes, gate, request, response, (error) => log.defect(error));
    if (request.method !== 'POST') return;
    posts.add(handled);
    void handled.finally(() => posts.delete(handled));
  });
  server.maxHeadersCount = MAX_HEADERS;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });

  const port = await listen(server, config.http ?? 0, config.host);
  process.stderr.write(`openchrome listening on http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}/mcp\n`);

  const close = async (): Promise<void> => {
    stopping.abort(fail('engine_stopped', 'The server is stopping.'));
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    await settledWithin(Promise.all(posts), GRACE_MS);
    await endpoint.close();
    server.closeIdleConnections();
    await settledWithin(closed, GRACE_MS);
    server.closeAllConnections();
    await closed;
  };
  let closing: Promise<void> | undefined;
  return { port, close: () => (closing ??= close()) };
};

interface Route {
  /** Answered without a token. */
  readonly open?: boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
}

type Routes = Readonly<Record<string, Route>>;

/** Never rejects: what goes wrong is answered as a failure, and the server goes on. */
const handle = async (
  routes: Routes,
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
  report: (error: unknown) => string,
): Promise<void> => {
  try {
    await admit(routes, gate, request, response);
  } catch (error) {
    request.resume(); // the rest of a refused body is read past, so that its sender gets to see the answer
    if (response.headersSent) return void response.destroy();
    refuse(response, toFailure(error, report));
  }
};

const admit = async (routes: Routes, gate: Gate, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const visitor = { headers: request.headers, localAddress: request.socket.localAddress };
  gate.checkSource(visitor);
  const origin = gate.trustedOrigin(request.headers);
  if (origin !== undefined) welcome(response, origin);
  // A browser asks before it calls, and cannot send the token when it asks.
  if (origin !== undefined && request.method === 'OPTIONS') return sendEmpty(response, 204);
  const route = routeOf(routes, request.url ?? '');
  if (!route.open) gate.checkToken(visitor);
  await route.handle(request, response);
};

const routeOf = (routes: Routes, url: string): Route => {
  const [path = ''] = url.split('?');
  const name = path.length > 1 ? path.replace(/\/$/, '') : path;
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (!route) throw fail('not_found', 'There is nothing at this path.');
  return route;
};

/** What lets the pages of a trusted origin read our answers. */
const welcome = (response: ServerResponse, origin: string): void => {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
  response.setHeader(
    'access-control-allow-headers',
    'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
  );
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
  response.setHeader('vary', 'origin');
};

const refuse = (response: ServerResponse, failure: Failure): void => {
  if (failure.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
  sendFailure(response, failure);
};

const readOnly =
  (send: (response: ServerResponse) => void): Route['handle'] =>
  (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') return send(response);
    response.setHeader('allow', 'GET, HEAD');
    throw fail('method_not_allowed', `${request.method} is not understood here.`);
  };

const health = (): object => ({ status: 'ok', ...SERVER_INFO, uptime_seconds: Math.round(process.uptime()) });

/** Calls end when the server does, whichever way they came in. */
const untilStopped =
  (call: Engine['call'], stopping: AbortSignal): Engine['call'] =>
  async (request) => {
    const either = follow([request.signal, stopping], (source) => source.reason as Failure);
    try {
      return await call({ ...request, signal: either.signal });
    } finally {
      either[Symbol.dispose]();
    }
  };

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, port, host)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });

const cannotListen = (error: NodeJS.ErrnoException, port: number, host: string): Failure => {
  const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code ?? error.message})`;
  return fail(
    'invalid_argument',
    `Port ${port} on ${host} ${why}.`,
    { argument: 'http', hint: 'Choose another port, or 0 for any free one.' },
    error,
  );
};
