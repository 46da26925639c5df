// Converts a node:http request to a web-standard one, with a signal for a disconnected client.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../../core/failure.ts';

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
