// Examines the database of a cluster for the doctor; each finding that is not ok has a fix.
import { hostname } from 'node:os';
import type pg from 'pg';
import { Failure } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { Deadline, monotonicMs } from '../../core/time.ts';
import { checkServer, formatServerVersion, readServerFacts } from './check-server.ts';
import { Database, type Queries } from './database.ts';
import { findSchemaVersion, isCurrentSchema } from './schema.ts';

export interface ClusterFinding {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly fix?: string;
}

type Answer = Omit<ClusterFinding, 'id'>;

interface ClusterCheck {
  readonly id: string;
  readonly run: (database: Database) => Promise<Answer>;
}

/** A process needs four connections. */
const CONNECTIONS = 4;
const NOTICE_MS = 5_000;
/** Clocks are never compared by the cluster itself; times in listings would differ. */
const CLOCK_MS = 5_000;

const readSetting = async (queries: Queries, name: string): Promise<string> => {
  const [row] = await queries.query<{ value: string }>('select current_setting($1) as value', [
    name,
  ]);
  return row?.value ?? '';
};

const connectionCheck: ClusterCheck = {
  id: 'cluster',
  run: async (database) => {
    await checkServer(database);
    const { version } = await readServerFacts(database);
    return { status: 'ok', message: `PostgreSQL ${formatServerVersion(version)} can be used` };
  },
};

const tablesCheck: ClusterCheck = {
  id: 'cluster-tables',
  run: async (database) => {
    const version = await findSchemaVersion(database);
    if (version === undefined)
      return { status: 'ok', message: 'the first process creates the tables' };
    if (isCurrentSchema(version))
      return { status: 'ok', message: `the tables have version ${version}` };
    return {
      status: 'warn',
      message: `The tables have version ${version}, which is not the one of this OpenChrome.`,
      fix: 'Update OpenChrome on all machines to the same version.',
    };
  },
};

const listenCheck: ClusterCheck = {
  id: 'cluster-listen',
  run: async (database) => {
    const client = database.createClient();
    try {
      await client.connect();
      const sentAt = monotonicMs();
      await receiveNotice(client, database);
      const tookMs = Math.round(monotonicMs() - sentAt);
      return { status: 'ok', message: `notifications arrive after ${tookMs} ms` };
    } catch {
      return {
        status: 'warn',
        message: 'Notifications do not arrive: changes are found once a second.',
        fix: 'Use the URL of PostgreSQL itself, not of a pooler or a proxy.',
      };
    } finally {
      await client.end().catch(() => {}); // the connection failed
    }
  },
};

const receiveNotice = async (client: pg.Client, database: Database): Promise<void> => {
  using limit = new Deadline(NOTICE_MS);
  const received = new Promise<void>((resolve, reject) => {
    client.on('notification', () => resolve());
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error));
  });
  await client.query('listen openchrome_doctor');
  await database.query("select pg_notify('openchrome_doctor', '')");
  await received;
};

const durabilityCheck: ClusterCheck = {
  id: 'cluster-durability',
  run: async (database) => {
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
      if ((await readSetting(database, name)) === 'off')
        return {
          status: 'warn',
          message: `${name} is off: a crash of the server loses or damages data.`,
          fix: `alter system set ${name} = on; select pg_reload_conf()`,
        };
    return { status: 'ok', message: 'acknowledged data survives a crash (fsync is on)' };
  },
};

interface ConnectionCounts {
  readonly used: number;
  readonly allowed: number;
}

const freeConnectionsCheck: ClusterCheck = {
  id: 'cluster-connections',
  run: async (database) => {
    const [row] = await database.query<{ [K in keyof ConnectionCounts]: number }>(
      `select (select sum(numbackends)::int from pg_stat_database) as used,
       current_setting('max_connections')::int
         - current_setting('superuser_reserved_connections')::int as allowed`,
    );
    const free = (row?.allowed ?? 0) - (row?.used ?? 0);
    if (free >= CONNECTIONS * 2)
      return {
        status: 'ok',
        message: `${free} connections are free, for ${Math.floor(free / CONNECTIONS)} processes`,
      };
    return {
      status: 'warn',
      message: `Only ${free} connections are free; each process needs up to ${CONNECTIONS}.`,
      fix: 'alter system set max_connections = 200 (and restart PostgreSQL)',
    };
  },
};

const clockCheck: ClusterCheck = {
  id: 'cluster-clock',
  run: async (database) => {
    const sentAt = Date.now();
    const [row] = await database.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    const now = (sentAt + Date.now()) / 2;
    const aheadMs = Math.round((row?.ms ?? now) - now);
    if (Math.abs(aheadMs) < CLOCK_MS)
      return { status: 'ok', message: `the clocks differ by ${Math.abs(aheadMs)} ms` };
    return {
      status: 'warn',
      message: `The clock of ${hostname()} differs by ${Math.abs(aheadMs)} ms from the server's.`,
      fix: 'timedatectl set-ntp true (on both machines)',
    };
  },
};

/** The first check connects: if it fails, the others cannot run. */
const CHECKS: readonly ClusterCheck[] = [
  connectionCheck,
  tablesCheck,
  listenCheck,
  durabilityCheck,
  freeConnectionsCheck,
  clockCheck,
];

export const examineCluster = async (url: string, log: Log): Promise<ClusterFinding[]> => {
  const findings: ClusterFinding[] = [];
  try {
    await using database = new Database(url, log);
    for (const { id, run } of CHECKS) findings.push({ id, ...(await run(database)) });
  } catch (error) {
    findings.push(toFinding(error));
  }
  return findings;
};

const toFinding = (error: unknown): ClusterFinding => {
  if (!(error instanceof Failure)) throw error;
  const { message, hint = 'openchrome doctor --log-level debug' } = error.toJSON().error;
  return { id: 'cluster', status: 'fail', message, fix: hint };
};
