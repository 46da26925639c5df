// Page visits that a lead offers, and that workers claim, load and end.
import { getOrCreate } from '../../core/collections.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import { BatchedWrites } from './batched-writes.ts';
import type {
  ClaimedVisit,
  OfferedVisit,
  TaskLease,
  VisitOutcome,
  VisitQueue,
} from './cluster-store.ts';
import { type Database, throughOutage } from './database.ts';
import type { ClusterMembers } from './members.ts';
import { ENDED_TOPIC, type Notices, OFFERS_TOPIC, PollPace } from './notices.ts';

interface ClusterVisitsOptions {
  readonly database: Database;
  readonly notices: Notices;
  readonly members: ClusterMembers;
}

/** The shortest waits between two looks, while there is work. */
const OFFERS_POLL_MS = 20;
const ENDED_POLL_MS = 15;
/** A process claims again only after this time: slots that get free meanwhile are filled at once. */
const CLAIM_GAP_MS = 10;
const FINISH_WINDOW_MS = 5;

/** Rows are inserted in the order of their numbers, so that two inserts cannot deadlock. */
const OFFER = {
  name: 'oc_visits_offer',
  text: `
with lease as materialized (
  select id from openchrome.tasks where id = $1 and lead = $2 and epoch = $3 for key share
)
insert into openchrome.visits as v (task_id, n, url, request, limits)
select lease.id, o.n, o.url, o.request, $4
from lease, unnest($5::int[], $6::text[], $7::text[]) as o (n, url, request)
order by o.n
on conflict (task_id, n) do update set url = excluded.url, request = excluded.request,
  state = 0, member = null, epoch = v.epoch + 1, deaths = 0, outcome = null
where v.url <> excluded.url`,
};

/**
 * A claim that is lost in a crash of the server is simply claimed again, so the commit does not
 * wait for the disk. Visits that ended a worker are claimed alone: if the next worker also ends,
 * then because of this page.
 */
const CLAIM = {
  name: 'oc_visits_claim',
  text: `
with quick as materialized (select set_config('synchronous_commit', 'off', true) as off),
risky as materialized (
  select task_id, n from openchrome.visits
  where state = 0 and limits = $1 and deaths > 0 and $3
  order by seq limit 1 for update skip locked
), fresh as materialized (
  select task_id, n from openchrome.visits
  where state = 0 and limits = $1 and deaths = 0 and not exists (select 1 from risky)
  order by seq limit $2 for update skip locked
), picked as (
  select task_id, n from risky union all select task_id, n from fresh
)
update openchrome.visits v set state = 1, member = $4, epoch = v.epoch + 1
from picked, quick
where v.task_id = picked.task_id and v.n = picked.n
returning v.task_id, v.n, v.url, v.request, v.epoch, v.deaths, v.seq`,
};

/** In the order of the keys, in which the sweep of dead members locks the same rows. */
const FINISH = {
  name: 'oc_visits_finish',
  text: `
with mine as materialized (
  select v.task_id, v.n, e.outcome
  from unnest($2::text[], $3::int[], $4::int[], $5::text[]) as e (task_id, n, epoch, outcome)
  join openchrome.visits v on v.task_id = e.task_id and v.n = e.n
  where v.epoch = e.epoch and v.member = $1 and v.state = 1
  order by v.task_id, v.n for update of v
)
update openchrome.visits v set state = 2, member = null, outcome = mine.outcome
from mine where v.task_id = mine.task_id and v.n = mine.n`,
};

const GIVE_BACK = `
update openchrome.visits v set state = 0, member = null, epoch = v.epoch + 1
from unnest($2::text[], $3::int[], $4::int[]) as e (task_id, n, epoch)
where v.task_id = e.task_id and v.n = e.n and v.epoch = e.epoch
  and v.member = $1 and v.state = 1`;

/** Outcomes that reappear after a crash of the server are ignored: the lead does not expect them. */
const TAKE_ENDED = {
  name: 'oc_visits_take',
  text: `
with quick as materialized (select set_config('synchronous_commit', 'off', true) as off)
delete from openchrome.visits v using quick
where v.task_id = $1 and v.n = any($4::int[]) and v.state = 2
  and exists (select 1 from openchrome.tasks where id = $1 and lead = $2 and epoch = $3)
returning v.n, v.outcome`,
};

const DROP = `
delete from openchrome.visits where task_id = $1
  and exists (select 1 from openchrome.tasks where id = $1 and lead = $2 and epoch = $3)`;

interface ClaimedRow {
  readonly task_id: string;
  readonly n: number;
  readonly url: string;
  readonly request: string;
  readonly epoch: number;
  readonly deaths: number;
  readonly seq: string;
}

interface Ending {
  readonly visit: ClaimedVisit;
  readonly outcome: VisitOutcome;
}

export class ClusterVisits implements VisitQueue {
  readonly #options: ClusterVisitsOptions;
  readonly #endings: BatchedWrites<readonly Ending[]>;
  readonly #offersPace = new PollPace(OFFERS_POLL_MS);
  readonly #endedPaces = new Map<string, PollPace>();
  #claimedAt = -Infinity;

