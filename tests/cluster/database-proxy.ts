// A proxy in front of PostgreSQL that changes or drops answers, or stops forwarding.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { splitMessages } from './transaction-pooler.ts';

export interface DatabaseProxy extends AsyncDisposable {
  /** The same database, through the proxy. */
  readonly url: string;
  /** Stops forwarding on all connections, which stay open: the network is lost. */
  cut(): void;
  /** Forwards again, also the data that was sent in the meantime. */
  restore(): void;
  /**
   * The connections so far stay open, but nothing is forwarded on them any more; new ones work. As
   * if another machine had taken over the address of the server.
   */
  abandon(): void;
}

interface SilentProxy extends DatabaseProxy {
  readonly dropped: () => number;
}

/** Returns the message to forward; undefined drops it. */
type ChangeAnswer = (message: Buffer) => Buffer | undefined;

const NOTIFICATION = 0x41; // "A"

export const startDatabaseProxy = async (
  url: string,
  change: ChangeAnswer = (message) => message,
): Promise<DatabaseProxy> => {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const abandoned = new Set<Socket>();
  let isCut = false;
  const join = (from: Socket, to: Socket, forward: (data: Buffer) => void): void => {
    sockets.add(from);
    from.on('data', forward);
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isCut) from.pause();
  };
  const server = createServer((client) => {
    const backend = connect(Number(port), hostname);
    join(client, backend, (data) => backend.write(data));
    const answers = splitMessages((message) => {
      const changed = change(message);
      if (changed) client.write(changed);
    });
    join(backend, client, answers);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore: () => {
      isCut = false;
      for (const socket of sockets) if (!abandoned.has(socket)) socket.resume();
    },
    abandon: () => {
      for (const socket of sockets) {
        abandoned.add(socket);
        socket.pause();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

/** Drops all notifications. */
export const startSilentProxy = async (url: string): Promise<SilentProxy> => {
  let dropped = 0;
  const proxy = await startDatabaseProxy(url, (message) => {
    if (message[0] !== NOTIFICATION) return message;
    dropped++;
    return undefined;
  });
  return { ...proxy, dropped: () => dropped };
};

const ROW = 0x44; // "D"

/** Answers as a server of version 12 to the question about its version. */
export const startOldServer = (url: string): Promise<DatabaseProxy> =>
  startDatabaseProxy(url, (message) => {
    if (message[0] !== ROW) return message;
    return Buffer.from(message.toString('latin1').replace(/\b1[3-9]\d{4}\b/, '120022'), 'latin1');
  });
