// The connections to the cluster's database: a pool for statements, at most four per process.
import pg from 'pg';
import { Failure } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import { type DatabaseTarget, parseDatabaseTarget } from './database-target.ts';
import {
  databaseFailure,
  type HideSecrets,
  isConflict,
  isConnectionError,
} from './database-error.ts';

/** One more connection is the session, which has the lock and receives notifications. */
const POOL_SIZE = 3;
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;

/**
 * The server ends the transaction of a frozen process, so that its row locks do not stop the
 * others, and notices a lost machine within 15 seconds.
 */
const SESSION_SETTINGS = [
  'set statement_timeout = 60000',
  'set lock_timeout = 10000',
  'set idle_in_transaction_session_timeout = 10000',
  'set tcp_keepalives_idle = 5',
  'set tcp_keepalives_interval = 3',
  'set tcp_keepalives_count = 3',
  'set jit = off',
].join('; ');

/**
 * A connection whose server is gone without a word gets no answer: after this time the statement
 * fails and the connection is closed. Longer than `statement_timeout`.
 */
const ANSWER_MS = 65_000;
/** For prepared statements, which are short. Longer than `lock_timeout`. */
const SHORT_ANSWER_MS = 12_000;

/** A prepared statement: the server parses and plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Sql = string | Statement;

export interface Queries {
  /** Runs one statement and returns its rows. */
  query<Row extends pg.QueryResultRow>(sql: Sql, values?: readonly unknown[]): Promise<Row[]>;
}

/** Delays between attempts to connect or to repeat a write. */
const BACKOFF_MS = [50, 100, 200, 400, 800];
const MAX_BACKOFF_MS = 1_000;
/** How long writes of running work are repeated while the server cannot be reached. */
const OUTAGE_MS = 30_000;
const CONFLICT_RETRIES = 8;

/** Different processes retry at different times. */
export const backoffMs = (attempt: number): number =>
  (BACKOFF_MS[attempt] ?? MAX_BACKOFF_MS) * (0.75 + Math.random() / 2);

export class Database implements Queries, AsyncDisposable {
  readonly #target: DatabaseTarget;
  readonly #hide: HideSecrets;
  readonly #pool: pg.Pool;

  constructor(url: string, log: Log) {
    this.#target = parseDatabaseTarget(url);
    this.#hide = createHide(this.#target, url);
    const options = {
      ...this.#options,
      max: POOL_SIZE,
      idleTimeoutMillis: IDLE_MS,
      allowExitOnIdle: true,
      // The pool waits for it before it uses the connection.
      onConnect: async (client: pg.ClientBase) => {
        await client.query(SESSION_SETTINGS);
      },
    };
    this.#pool = new pg.Pool(options);
    // The pool removes the broken connection; without a listener the error would end the process.
    this.#pool.on('error', (error) =>
      log.debug('an idle database connection failed', this.hide(error.message)),
    );
    // The running statement rejects with the same error.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  get #options(): pg.ClientConfig {
    return {
      ...this.#target,
      application_name: 'openchrome',
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
    };
  }

  /** For the job engine, which shares the connections. */
  get pool(): pg.Pool {
    return this.#pool;
  }

  hide(text: string): string {
    return this.#hide(text);
  }

  /** A connection of its own, which is not connected yet. */
  createClient(): pg.Client {
    const client = new pg.Client(this.#options);
    client.on('error', () => {}); // reported by the "end" event
    return client;
  }

  /** Applies the settings of all sessions. */
  static async prepare(client: pg.Client): Promise<void> {
    await client.query(SESSION_SETTINGS);
  }

  async query<Row extends pg.QueryResultRow>(
    sql: Sql,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    try {
      return await runStatement<Row>(this.#pool, sql, values);
    } catch (error) {
      throw this.#toFailure(error);
    }
  }

  /** Commits if `work` returns, and rolls back if it throws. Repeated after a deadlock. */
  async transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#transactOnce(work);
      } catch (error) {
        if (!isConflict(error) || attempt >= CONFLICT_RETRIES) throw this.#toFailure(error);
        await sleep(backoffMs(attempt));
      }
    }
  }

  async #transactOnce<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const result = await work({
        query: (sql, values = []) => runStatement(client, sql, values),
      });
      await client.query('commit');
      return result;
    } catch (error) {
      broken = await findBreak(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  #toFailure(error: unknown): unknown {
    return isDatabaseProblem(error) ? databaseFailure(error, this.#hide) : error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

/**
 * Repeats a write while the server cannot be reached. The write must be safe to repeat, because it
 * may have been committed before the connection failed.
 */
export const throughOutage = async <T>(write: () => Promise<T>): Promise<T> => {
  const until = monotonicMs() + OUTAGE_MS;
  for (let attempt = 0; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const repeat = isRetryable(error) && monotonicMs() < until;
      if (!repeat) throw error;
      await sleep(backoffMs(attempt));
    }
  }
};

/** Repeats each statement as `throughOutage` does. */
export const waitThroughOutage = (queries: Queries): Queries => ({
  query: (sql, values) => throughOutage(() => queries.query(sql, values)),
});

const isRetryable = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'storage_failed' && error.details.retryable === true;

const runStatement = async <Row extends pg.QueryResultRow>(
  on: pg.Pool | pg.PoolClient,
  sql: Sql,
  values: readonly unknown[],
): Promise<Row[]> => {
  const statement =
    typeof sql === 'string' ? { text: sql } : { ...sql, query_timeout: SHORT_ANSWER_MS };
  const { rows } = await on.query<Row>({ ...statement, values: [...values] });
  return rows;
};

/**
 * Rolls back; returns an error if the connection must not be used again. A connection that did not
 * answer gets no rollback, because that would wait as long as the statement did.
 */
const findBreak = (client: pg.PoolClient, error: unknown): Promise<Error | undefined> => {
  if (error instanceof Error && isConnectionError(error)) return Promise.resolve(error);
  return client.query('rollback').then(
    () => undefined,
    (failure: Error) => failure,
  );
};

/** Errors of callers' code pass unchanged. */
const isDatabaseProblem = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ||
  isConnectionError(error) ||
  (error instanceof Error && !(error instanceof Failure) && 'code' in error);

const createHide = ({ password }: DatabaseTarget, url: string): HideSecrets => {
  const secrets = [url, password ?? '', process.env['PGPASSWORD'] ?? ''].filter(
    (secret) => secret.length > 2,
  );
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
};
