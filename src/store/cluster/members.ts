// The processes of the cluster: each has a row with a heartbeat, and a lock of its session.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type pg from 'pg';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { after, every, sleep } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import type { ClusterMember, MemberReport, MemberRole, Members } from './cluster-store.ts';
import { backoffMs, type Database } from './database.ts';
import { MEMBER_LOCKS } from './schema.ts';
import type { ClusterSession } from './session.ts';

const BEAT_MS = 5_000;
/** A member without a heartbeat for this time is dead, by the clock of the database. */
const SILENT_SECONDS = 15;
/**
 * After a restart of the server all locks are free until the members have connected again: no member
 * is declared dead within this time after its start, or after this process connected again.
 */
const SETTLING_SECONDS = 5;
/** Pause between two looks at the other members; longer in a large cluster, where many look. */
const LOOK_MS = 500;
const LOOK_MS_PER_MEMBER = 125;

/** Condition on the row `m` of `members`: its process has no lock, or sends no heartbeat. */
const IS_ABSENT = `(
  m.beat_at < clock_timestamp() - interval '${SILENT_SECONDS} seconds'
  or not exists (
    select 1 from pg_locks l where l.locktype = 'advisory' and l.granted
      and l.classid::bigint = ${MEMBER_LOCKS} and l.objid::bigint = m.lock_key and l.objsubid = 2
      and l.database = (select oid from pg_database where datname = current_database())
  )
)`;

const IS_DEAD = `(${IS_ABSENT}
  and pg_postmaster_start_time() < clock_timestamp() - interval '${SETTLING_SECONDS} seconds'
)`;

const BEAT = {
  name: 'oc_members_beat',
  text: `update openchrome.members set beat_at = clock_timestamp(), report = $2, engine = $3
    where id = $1 returning id`,
};

interface ClusterMembersOptions {
  readonly database: Database;
  readonly session: ClusterSession;
  readonly log: Log;
  readonly role: MemberRole;
  readonly slots: number;
  readonly report: () => MemberReport;
  /** Reassigns the work of a member whose row was deleted, in the same transaction. */
  readonly bury: DeadMemberWork;
}

export interface DeadMemberWork {
  /** Deletes the member if `isDead` applies to it, and reassigns its tasks and visits. */
  bury(id: string, isDead: string): Promise<boolean>;
  /** Reassigns work that no live member has, whatever the reason. */
  repair(): Promise<void>;
}

export class ClusterMembers implements Members, AsyncDisposable {
  readonly #options: ClusterMembersOptions;
  #id = randomBytes(8).toString('hex');
  #lockKey: number | undefined;
  #lost = new AbortController();
  #timers: Disposable[] = [];
  #engine: string | undefined;
  #looks = 0;
  #closed = false;

