// The session of this process: one connection that stays open, reconnects, and gets notifications.
import { once } from 'node:events';
import type pg from 'pg';
import type { Log } from '../../core/log.ts';
import { abortable, monotonicMs, sleep } from '../../core/time.ts';
import { backoffMs, Database } from './database.ts';
import { databaseFailure } from './database-error.ts';

export const CHANNEL = 'openchrome';

const CHECK = { text: 'select 1', query_timeout: 10_000 };

interface SessionListener {
  /** Prepares a new connection before it is used. If it throws, the session connects again. */
  readonly onConnect?: (client: pg.Client) => Promise<void>;
  readonly onNotice?: (payload: string) => void;
}

export class ClusterSession implements AsyncDisposable {
  readonly #database: Database;
  readonly #log: Log;
  readonly #listeners: SessionListener[] = [];
  readonly #closed = new AbortController();
  #client: pg.Client | undefined;
  #connections = 0;
  #connectedAt = -Infinity;
  #running: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
  }

  listen(listener: SessionListener): void {
    this.#listeners.push(listener);
  }

  /** Connects in the background, and stays connected. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** The current connection; undefined while there is none. */
  get client(): pg.Client | undefined {
    return this.#client;
  }

  /** Time since this process connected again; Infinity for its first connection, 0 without one. */
  get reconnectedMs(): number {
    if (!this.#client) return 0;
    return this.#connections > 1 ? monotonicMs() - this.#connectedAt : Infinity;
  }

  /** Closes a connection that does not answer; the session then connects again. */
  async check(): Promise<void> {
    const client = this.#client;
    try {
      await client?.query(CHECK);
    } catch {
      await client?.end().catch(() => {}); // already closed
    }
  }

  /** Waits for a connection that all listeners have prepared. */
  async ready(signal: AbortSignal): Promise<pg.Client> {
    this.start();
    while (!this.#client)
      await abortable(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal);
    return this.#client;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const client = this.#database.createClient();
      try {
        await this.#connect(client);
        attempt = 0;
        await once(client, 'end', { signal });
        this.#log.debug('the session with the database ended');
      } catch (error) {
        if (!signal.aborted && attempt === 0)
          this.#log.debug(databaseFailure(error, (text) => this.#database.hide(text)).message);
      }
      this.#client = undefined;
      await client.end().catch(() => {}); // already closed
      await sleep(backoffMs(attempt), signal).catch(() => {}); // closed
    }
  }

  async #connect(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload = '' }) => this.#tell(payload));
    await client.connect();
    await Database.prepare(client);
    await client.query(`listen ${CHANNEL}`);
    for (const { onConnect } of this.#listeners) await onConnect?.(client);
    this.#client = client;
    this.#connectedAt = monotonicMs();
    this.#connections++;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#tell('*'); // notifications were missed while there was no connection
  }

  #tell(payload: string): void {
    for (const { onNotice } of this.#listeners) onNotice?.(payload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }
}
