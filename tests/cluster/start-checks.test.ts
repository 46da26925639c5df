// Databases that cannot be used for a cluster are rejected at the start, with a clear message.
import { execFile } from 'node:child_process';
import { appendFile, chown, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Failure } from '../../src/core/failure.ts';
import { openCluster } from '../../src/store/cluster/open-cluster.ts';
import { startOldServer } from './database-proxy.ts';
import { Fleet } from './fleet.ts';
import {
  findServerUser,
  runSql,
  startOwnPostgres,
  startPostgres,
  type TestPostgres,
} from './postgres.ts';
import { openStore, testLog } from './stores.ts';
import { simulatePooler, startPooler } from './transaction-pooler.ts';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres[Symbol.asyncDispose]());

/** The failure of the start, after a check that it contains no secret. */
const rejection = async (url: string): Promise<Failure> => {
  const error: unknown = await openCluster({ url, log: testLog }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Failure)) throw new Error(`expected a failure, got ${String(error)}`);
  const text = JSON.stringify(error);
  const { password } = new URL(url);
  if (password !== '') expect(text).not.toContain(password);
  expect(text).not.toContain(url);
  return error;
};

describe('the start of a cluster', () => {
  it('rejects tables of a newer version', async () => {
    const url = await postgres.createDatabase();
    await (await openStore(url, { join: false }))[Symbol.asyncDispose]();
    await runSql(url, 'update openchrome.schema_version set version = 99');
    expect(await rejection(url)).toMatchObject({
      code: 'cluster_unusable',
      message: "The cluster's tables have version 99; this OpenChrome knows 1.",
      details: { hint: expect.stringContaining('Update OpenChrome') },
    });
  });

  it('rejects a server that is too old', async () => {
    await using old = await startOldServer(await postgres.createDatabase());
    expect(await rejection(old.url)).toMatchObject({
      code: 'cluster_unusable',
      message: 'PostgreSQL 12.22 is too old for a cluster.',
      details: { hint: 'Use PostgreSQL 13 or newer.' },
    });
  });

  it('ends a worker process with the reason', async () => {
    const url = await postgres.createDatabase();
    await (await openStore(url, { join: false }))[Symbol.asyncDispose]();
    await runSql(url, 'update openchrome.schema_version set version = 99');
    await using fleet = new Fleet(url);
    await expect(fleet.startWorker()).rejects.toThrow("The cluster's tables have version 99");
  });

  it('creates the tables once if several processes start at the same time', async () => {
    const url = await postgres.createDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(url)));
    expect(await stores[0]?.members.list()).toHaveLength(5);
    await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    expect(await runSql(url, 'select version from openchrome.schema_version')).toEqual([
      { version: 1 },
    ]);
  });

  it('rejects a user without the rights, and names the statement that grants them', async () => {
    const url = new URL(await postgres.createDatabase());
    const admin = postgres.asSuperuser(url.href);
    const user = `guest_${url.pathname.slice(1)}`;
    await runSql(admin, `create role ${user} login password 'guest-secret-7'`);
    onTestFinished(async () => {
      await runSql(admin, `drop owned by ${user} cascade; drop role ${user}`);
    });
    [url.username, url.password] = [user, 'guest-secret-7'];
    expect(await rejection(url.href)).toMatchObject({
      code: 'cluster_unusable',
      message: `The database user "${user}" lacks the rights for the cluster's tables.`,
      details: { hint: expect.stringContaining(`grant create on database`) },
    });
    await runSql(admin, `grant create on database ${url.pathname.slice(1)} to ${user}`);
    await (await openStore(url.href))[Symbol.asyncDispose]();
  });

  it('rejects a wrong password, an unknown database and a server that is not there', async () => {
    const url = new URL(await postgres.createDatabase());
    const change = (part: 'password' | 'pathname' | 'port', value: string): string => {
      const changed = new URL(url);
      changed[part] = value;
      return changed.href;
    };
    const rejected = [
      await rejection(change('password', 'wrong-secret-1')),
      await rejection(change('pathname', '/nowhere')),
      await rejection(change('port', '1')),
      await rejection('mysql://user:some-secret@a.test/b'),
    ];
    expect(rejected.map(({ message }) => message)).toEqual([
      "No connection to the cluster's database: the password is wrong.",
      "No connection to the cluster's database: the database does not exist.",
      "No connection to the cluster's database: the connection was refused.",
      "The URL of the cluster's database is invalid: it does not start with postgres://.",
    ]);
  });

  it.each([
    ['installed or simulated', startPooler],
    ['simulated', simulatePooler],
  ])('rejects a transaction pooler (%s)', async (_name, startIt) => {
    const url = await postgres.createDatabase();
    await using pooler = await startIt(url);
    expect(await rejection(pooler.url)).toMatchObject({
      code: 'cluster_unusable',
      message: 'The URL leads to a connection pooler that shares sessions (transaction mode).',
    });
  });
});

const run = promisify(execFile);

describe('TLS', () => {
  it('accepts the right certificate only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openchrome-tls-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const createCertificate = async (name: string): Promise<string> => {
      const file = join(folder, name);
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names];
      await run('openssl', ['req', ...kind, '-keyout', `${file}.key`, '-out', `${file}.crt`]);
      return `${file}.crt`;
    };
    const [own, other] = [await createCertificate('own'), await createCertificate('other')];
    await using server = await startOwnPostgres();
    const { uid, gid } = findServerUser();
    for (const kind of ['crt', 'key']) {
      const target = join(server.folder, 'data', `server.${kind}`);
      await copyFile(join(folder, `own.${kind}`), target);
      if (uid !== undefined && gid !== undefined) await chown(target, uid, gid);
    }
    await appendFile(join(server.folder, 'data', 'postgresql.conf'), 'ssl = on\n');
    await server.kill();
    await server.start();
    const url = new URL(await server.createDatabase());
    const connect = (host: string, options: string): string =>
      `postgres://${url.username}:${url.password}@${host}:${url.port}${url.pathname}?${options}`;
    const unknown = 'its certificate was rejected: it is signed by itself';
    expect((await rejection(connect('localhost', 'sslmode=require'))).message).toContain(unknown);
    const wrong = `sslmode=verify-full&sslrootcert=${encodeURIComponent(other)}`;
    expect((await rejection(connect('localhost', wrong))).message).toContain(unknown);
    const right = `sslmode=verify-full&sslrootcert=${encodeURIComponent(own)}`;
    expect((await rejection(connect('127.0.0.1', right))).message).toContain(
      'it is not valid for this machine',
    );
    await using store = await openStore(connect('localhost', right));
    expect(await store.members.list()).toHaveLength(1);
  }, 120_000);
});