  constructor(options: ClusterMembersOptions) {
    this.#options = options;
    options.session.listen({ onConnect: (client) => this.#takeLockAgain(client) });
  }

  get own(): string {
    return this.#id;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get isJoined(): boolean {
    return this.#lockKey !== undefined && !this.#lost.signal.aborted;
  }

  async join(signal: AbortSignal): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#join(signal);
      } catch (error) {
        signal.throwIfAborted();
        this.#options.log.debug('joining the cluster failed', error);
        await sleep(backoffMs(tries), signal);
      }
    }
  }

  async #join(signal: AbortSignal): Promise<void> {
    const { database, session, role, slots, report } = this.#options;
    this.#leave();
    const client = await session.ready(signal);
    const id = randomBytes(8).toString('hex');
    const [row] = await database.query<{ key: number }>(
      "select nextval('openchrome.lock_keys')::int as key",
    );
    const key = row?.key ?? 0;
    await takeLock(client, key); // before the row exists, so that it is never without a lock
    await database.query(
      `insert into openchrome.members (id, lock_key, role, host, pid, version, slots, report)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [id, key, role, hostname(), process.pid, VERSION, slots, JSON.stringify(report())],
    );
    this.#id = id;
    this.#lockKey = key;
    this.#lost = new AbortController();
    this.#timers = [every(BEAT_MS, () => this.#beat())];
    this.#lookSoon(LOOK_MS);
  }

  #leave(): void {
    this.#lockKey = undefined;
    for (const timer of this.#timers.splice(0)) timer[Symbol.dispose]();
  }

  async #takeLockAgain(client: pg.Client): Promise<void> {
    if (this.#lockKey === undefined) return;
    await takeLock(client, this.#lockKey);
    const { rows } = await client.query('select 1 from openchrome.members where id = $1', [
      this.#id,
    ]);
    if (rows.length === 0) this.#lose();
  }

  /** The name that the job engine gave to this process, which its locked jobs have. */
  async setEngine(engine: string): Promise<void> {
    this.#engine = engine;
    await this.#beat();
  }

  async #beat(): Promise<void> {
    const { database, session, report } = this.#options;
    void session.check();
    const rows = await database.query(BEAT, [
      this.#id,
      JSON.stringify(report()),
      this.#engine ?? null,
    ]);
    if (rows.length === 0) this.#lose();
  }

  #lose(): void {
    this.#leave();
    this.#lost.abort(
      fail('engine_stopped', 'The cluster declared this process dead: others continue its work.'),
    );
  }

  #lookSoon(ms: number): void {
    if (this.#closed) return;
    const wait = after(ms * (0.75 + Math.random() / 2), () => void this.#look());
    this.#timers.push(wait);
  }

  async #look(): Promise<void> {
    const members = await this.#buryDead().catch((error: unknown) => {
      this.#options.log.debug('looking for dead members failed', error);
      return 1;
    });
    this.#timers = this.#timers.slice(0, 1);
    if (this.isJoined) this.#lookSoon(Math.max(LOOK_MS, members * LOOK_MS_PER_MEMBER));
  }

  /** Returns the number of members. */
  async #buryDead(): Promise<number> {
    const { database, session, bury, log } = this.#options;
    if (session.reconnectedMs < SETTLING_SECONDS * 1_000) return 1;
    const rows = await database.query<{ id: string; dead: boolean }>({
      name: 'oc_members',
      text: `select m.id, ${IS_DEAD} as dead from openchrome.members m`,
    });
    for (const { id } of rows.filter(({ dead }) => dead))
      if (await bury.bury(id, IS_DEAD)) log.info(`member ${id} is dead: its work is reassigned`);
    if (this.#looks++ % 10 === 0) await bury.repair();
    return rows.length;
  }

  async list(): Promise<ClusterMember[]> {
    const rows = await this.#options.database.query<MemberRow>(LIST);
    return rows.map(({ report, up_ms: upMs, silent_ms: silentMs, ...row }) => ({
      ...NO_REPORT,
      ...attempt(() => JSON.parse(report) as MemberReport),
      ...row,
      upMs: Math.round(upMs),
      silentMs: Math.round(silentMs),
    }));
  }

  async isAlive(id: string): Promise<boolean> {
    const rows = await this.#options.database.query(
      'select 1 from openchrome.members where id = $1',
      [id],
    );
    return rows.length > 0;
  }

  /** Gives the work back at once: the others need not wait for a missing heartbeat. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const wasJoined = this.isJoined;
    this.#leave();
    if (wasJoined) await this.#options.bury.bury(this.#id, 'true').catch(() => {}); // server gone
  }
}

const takeLock = async (client: pg.Client, key: number): Promise<void> => {
  await client.query('select pg_advisory_lock($1, $2)', [MEMBER_LOCKS, key]);
};

interface MemberRow {
  readonly id: string;
  readonly role: MemberRole;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly slots: number;
  readonly report: string;
  readonly up_ms: number;
  readonly silent_ms: number;
}

const LIST = `
select id, role, host, pid, version, slots, report,
  (extract(epoch from clock_timestamp() - joined_at) * 1000)::float8 as up_ms,
  (extract(epoch from clock_timestamp() - beat_at) * 1000)::float8 as silent_ms
from openchrome.members m where not ${IS_ABSENT} order by joined_at`;

const NO_REPORT: MemberReport = {
  limits: '',
  visits: 0,
  tasks: [],
  pages: 0,
  errors: 0,
  rssBytes: 0,
};
