// The pace of requests to a host, for the whole fleet: one row per host assigns turns.
import { monotonicMs, sleep } from '../../core/time.ts';
import type { HostTurn, HostTurns } from './cluster-store.ts';
import { type Database, type Queries, waitThroughOutage } from './database.ts';

/**
 * The next turn starts when the request has been answered, because then it has certainly arrived.
 * If the site is slower than this, the next turn does not wait for the answer any longer.
 */
const PATIENCE_MS = 250;
/** Larger on a busy machine, by the delays that this process has noticed recently. */
const PATIENCE_PER_JITTER = 4;
const MAX_JITTER_MS = 1_000;
const FORGET = 0.97;
/** While the answer is missing, other processes look at the row this often. */
const LOOK_MS = 25;

/**
 * Starts a turn if the delay has passed since the last answer, or since the last start without an
 * answer. All times are those of the database. The row in the result is the one before the update.
 */
const TRY = {
  name: 'oc_host_try',
  text: `
with won as (
  update openchrome.hosts h set turn = h.turn + 1, started_at = clock_timestamp(), answered = false
  where h.host = $1 and h.rests_until <= clock_timestamp() and case when h.answered
    then h.answered_at + $2::float8 * interval '1 millisecond' <= clock_timestamp()
    else h.started_at + $3::float8 * interval '1 millisecond' <= clock_timestamp() end
  returning h.turn
)
select (select turn from won) as turn, h.answered, (extract(epoch from
  greatest(h.rests_until, case when h.answered
    then h.answered_at + $2::float8 * interval '1 millisecond'
    else h.started_at + $3::float8 * interval '1 millisecond' end
  ) - clock_timestamp()) * 1000)::float8 as wait_ms
from openchrome.hosts h where h.host = $1`,
};

const CREATE = 'insert into openchrome.hosts (host) values ($1) on conflict do nothing';

/** A lost answer only costs time, so the commit does not wait for the disk. */
const ANSWERED = {
  name: 'oc_host_answered',
  text: `
with quick as materialized (select set_config('synchronous_commit', 'off', true) as off)
update openchrome.hosts set answered = true, answered_at = clock_timestamp()
from quick where host = $1 and turn = $2 and not answered`,
};

const GIVE_BACK = `
update openchrome.hosts set answered = true where host = $1 and turn = $2 and not answered`;

interface HostState {
  readonly turn: string | null;
  readonly answered: boolean;
  readonly wait_ms: number;
}

export class ClusterTurns implements HostTurns {
  readonly #database: Database;
  /** A turn that was assigned without an answer is only lost time. */
  readonly #patient: Queries;
  /** The last of the requests of this process that wait for a turn, by host. */
  readonly #queues = new Map<string, Promise<unknown>>();
  /** How late answers of the database have been recently, which shows the load. */
  #jitterMs = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#patient = waitThroughOutage(database);
  }

  /** The requests of this process wait in a queue, so that one of them competes with others. */
  async take(host: string, delayMs: number, signal: AbortSignal): Promise<HostTurn> {
    const before = this.#queues.get(host);
    const turn = this.#takeAfter(before, host, delayMs, signal);
    const settled = turn.catch(() => {});
    this.#queues.set(host, settled);
    try {
      return await turn;
    } finally {
      if (this.#queues.get(host) === settled) this.#queues.delete(host);
    }
  }

  async #takeAfter(
    before: Promise<unknown> | undefined,
    host: string,
    delayMs: number,
    signal: AbortSignal,
  ): Promise<HostTurn> {
    await before;
    for (;;) {
      signal.throwIfAborted();
      const turn = await this.#tryTurn(host, delayMs, signal);
      if (turn !== undefined) return { answered: () => this.#save(ANSWERED, host, turn) };
    }
  }

  /** Undefined if no turn was free, or if it arrived too late and was returned unused. */
  async #tryTurn(host: string, delayMs: number, signal: AbortSignal): Promise<string | undefined> {
    const patienceMs = PATIENCE_MS + PATIENCE_PER_JITTER * this.#jitterMs;
    const sentAt = monotonicMs();
    const values = [host, delayMs, delayMs + patienceMs];
    const [state] = await this.#patient.query<{ [K in keyof HostState]: HostState[K] }>(
      TRY,
      values,
    );
    const lateMs = monotonicMs() - sentAt;
    this.#jitterMs = Math.min(Math.max(lateMs, this.#jitterMs * FORGET), MAX_JITTER_MS);
    if (!state) {
      await this.#patient.query(CREATE, [host]);
      return undefined;
    }
    if (state.turn === null) {
      await sleep(findWaitMs(state), signal);
      return undefined;
    }
    if (lateMs <= patienceMs / 2) return state.turn;
    this.#save(GIVE_BACK, host, state.turn);
    return undefined;
  }

  /** Not awaited: without it the next turn only comes later. */
  #save(sql: typeof ANSWERED | string, host: string, turn: string): void {
    this.#database.query(sql, [host, turn]).catch(() => {});
  }

  async rest(host: string, ms: number): Promise<void> {
    await this.#patient.query(
      `insert into openchrome.hosts as h (host, rests_until)
       values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
       on conflict (host) do update set rests_until = greatest(h.rests_until, excluded.rests_until)`,
      [host, ms],
    );
  }
}

/** The end of the delay is known only after the answer. */
const findWaitMs = ({ answered, wait_ms: waitMs }: HostState): number =>
  Math.max(1, answered ? Math.ceil(waitMs) : Math.min(waitMs, LOOK_MS));
