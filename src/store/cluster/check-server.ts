// Checks at the start that the database server can be used for a cluster.
import type pg from 'pg';
import { Database, type Queries } from './database.ts';
import { connectFailure, unusable } from './database-error.ts';
import { findSchemaVersion } from './schema.ts';

const MIN_VERSION = 130_000;

export const formatServerVersion = (number: number): string =>
  `${Math.floor(number / 10_000)}.${number % 10_000}`;

interface ServerFacts {
  readonly version: number;
  readonly may_create_schema: boolean;
  readonly may_use_tables: boolean;
  readonly is_standby: boolean;
  readonly user_name: string;
  readonly database: string;
}

const FACTS = `
select current_setting('server_version_num')::int as version,
  has_database_privilege(current_database(), 'CREATE') as may_create_schema,
  coalesce((select has_schema_privilege(oid, 'USAGE, CREATE') from pg_namespace
    where nspname = 'openchrome'), false) as may_use_tables,
  pg_is_in_recovery() as is_standby,
  current_user as user_name,
  current_database() as database`;

export const readServerFacts = async (queries: Queries): Promise<ServerFacts> => {
  const [facts] = await queries.query<{ [K in keyof ServerFacts]: ServerFacts[K] }>(FACTS);
  if (!facts) throw new Error('the server returned no facts');
  return facts;
};

/** Throws `cluster_unusable` with the reason and the fix. */
export const checkServer = async (database: Database): Promise<void> => {
  await requireSessions(database);
  const facts = await readServerFacts(database);
  requireVersion(facts);
  await requireRights(facts, database);
};

const requireVersion = ({ version, is_standby: isStandby }: ServerFacts): void => {
  if (version < MIN_VERSION)
    throw unusable(
      `PostgreSQL ${formatServerVersion(version)} is too old for a cluster.`,
      'Use PostgreSQL 13 or newer.',
    );
  if (isStandby)
    throw unusable(
      'The database server is a standby, which is read-only.',
      'Use the URL of the primary server.',
    );
};

const requireRights = async (facts: ServerFacts, queries: Queries): Promise<void> => {
  const exists = (await findVersionIfAllowed(queries, facts)) !== undefined;
  if (exists && facts.may_use_tables) return;
  if (!exists && (facts.may_create_schema || facts.may_use_tables)) return;
  throw unusable(
    `The database user "${facts.user_name}" lacks the rights for the cluster's tables.`,
    `As owner of the database: grant create on database ${facts.database} to ${facts.user_name}`,
  );
};

/** Another user's schema cannot be read: it counts as existing. */
const findVersionIfAllowed = (
  queries: Queries,
  { may_use_tables: mayUse }: ServerFacts,
): Promise<number | undefined> => findSchemaVersion(queries).catch(() => (mayUse ? undefined : 0));

const TRIES = 3;

/**
 * Rejects a transaction pooler: locks and LISTEN need a session. Through a pooler the process id of
 * the handshake is not the one of the backend; then two clients show whether sessions are shared.
 */
const requireSessions = async (database: Database): Promise<void> => {
  const [first, second] = [database.createClient(), database.createClient()];
  try {
    await first.connect();
    if ((await readBackend(first)) === readHandshakePid(first)) return;
    await second.connect();
    for (let i = 0; i < TRIES; i++)
      if (await sharesSessions(first, second)) throw transactionPooler();
  } catch (error) {
    throw connectFailure(error, (text) => database.hide(text));
  } finally {
    await Promise.all([first.end(), second.end()].map((end) => end.catch(() => {})));
  }
};

const transactionPooler = (): Error =>
  unusable(
    'The URL leads to a connection pooler that shares sessions (transaction mode).',
    'Use the URL of PostgreSQL itself, or a pooler in session mode.',
  );

const readBackend = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
};

const readHandshakePid = (client: pg.Client): number | undefined =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : undefined;

/** A transaction of the second client takes the backend of the first one, if they share it. */
const sharesSessions = async (first: pg.Client, second: pg.Client): Promise<boolean> => {
  const before = await readBackend(first);
  await second.query('begin');
  try {
    const other = await readBackend(second);
    return other === before || (await readBackend(first)) !== before;
  } finally {
    await second.query('rollback');
  }
};
