// Checks a request, calls its route, and turns errors into responses.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, type Failure, toFailure } from '../../../core/failure.ts';
import { getOwn } from '../../../core/json.ts';
import type { Gate } from './gate.ts';
import { sendEmpty, sendFailure } from './http-messages.ts';

export interface Route {
  /** The route needs no token. */
  readonly open?: boolean;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
}

export type Routes = Readonly<Record<string, Route>>;

/** Never rejects: errors become failure responses. */
export const answerRequest = async (
  routes: Routes,
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
  report: (error: unknown) => string,
): Promise<void> => {
  try {
    await admit(routes, gate, request, response);
  } catch (error) {
    // the rest of a rejected body is read, so that the client receives the response
    request.resume();
    if (response.headersSent) return void response.destroy();
    refuse(response, toFailure(error, report));
  }
};

const admit = async (
  routes: Routes,
  gate: Gate,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const visitor = { headers: request.headers, localAddress: request.socket.localAddress };
  gate.checkSource(visitor);
  const origin = gate.trustedOrigin(request.headers);
  if (origin !== undefined) welcome(response, origin);
  // A CORS preflight request cannot carry the token.
  if (origin !== undefined && request.method === 'OPTIONS') return sendEmpty(response, 204);
  const route = findRoute(routes, request.url ?? '');
  if (!route.open) gate.checkToken(visitor);
  await route.handle(request, response);
};

const findRoute = (routes: Routes, url: string): Route => {
  const [path = ''] = url.split('?');
  const name = path.length > 1 ? path.replace(/\/$/, '') : path;
  const route = getOwn(routes, name);
  if (!route) throw fail('not_found', 'This path does not exist.');
  return route;
};

/** The CORS headers that let pages of a trusted origin read our responses. */
const welcome = (response: ServerResponse, origin: string): void => {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
  response.setHeader(
    'access-control-allow-headers',
    'authorization, content-type, accept, last-event-id, mcp-session-id, ' +
      'mcp-protocol-version, mcp-method, mcp-name',
  );
  response.setHeader('access-control-expose-headers', 'mcp-session-id');
  response.setHeader('vary', 'origin');
};

const refuse = (response: ServerResponse, failure: Failure): void => {
  if (failure.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
  sendFailure(response, failure);
};

export const readOnly =
  (send: (response: ServerResponse) => void | Promise<void>): Route['handle'] =>
  (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') return send(response);
    response.setHeader('allow', 'GET, HEAD');
    throw fail('method_not_allowed', `${request.method} is not supported here.`);
  };
