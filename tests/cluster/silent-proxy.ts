// A proxy in front of PostgreSQL that drops all notifications.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { splitMessages } from './transaction-pooler.ts';

export interface SilentProxy extends AsyncDisposable {
  /** The same database, without notifications. */
  readonly url: string;
  readonly dropped: () => number;
}

const NOTIFICATION = 0x41; // "A"

export const startSilentProxy = async (url: string): Promise<SilentProxy> => {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let dropped = 0;
  const server = createServer((client) => {
    const backend = connect(Number(port), hostname);
    for (const socket of [client, backend]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        backend.destroy();
      });
    }
    client.pipe(backend);
    const answers = splitMessages((message) => {
      if (message[0] === NOTIFICATION) dropped++;
      else client.write(message);
    });
    backend.on('data', answers);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    dropped: () => dropped,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