  constructor(options: ClusterVisitsOptions) {
    this.#options = options;
    this.#endings = new BatchedWrites((batches) => this.#save(batches.flat()), {
      windowMs: FINISH_WINDOW_MS,
    });
  }

  async offer(
    { taskId, member, epoch, call }: TaskLease,
    visits: readonly OfferedVisit[],
  ): Promise<void> {
    if (visits.length === 0) return;
    const { database, notices } = this.#options;
    const requests = new Map<unknown, string>();
    const toText = (request: unknown): string => {
      const text = requests.get(request) ?? JSON.stringify(request);
      requests.set(request, text);
      return text;
    };
    const values = [
      ...[taskId, member, epoch, call.limits],
      visits.map(({ n }) => n),
      visits.map(({ url }) => url),
      visits.map(({ request }) => toText(request)),
    ];
    await throughOutage(() => database.query(OFFER, values));
    notices.publishSometimes(OFFERS_TOPIC);
  }

  async takeEnded(
    { taskId, member, epoch }: TaskLease,
    numbers: readonly number[],
  ): Promise<readonly { readonly n: number; readonly outcome: VisitOutcome }[]> {
    if (numbers.length === 0) return [];
    const values = [taskId, member, epoch, numbers];
    const rows = await throughOutage(() =>
      this.#options.database.query<{ n: number; outcome: string }>(TAKE_ENDED, values),
    );
    if (rows.length > 0) this.#findPace(taskId).restart();
    return rows
      .map(({ n, outcome }) => ({ n, outcome: JSON.parse(outcome) as VisitOutcome }))
      .sort((a, b) => a.n - b.n);
  }

  async drop({ taskId, member, epoch }: TaskLease): Promise<void> {
    this.#endedPaces.delete(taskId);
    await throughOutage(() => this.#options.database.query(DROP, [taskId, member, epoch]));
  }

  async claim({
    limit,
    alone,
    limits,
  }: {
    readonly limit: number;
    readonly alone: boolean;
    readonly limits: string;
  }): Promise<readonly ClaimedVisit[]> {
    const { database, members } = this.#options;
    if (limit <= 0) return [];
    const waitMs = this.#claimedAt + CLAIM_GAP_MS - monotonicMs();
    if (waitMs > 0) await sleep(waitMs);
    this.#claimedAt = monotonicMs();
    const rows = await database.query<{ [K in keyof ClaimedRow]: ClaimedRow[K] }>(CLAIM, [
      limits,
      limit,
      alone,
      members.own,
    ]);
    if (rows.length > 0) this.#offersPace.restart();
    return rows
      .sort((a, b) => Number(a.seq) - Number(b.seq))
      .map(({ task_id: taskId, n, url, request, epoch, deaths }) => ({
        ...{ taskId, n, url, epoch, deaths },
        request: JSON.parse(request) as unknown,
      }));
  }

  finish(endings: readonly Ending[]): Promise<void> {
    return this.#endings.add(endings);
  }

  async #save(endings: readonly Ending[]): Promise<void> {
    const { database, members, notices } = this.#options;
    const visits = endings.map(({ visit }) => visit);
    const values = [
      members.own,
      ...toColumns(visits),
      endings.map(({ outcome }) => JSON.stringify(outcome)),
    ];
    await throughOutage(() => database.query(FINISH, values));
    for (const id of new Set(visits.map(({ taskId }) => taskId)))
      notices.publishSometimes(ENDED_TOPIC + id);
  }

  async giveBack(visits: readonly ClaimedVisit[]): Promise<void> {
    if (visits.length === 0) return;
    const { database, members, notices } = this.#options;
    await database.query(GIVE_BACK, [members.own, ...toColumns(visits)]);
    notices.publishSometimes(OFFERS_TOPIC);
  }

  async stillClaimed(visits: readonly ClaimedVisit[]): Promise<readonly ClaimedVisit[]> {
    if (visits.length === 0) return [];
    const { database, members } = this.#options;
    const rows = await database.query<{ task_id: string; n: number; epoch: number }>(
      {
        name: 'oc_visits_claimed',
        text: 'select task_id, n, epoch from openchrome.visits where state = 1 and member = $1',
      },
      [members.own],
    );
    const claimed = new Set(rows.map((row) => `${row.task_id} ${row.n} ${row.epoch}`));
    return visits.filter(({ taskId, n, epoch }) => claimed.has(`${taskId} ${n} ${epoch}`));
  }

  waitForOffers(signal: AbortSignal): Promise<void> {
    return this.#options.notices.wait(OFFERS_TOPIC, signal, this.#offersPace.nextMs);
  }

  waitForEnded({ taskId }: TaskLease, signal: AbortSignal): Promise<void> {
    const { nextMs } = this.#findPace(taskId);
    return this.#options.notices.wait(ENDED_TOPIC + taskId, signal, nextMs);
  }

  #findPace(taskId: string): PollPace {
    return getOrCreate(this.#endedPaces, taskId, () => new PollPace(ENDED_POLL_MS));
  }
}

const toColumns = (
  visits: readonly ClaimedVisit[],
): [taskIds: string[], numbers: number[], epochs: number[]] => [
  visits.map(({ taskId }) => taskId),
  visits.map(({ n }) => n),
  visits.map(({ epoch }) => epoch),
];
