// The live feed of the dashboard as a program reads it.
import { afterAll, beforeAll } from 'vitest';
import { WebSocket } from 'ws';
import {
  type DashboardServer,
  makeHome,
  startDashboard,
  takeAccess,
  type ViewerHeaders,
} from './dashboard-server.ts';

export interface WatchedServer {
  readonly server: DashboardServer;
  readonly access: ViewerHeaders;
  /** Opens the live feed as a viewer with access. */
  openSocket(): Promise<WebSocket>;
}

/** A server for all tests of a file, and the access of a viewer. */
export const useWatchedServer = (): WatchedServer => {
  let server: DashboardServer;
  let access: ViewerHeaders;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const onEnd = (end: () => Promise<void>): void => void ends.unshift(end);
    server = await startDashboard({ home: await makeHome(onEnd), onEnd });
    access = await takeAccess(server.url);
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return {
    get server() {
      return server;
    },
    get access() {
      return access;
    },
    openSocket: async () => {
      const opened = await openLive(server.origin, { ...access, origin: server.origin });
      if (!(opened instanceof WebSocket)) throw new Error(`refused with ${opened}`);
      return opened;
    },
  };
};

export interface LivePicture {
  readonly header: { tabId: string; n: number; secrets: readonly object[]; width: number };
  readonly jpeg: Buffer;
}

export const readPicture = (data: Buffer): LivePicture => {
  const end = 4 + data.readUInt32LE(0);
  return {
    header: JSON.parse(data.toString('utf8', 4, end)) as LivePicture['header'],
    jpeg: data.subarray(end),
  };
};

/** Opens the live feed; the status of the answer if it is refused. */
export const openLive = (
  origin: string,
  headers: Record<string, string>,
): Promise<WebSocket | number | undefined> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/dashboard/live`, { headers });
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    socket.on('error', () => {}); // the answer was not an upgrade
  });

export const closeSocket = (socket: WebSocket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.close();
  });

/**
 * The last picture that a socket has received and not acknowledged. The server sends the next one
 * only after that, so no picture arrives while nothing waits for it.
 */
const unanswered = new WeakMap<WebSocket, () => void>();

/** Watches a tab and acknowledges its pictures, until it has this many. */
export const takePictures = (
  socket: WebSocket,
  { tabId, count, width = 1_280 }: { tabId: string; count: number; width?: number },
): Promise<readonly LivePicture[]> =>
  new Promise((resolve, reject) => {
    const late = AbortSignal.timeout(20_000);
    const taken: LivePicture[] = [];
    late.addEventListener('abort', () => reject(new Error(`${taken.length} of ${count} pictures`)));
    const listen = (data: Buffer, isBinary: boolean): void => {
      if (!isBinary) return;
      const picture = readPicture(data);
      const acknowledge = (): void =>
        socket.send(JSON.stringify({ type: 'ack', tabId, n: picture.header.n }));
      taken.push(picture);
      if (taken.length < count) return acknowledge();
      unanswered.set(socket, acknowledge);
      socket.off('message', listen);
      resolve(taken);
    };
    socket.on('message', listen);
    socket.send(JSON.stringify({ type: 'watch', tabs: [tabId], width }));
    unanswered.get(socket)?.();
    unanswered.delete(socket);
  });
