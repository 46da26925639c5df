// A request of node:http as the web-standard one that the SDK reads, and the signal that its client
// is gone.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from '../../../core/failure.ts';

/** Aborts, with a failure as its reason, when the connection breaks before the answer is out. */
export const createClientGoneSignal = (response: ServerResponse): AbortSignal => {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(fail('cancelled', 'The client is gone.'));
  });
  return gone.signal;
};

/**
 * Without its body, which is read and parsed before: so it is JSON, whatever its type was called.
 */
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
 * A Request that nobody holds is collected, and its signal then stays silent: it has to live as
 * long as its response.
 */
const inUse = new WeakMap<ServerResponse, Request>();
