// What the doctor reports about the database of a cluster.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { runDoctor } from '../../src/features/doctor/index.ts';
import { examineCluster, type ClusterFinding } from '../../src/store/cluster/examine-cluster.ts';
import { makeHome } from '../launch/support.ts';
import { startOldServer, startSilentProxy } from './database-proxy.ts';
import { type OwnPostgres, runSql, startOwnPostgres } from './postgres.ts';
import { openStore, testLog } from './stores.ts';
import { startPooler } from './transaction-pooler.ts';

let postgres: OwnPostgres;

beforeAll(async () => {
  postgres = await startOwnPostgres({ settings: ['max_connections = 20'] });
});

afterAll(() => postgres[Symbol.asyncDispose]());

const examine = async (url: string): Promise<Record<string, ClusterFinding>> => {
  const findings = await examineCluster(url, testLog);
  expect(JSON.stringify(findings)).not.toContain(new URL(url).password);
  return Object.fromEntries(findings.map((finding) => [finding.id, finding]));
};

describe('doctor --cluster', () => {
  it('finds a usable server well, before and after the tables exist', async () => {
    const url = await postgres.createDatabase();
    const findings = await examine(url);
    expect(Object.values(findings).map(({ id, status }) => `${id}: ${status}`)).toEqual([
      'cluster: ok',
      'cluster-tables: ok',
      'cluster-listen: ok',
      'cluster-durability: ok',
      'cluster-connections: ok',
      'cluster-clock: ok',
    ]);
    expect(findings['cluster']?.message).toMatch(/^PostgreSQL \d+\.\d+ can be used$/);
    await (await openStore(url))[Symbol.asyncDispose]();
    expect((await examine(url))['cluster-tables']?.message).toBe('the tables have version 1');
  });

  it('is part of the doctor, and keeps the URL secret', async () => {
    const url = await postgres.createDatabase();
    const findings = await runDoctor({
      config: resolveConfig({ flags: ['--headless'], env: { OPENCHROME_CLUSTER: url } }),
      home: makeHome(),
      log: testLog,
      signal: new AbortController().signal,
    });
    expect(findings.at(-1)).toMatchObject({ id: 'cluster-clock', status: 'ok' });
    expect(JSON.stringify(findings)).not.toContain(new URL(url).password);
  });

  it('warns about data that a crash loses, and about missing connections, each with a fix', async () => {
    const url = await postgres.createDatabase();
    const admin = postgres.asSuperuser(url);
    await runSql(admin, 'alter role owner set synchronous_commit = off');
    const others = Array.from({ length: 12 }, () => new pg.Client(admin));
    await Promise.all(others.map((client) => client.connect()));
    const findings = await examine(url);
    await Promise.all(others.map((client) => client.end()));
    await runSql(admin, 'alter role owner reset synchronous_commit');
    expect(findings['cluster-durability']).toMatchObject({
      status: 'warn',
      message: 'synchronous_commit is off: a crash of the server loses or damages data.',
      fix: expect.stringContaining('alter system set synchronous_commit = on'),
    });
    expect(findings['cluster-connections']).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(
        /^Only \d+ connections are free; each process needs up to 4\.$/,
      ),
      fix: expect.stringContaining('alter system set max_connections'),
    });
  });

  it('reports a transaction pooler and a server that is not there as failures', async () => {
    const url = await postgres.createDatabase();
    await using pooler = await startPooler(url);
    expect((await examine(pooler.url))['cluster']).toMatchObject({
      status: 'fail',
      fix: 'Use the URL of PostgreSQL itself, or a pooler in session mode.',
    });
    const gone = new URL(url);
    gone.port = '1';
    expect((await examine(gone.href))['cluster']).toMatchObject({
      status: 'fail',
      message: "No connection to the cluster's database: the connection was refused.",
      fix: expect.stringContaining('Check that PostgreSQL runs'),
    });
  });

  it('reports an old server and missing rights as failures', async () => {
    const url = new URL(await postgres.createDatabase());
    await using old = await startOldServer(url.href);
    expect((await examine(old.url))['cluster']).toMatchObject({
      status: 'fail',
      message: 'PostgreSQL 12.22 is too old for a cluster.',
      fix: 'Use PostgreSQL 13 or newer.',
    });
    await runSql(postgres.asSuperuser(url.href), "create role guest login password 'guest-9'");
    [url.username, url.password] = ['guest', 'guest-9'];
    expect((await examine(url.href))['cluster']).toMatchObject({
      status: 'fail',
      message: 'The database user "guest" lacks the rights for the cluster\'s tables.',
      fix: expect.stringContaining('grant create on database'),
    });
  });

  it('warns about other tables, missing notifications and a wrong clock, each with a fix', async () => {
    const url = await postgres.createDatabase();
    await (await openStore(url, { join: false }))[Symbol.asyncDispose]();
    await runSql(url, 'update openchrome.schema_version set version = 99');
    await using silent = await startSilentProxy(url);
    const now = Date.now.bind(Date);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    onTestFinished(() => clock.mockRestore());
    const findings = await examine(silent.url);
    const found = ['tables', 'listen', 'clock'].map((id) => findings[`cluster-${id}`]);
    expect(found).toMatchObject([
      { status: 'warn', message: expect.stringContaining('The tables have version 99') },
      { status: 'warn', message: expect.stringContaining('Notifications do not arrive') },
      { status: 'warn', message: expect.stringMatching(/^The clock of .* differs by \d{7} ms/) },
    ]);
    expect(found.every((finding) => (finding?.fix ?? '') !== '')).toBe(true);
  });
});
