// A connection pooler in transaction mode: pgbouncer, or a small one if it is not installed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort, findServerUser } from './postgres.ts';

export interface Pooler extends AsyncDisposable {
  /** The same database, through the pooler. */
  readonly url: string;
  readonly kind: 'pgbouncer' | 'simulated';
}

export const startPooler = (url: string): Promise<Pooler> =>
  findPgbouncer() === undefined ? simulatePooler(url) : startPgbouncer(url);

const findPgbouncer = (): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path));

const startPgbouncer = async (url: string): Promise<Pooler> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-pgbouncer-'));
  const { hostname, port: serverPort, username, password, pathname } = new URL(url);
  const port = await findFreePort();
  const user = findServerUser();
  const server = `host=${hostname} port=${serverPort} user=${username} password=${password}`;
  await writeFile(join(folder, 'users'), `"${username}" "${password}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `auth_type = plain\nauth_file = ${join(folder, 'users')}\npool_mode = transaction\n` +
      'unix_socket_dir =\nlogfile = /dev/null\n',
  );
  if (user.uid !== undefined && user.gid !== undefined) await chown(folder, user.uid, user.gid);
  const pooler = spawn(findPgbouncer() ?? '', [join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: 'ignore',
  });
  const exited = once(pooler, 'exit');
  const through = `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
  await waitUntilReady(through);
  return {
    url: through,
    kind: 'pgbouncer',
    [Symbol.asyncDispose]: async () => {
      pooler.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const waitUntilReady = async (url: string): Promise<void> => {
  for (let i = 0; ; i++) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (i === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => {});
    }
  }
};

/** Gives each transaction any free backend, as pgbouncer does. */
export const simulatePooler = async (url: string): Promise<Pooler> => {
  const free: Socket[] = [];
  const all: pg.Client[] = [];
  const clients = new Set<Socket>();
  const takeBackend = async (): Promise<Socket> => {
    const known = free.pop();
    if (known) return known;
    const client = new pg.Client(url);
    client.on('error', () => {});
    all.push(client);
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    return stream;
  };
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {});
    serveClient(client, takeBackend, (backend) => free.push(backend));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    kind: 'simulated',
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy();
      server.close();
      await Promise.all(all.map((client) => client.end().catch(() => {})));
    },
  };
};

const IDLE = 0x49; // "I": not in a transaction
const READY = 0x5a; // "Z"
const TERMINATE = 0x58; // "X"

const buildMessage = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** The answer to a login: accepted, with a process id that no backend has. */
const WELCOME = (): Buffer =>
  Buffer.concat([
    buildMessage('R', Buffer.alloc(4)),
    buildMessage('K', Buffer.concat([Buffer.from([0x7f]), randomBytes(7)])),
    buildMessage('Z', Buffer.from('I')),
  ]);

const serveClient = (
  client: Socket,
  takeBackend: () => Promise<Socket>,
  give: (backend: Socket) => void,
): void => {
  let backend: Promise<Socket> | undefined;
  const forward = (message: Buffer): void => {
    if (message[0] === TERMINATE) return void client.end();
    backend ??= takeBackend().then((socket) => {
      const answers = splitMessages((answer) => {
        client.write(answer);
        if (answer[0] !== READY || answer[5] !== IDLE) return;
        socket.off('data', answers);
        backend = undefined;
        give(socket);
      });
      socket.on('data', answers);
      return socket;
    });
    void backend.then((socket) => socket.write(message));
  };
  const messages = splitMessages(forward);
  client.once('data', () => {
    client.write(WELCOME());
    client.on('data', messages);
  });
};

/** Calls `onMessage` for every complete message: a type, a length, and a body. */
export const splitMessages = (onMessage: (message: Buffer) => void): ((data: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 5) {
      const end = rest.readInt32BE(1) + 1;
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      onMessage(message);
    }
  };
};
