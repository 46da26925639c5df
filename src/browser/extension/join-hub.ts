// Joins the hub of another server of the user, which has the link to the extension.
import { type RawData, WebSocket } from 'ws';
import type { Transport } from '../cdp/connection.ts';
import { type Pairing, proveAsCaller, ProofRejected, SHARE_PATH } from './link-proof.ts';
import { MAX_MESSAGE_BYTES, readMessage } from './link-server.ts';

/**
 * Waits until the hub has a link to the extension; undefined if no hub listens, or if it ends.
 * Rejects with `ProofRejected` if another program listens on the port.
 */
export const joinHub = async (
  { port, key }: Pairing,
  member: string,
  signal: AbortSignal,
): Promise<Transport | undefined> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${SHARE_PATH}`, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  const stop = (): void => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (!(await isOpened(socket))) return undefined;
    const channel = {
      send: (text: string) => socket.send(text),
      read: () => readMessage(socket, signal),
    };
    await proveAsCaller(channel, { purpose: 'share', port, key, member });
    return createTransport(socket);
  } catch (error) {
    socket.terminate();
    signal.throwIfAborted();
    if (error instanceof ProofRejected) throw error;
    return undefined; // the hub ended before the link was up
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** False if the connection is refused. Rejects if the program does not accept a WebSocket. */
const isOpened = (socket: WebSocket): Promise<boolean> =>
  new Promise((resolve, reject) => {
    socket.once('open', () => resolve(true));
    socket.once('unexpected-response', () => reject(new ProofRejected()));
    socket.on('error', () => resolve(false));
  });

const createTransport = (socket: WebSocket): Transport => {
  const transport: Transport = {
    send: (message) => socket.send(message),
    close: () => socket.close(),
  };
  socket.on('message', (data: RawData) => transport.onMessage?.((data as Buffer).toString('utf8')));
  socket.on('close', () => transport.onClose?.('the server with the link to the extension ended'));
  return transport;
};
