// Sends JSON over HTTP to the daemon; without a library, because every command loads this file.
import type { IncomingMessage } from 'node:http';
import { attempt } from '../../../core/attempt.ts';
import { defined, ifDefined } from '../../../core/defined.ts';
import { after } from '../../../core/time.ts';

/** The daemon's HTTP paths that are not MCP. */
export const HELLO_PATH = '/daemon/hello';
export const STATUS_PATH = '/daemon/status';
export const OVERVIEW_PATH = '/daemon/overview';
export const STOP_PATH = '/daemon/stop';
export const LEASE_PATH = '/daemon/lease';

/**
 * Not imported: an import reads all exports of the module, and Node 22 then loads its WebSocket,
 * which takes 50 ms.
 */
const { request: httpRequest } = process.getBuiltinModule('node:http');

export interface Address {
  readonly port: number;
  readonly token?: string;
}

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /**
   * Sends the body only after the server has confirmed within this time that it receives requests.
   * Otherwise the request fails with ConnectionLost and had no effect.
   */
  readonly confirmMs?: number | undefined;
  /** Called with every message of an event stream. */
  readonly onMessage?: (message: unknown) => void;
}

export interface WireAnswer {
  readonly status: number;
  /** The parsed body; undefined for a stream or if it is not JSON. */
  readonly body: unknown;
}

/** The connection failed. If `sent` is false, the request had no effect. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  constructor(
    readonly sent: boolean,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/**
 * Rejects with ConnectionLost or the signal's reason. The server cancels a call whose connection
 * breaks.
 */
export const sendRequest = (
  { port, token }: Address,
  { method, path, headers, body, signal, confirmMs, onMessage }: WireRequest,
): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const text = ifDefined(body, JSON.stringify);
    const given = defined({
      accept: onMessage ? 'application/json, text/event-stream' : 'application/json',
      authorization: ifDefined(token, (token) => `Bearer ${token}`),
      'content-type': text === undefined ? undefined : 'application/json',
      'content-length': ifDefined(text, (text) => Buffer.byteLength(text)),
      expect: confirmMs === undefined ? undefined : '100-continue',
      ...headers,
    });
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: given,
      agent: false,
    });
    let sent = false;
    const cancel = (): void => void request.destroy();
    const patience = ifDefined(confirmMs, (ms) => after(ms, cancel));
    const settle = (end: () => void): void => {
      patience?.[Symbol.dispose]();
      signal?.removeEventListener('abort', cancel);
      end();
    };
    const failed = (error: Error): void =>
      settle(() =>
        reject(signal?.aborted ? (signal.reason as Error) : new ConnectionLost(sent, error)),
      );
    signal?.addEventListener('abort', cancel, { once: true });
    request.on('error', failed);
    request.on('response', (response) => {
      patience?.[Symbol.dispose]();
      readAnswer(response, onMessage).then((answer) => settle(() => resolve(answer)), failed);
    });
    if (confirmMs === undefined) {
      request.on('socket', (socket) => socket.once('connect', () => (sent = true)));
      return void request.end(text);
    }
    request.once('continue', () => {
      patience?.[Symbol.dispose]();
      sent = true;
      request.end(text);
    });
    request.flushHeaders();
  });

const readAnswer = async (
  response: IncomingMessage,
  onMessage: WireRequest['onMessage'],
): Promise<WireAnswer> => {
  const { statusCode: status = 0 } = response;
  const streams = onMessage && response.headers['content-type']?.startsWith('text/event-stream');
  if (!streams) {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, body: parseJson(Buffer.concat(chunks).toString('utf8')) };
  }
  const read = eventReader(onMessage);
  response.setEncoding('utf8');
  for await (const chunk of response as AsyncIterable<string>) read(chunk);
  return { status, body: undefined };
};

/** An event ends with an empty line; only its data fields are used. */
const eventReader = (onMessage: (message: unknown) => void): ((chunk: string) => void) => {
  let rest = '';
  return (chunk) => {
    const events = (rest + chunk).split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
      const message = parseJson(data.map((line) => line.slice(5)).join('\n'));
      if (message !== undefined) onMessage(message);
    }
  };
};

const parseJson = (text: string): unknown => attempt(() => JSON.parse(text));
