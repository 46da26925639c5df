// CDP over the WebSocket of a Chrome that already runs.
import { WebSocket } from 'ws';
import { fail } from '../../core/failure.ts';
import type { Transport } from './connection.ts';

const MAX_MESSAGE_BYTES = 512 * 1024 * 1024;

/** `headers`: sent with the request that opens the socket. */
export const connectSocket = (
  url: string,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Transport> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      headers: { ...headers },
    });
    const stop = (): void => {
      socket.terminate();
      reject(signal?.reason as Error);
    };
    if (signal?.aborted) return stop();
    signal?.addEventListener('abort', stop, { once: true });
    const transport: Transport = {
      send: (message) => socket.send(message),
      close: () => socket.close(),
    };
    socket.once('open', () => {
      signal?.removeEventListener('abort', stop);
      resolve(transport);
    });
    socket.on('message', (data: Buffer) => transport.onMessage?.(data.toString('utf8')));
    socket.on('close', () => transport.onClose?.('the connection to Chrome was closed'));
    socket.on('error', (error) => {
      signal?.removeEventListener('abort', stop);
      reject(
        fail(
          'attach_failed',
          `Chrome at ${new URL(url).host} did not respond: ${error.message}`,
          {},
          error,
        ),
      );
    });
  });
