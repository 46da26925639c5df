// The pace of requests to a host, for the whole fleet: one row per host assigns turns.
import { monotonicMs, sleep } from '../../core/time.ts';
import type { HostTurns } from './cluster-store.ts';
import type { Database } from './database.ts';

/**
 * Turns are reserved at most this long before they start: a cancelled crawl must not keep the host
 * reserved for longer.
 */
const AHEAD_MS = 1_000;
/** How late a request may start in its turn, on a machine without load. */
const SLACK_MS = 15;
/** Differences between the ways of two requests from the check below to the site's server. */
const TRANSIT_MS = 20;
const MAX_JITTER_MS = 1_000;
/** The largest delay of the last requests counts; it is forgotten slowly. */
const FORGET = 0.97;

/**
 * The next turn starts after the delay and the slack of this one. The clock is the database's: the
 * statement returns how long to wait, and the client measures that time with its own timer.
 */
const RESERVE = {
  name: 'oc_host_turn',
  text: `
insert into openchrome.hosts as h (host, next_at)
values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
on conflict (host) do update
set next_at = greatest(h.next_at, clock_timestamp()) + $2::float8 * interval '1 millisecond'
where h.next_at <= clock_timestamp() + $3::float8 * interval '1 millisecond'
returning (extract(epoch from h.next_at - clock_timestamp()) * 1000)::float8 - $2::float8 as wait_ms`,
};

const LOOK = {
  name: 'oc_host_look',
  text: `select (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as wait_ms
    from openchrome.hosts where host = $1`,
};

export class ClusterTurns implements HostTurns {
  readonly #database: Database;
  /** How late timers and answers have been recently, which shows the load of this machine. */
  #jitterMs = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async take(host: string, delayMs: number, signal: AbortSignal): Promise<void> {
    while (!(await this.#tryTurn(host, delayMs, signal))) signal.throwIfAborted();
  }

  /** Returns false if there was no turn yet, or if it came too late and was not used. */
  async #tryTurn(host: string, delayMs: number, signal: AbortSignal): Promise<boolean> {
    const slackMs = SLACK_MS + this.#jitterMs;
    const intervalMs = delayMs + slackMs + TRANSIT_MS + 2 * this.#jitterMs;
    const sentAt = monotonicMs();
    const [turn] = await this.#database.query<{ wait_ms: number }>(RESERVE, [
      host,
      intervalMs,
      AHEAD_MS,
    ]);
    if (!turn) {
      await this.#waitForFreeTurns(host, intervalMs, signal);
      return false;
    }
    const waitMs = Math.max(0, turn.wait_ms);
    // From now on, not from the time of the request: a turn must never start too early.
    await sleepExactly(waitMs, signal);
    const lateMs = monotonicMs() - (sentAt + waitMs); // at most: the clock was read after sending
    this.#jitterMs = Math.min(Math.max(lateMs, this.#jitterMs * FORGET), MAX_JITTER_MS);
    return lateMs <= slackMs;
  }

  async #waitForFreeTurns(host: string, intervalMs: number, signal: AbortSignal): Promise<void> {
    const [next] = await this.#database.query<{ wait_ms: number }>(LOOK, [host]);
    const waitMs = Math.max(0, (next?.wait_ms ?? 0) - AHEAD_MS);
    await sleep(waitMs + Math.random() * Math.min(intervalMs, AHEAD_MS), signal);
  }

  async rest(host: string, ms: number): Promise<void> {
    await this.#database.query(
      `insert into openchrome.hosts as h (host, next_at)
       values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
       on conflict (host) do update set next_at = greatest(h.next_at, excluded.next_at)`,
      [host, ms],
    );
  }
}

/** Timers may fire up to a millisecond early. */
const sleepExactly = async (ms: number, signal: AbortSignal): Promise<void> => {
  const until = monotonicMs() + ms;
  for (let left = ms; left > 0; left = until - monotonicMs()) await sleep(Math.ceil(left), signal);
};
