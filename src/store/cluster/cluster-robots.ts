// The robots.txt files of the fleet: each is fetched by one process, and read by all.
import { randomBytes } from 'node:crypto';
import type { RobotsFile, RobotsFiles } from './cluster-store.ts';
import { type Database, type Queries, waitThroughOutage } from './database.ts';
import { type Notices, ROBOTS_TOPIC } from './notices.ts';

/** Files are fetched again after this time. */
const FRESH = "interval '1 hour'";
/** A process that has not stored the file after this time is gone; a fetch takes at most 10 s. */
const FETCH_LIMIT = "interval '20 seconds'";

const FIND = {
  name: 'oc_robots_find',
  text: `select status, body from openchrome.robots
    where origin = $1 and fetched_at > clock_timestamp() - ${FRESH}`,
};

/** Returns a row for exactly one of the processes that want to fetch the file. */
const BEGIN = `
insert into openchrome.robots as r (origin, fetcher, fetching_since)
values ($1, $2, clock_timestamp())
on conflict (origin) do update set fetcher = excluded.fetcher, fetching_since = clock_timestamp()
where (r.fetched_at is null or r.fetched_at <= clock_timestamp() - ${FRESH})
  and (r.fetching_since is null or r.fetching_since < clock_timestamp() - ${FETCH_LIMIT})
returning origin`;

const END = `
update openchrome.robots set status = $3, body = $4, fetched_at = clock_timestamp(),
  fetcher = null, fetching_since = null
where origin = $1 and fetcher = $2`;

const GIVE_UP = `
update openchrome.robots set fetcher = null, fetching_since = null
where origin = $1 and fetcher = $2`;

export class ClusterRobots implements RobotsFiles {
  /** If the answer to `BEGIN` is lost, another process fetches the file after `FETCH_LIMIT`. */
  readonly #database: Queries;
  readonly #notices: Notices;

  constructor(database: Database, notices: Notices) {
    this.#database = waitThroughOutage(database);
    this.#notices = notices;
  }

  async load(
    origin: string,
    fetch: () => Promise<RobotsFile>,
    signal: AbortSignal,
  ): Promise<RobotsFile> {
    for (;;) {
      signal.throwIfAborted();
      const changed = this.#notices.wait(ROBOTS_TOPIC, signal);
      changed.catch(() => {}); // unused if the file is found
      const [known] = await this.#database.query<{ status: number; body: string }>(FIND, [origin]);
      if (known) return { status: known.status, text: known.body };
      const own = await this.#fetchIfFree(origin, fetch);
      if (own) return own;
      await changed;
    }
  }

  /** Undefined if another process fetches the file. */
  async #fetchIfFree(
    origin: string,
    fetch: () => Promise<RobotsFile>,
  ): Promise<RobotsFile | undefined> {
    const fetcher = randomBytes(8).toString('hex');
    if ((await this.#database.query(BEGIN, [origin, fetcher])).length === 0) return undefined;
    try {
      const file = await fetch();
      // PostgreSQL cannot store the zero character in a text.
      const values = [origin, fetcher, file.status, file.text.replaceAll('\0', ' ')];
      await this.#database.query(END, values);
      return file;
    } catch (error) {
      await this.#database.query(GIVE_UP, [origin, fetcher]).catch(() => {}); // expires by itself
      throw error;
    } finally {
      this.#notices.publish(ROBOTS_TOPIC);
    }
  }
}
