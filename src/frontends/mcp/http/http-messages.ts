// Converts a node:http request to a web-standard one, and sends responses: JSON, text or a stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, type Failure } from '../../../core/failure.ts';
import { buildFailureResponse } from '../protocol.ts';

/** Aborts if the connection closes before the response is sent; its reason is a failure. */
export const createClientGoneSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(fail('cancelled', 'The client disconnected.'));
  });
  return gone.signal;
};

/** Without the body, which is parsed before; it is JSON whatever its content type was. */
export const toWebRequest = (request: IncomingMessage, response: ServerResponse): Request => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of [value ?? []].flat()) headers.append(name, item);
  }
  headers.set('content-type', 'application/json');
  const made = new Request('http://localhost/mcp', {
    method: request.method ?? 'POST',
    headers,
    signal: createClientGoneSignal(response),
  });
  inUse.set(response, made);
  return made;
};

/**
 * A garbage-collected Request never aborts its signal, so the Request is kept as long as its
 * response.
 */
const inUse = new WeakMap<ServerResponse, Request>();

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
};

export const sendText = (response: ServerResponse, type: string, text: string): void => {
  response.writeHead(200, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
};

export const sendEmpty = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-length': 0 });
  response.end();
};

/**
 * Sends a JSON-RPC error with our structured failure as its data, so that any client can read it.
 */
export const sendFailure = (response: ServerResponse, failure: Failure, rpcCode?: number): void =>
  sendJson(response, failure.kind.http, buildFailureResponse(failure, rpcCode));

/** Streams a response at the speed of the client; ends if the client disconnects. */
export const sendWebResponse = async (response: ServerResponse, made: Response): Promise<void> => {
  response.writeHead(made.status, Object.fromEntries(made.headers));
  response.flushHeaders();
  const reader = made.body?.getReader();
  if (!reader) return void response.end();
  const cancel = (): void => void reader.cancel().catch(() => {});
  response.once('close', cancel);
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (!response.write(part.value)) await drained(response);
  }
  response.off('close', cancel);
  response.end();
};

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
