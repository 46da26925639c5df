// Page visits that a lead offers, and that workers claim, load and end.
import { getOrCreate } from '../../core/collections.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import type {
  ClaimedVisit,
  EndedVisit,
  OfferedVisit,
  TaskLease,
  VisitClaim,
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
const OFFERS_POLL_MS = 40;
const ENDED_POLL_MS = 25;
/** A process claims again only after this time: slots that get free meanwhile are filled at once. */
const CLAIM_GAP_MS = 10;
/** The lead vacuums the table after this many visits; the server alone would do it once a minute. */
const VACUUM_VISITS = 1_000;

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
 * Visits that ended a worker are claimed alone: if the next worker also ends, then because of this
 * page.
 */
const PICK = `
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
)`;

const CLAIM_PICKED = `
update openchrome.visits v set state = 1, member = $4, epoch = v.epoch + 1
from picked
where v.task_id = picked.task_id and v.n = picked.n
returning v.task_id, v.n, v.url, v.request, v.epoch, v.deaths, v.seq`;

/** Does not wait for the disk: a claim that is lost in a crash of the server is claimed again. */
const CLAIM = {
  name: 'oc_visits_claim',
  text: `
with quick as materialized (select set_config('synchronous_commit', 'off', true) as off),
${PICK}
${CLAIM_PICKED.replace('from picked', 'from picked, quick')}`,
};

/** In the order of the keys, in which the sweep of dead members locks the same rows. */
const buildFinish = (member: string, columns: string): string => `
mine as materialized (
  select v.task_id, v.n, e.outcome
  from unnest(${columns}) as e (task_id, n, epoch, outcome)
  join openchrome.visits v on v.task_id = e.task_id and v.n = e.n
  where v.epoch = e.epoch and v.member = ${member} and v.state = 1
  order by v.task_id, v.n for update of v
)`;

const FINISH_MINE = `
update openchrome.visits v set state = 2, member = null, outcome = mine.outcome
from mine where v.task_id = mine.task_id and v.n = mine.n`;

const FINISH = {
  name: 'oc_visits_finish',
  text: `with ${buildFinish('$1', '$2::text[], $3::int[], $4::int[], $5::text[]')} ${FINISH_MINE}`,
};

/** Saves outcomes and claims other visits. */
const EXCHANGE = {
  name: 'oc_visits_exchange',
  text: `
with ${buildFinish('$4', '$5::text[], $6::int[], $7::int[], $8::text[]')},
finished as (${FINISH_MINE}),
${PICK}
${CLAIM_PICKED}`,
};

const GIVE_BACK = `
update openchrome.visits v set state = 0, member = null, epoch = v.epoch + 1
from unnest($2::text[], $3::int[], $4::int[]) as e (task_id, n, epoch)
where v.task_id = e.task_id and v.n = e.n and v.epoch = e.epoch
  and v.member = $1 and v.state = 1`;

const KEEP_ONLY = `
update openchrome.visits v set state = 0, member = null, epoch = v.epoch + 1
where v.member = $1 and v.state = 1 and not exists (
  select 1 from unnest($2::text[], $3::int[], $4::int[]) as e (task_id, n, epoch)
  where e.task_id = v.task_id and e.n = v.n and e.epoch = v.epoch
)`;

/** Outcomes that reappear after a crash of the server are ignored: the lead does not expect them. */
const TAKE_ENDED = {
  name: 'oc_visits_take',
  text: `
with quick as materialized (select set_config('synchronous_commit', 'off', true) as off),
ended as materialized (select n from openchrome.visits where task_id = $1 and state = 2)
delete from openchrome.visits v using quick, ended
where v.task_id = $1 and v.n = ended.n and v.state = 2 and ended.n = any($4::int[])
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

export class ClusterVisits implements VisitQueue {
  readonly #options: ClusterVisitsOptions;
  readonly #offersPace = new PollPace(OFFERS_POLL_MS);
  readonly #endedPaces = new Map<string, PollPace>();
  #claimedAt = -Infinity;
  #takenSinceVacuum = 0;

  constructor(options: ClusterVisitsOptions) {
    this.#options = options;
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
    this.#vacuumAfter(rows.length);
    return rows
      .map(({ n, outcome }) => ({ n, outcome: JSON.parse(outcome) as VisitOutcome }))
      .sort((a, b) => a.n - b.n);
  }

  async drop({ taskId, member, epoch }: TaskLease): Promise<void> {
    this.#endedPaces.delete(taskId);
    await throughOutage(() => this.#options.database.query(DROP, [taskId, member, epoch]));
  }

  /**
   * Dead versions of rows make every claim slower. Not awaited: the statement only costs time if it
   * fails, for example because another process vacuums.
   */
  #vacuumAfter(taken: number): void {
    this.#takenSinceVacuum += taken;
    if (this.#takenSinceVacuum < VACUUM_VISITS) return;
    this.#takenSinceVacuum = 0;
    this.#options.database
      .query('vacuum (skip_locked, truncate off) openchrome.visits')
      .catch(() => {});
  }

  async claim({ limit, alone, limits, ended = [] }: VisitClaim): Promise<readonly ClaimedVisit[]> {
    const { members } = this.#options;
    if (limit <= 0 && ended.length === 0) return [];
    const waitMs = this.#claimedAt + CLAIM_GAP_MS - monotonicMs();
    if (waitMs > 0) await sleep(waitMs);
    this.#claimedAt = monotonicMs();
    const rows = await this.#exchange([limits, Math.max(0, limit), alone, members.own], ended);
    if (rows.length > 0) this.#offersPace.restart();
    return rows
      .sort((a, b) => Number(a.seq) - Number(b.seq))
      .map(({ task_id: taskId, n, url, request, epoch, deaths }) => ({
        ...{ taskId, n, url, epoch, deaths },
        request: JSON.parse(request) as unknown,
      }));
  }

  async #exchange(
    claim: readonly unknown[],
    ended: readonly EndedVisit[],
  ): Promise<{ [K in keyof ClaimedRow]: ClaimedRow[K] }[]> {
    const { database } = this.#options;
    if (ended.length === 0) return database.query(CLAIM, claim);
    const rows = await database.query<{ [K in keyof ClaimedRow]: ClaimedRow[K] }>(EXCHANGE, [
      ...claim,
      ...toEndedColumns(ended),
    ]);
    this.#publishEnded(ended);
    return rows;
  }

  async finish(ended: readonly EndedVisit[]): Promise<void> {
    if (ended.length === 0) return;
    const { database, members } = this.#options;
    const values = [members.own, ...toEndedColumns(ended)];
    await throughOutage(() => database.query(FINISH, values));
    this.#publishEnded(ended);
  }

  #publishEnded(ended: readonly EndedVisit[]): void {
    for (const id of new Set(ended.map(({ visit }) => visit.taskId)))
      this.#options.notices.publishSometimes(ENDED_TOPIC + id);
  }

  async giveBack(visits: readonly ClaimedVisit[]): Promise<void> {
    if (visits.length === 0) return;
    const { database, members, notices } = this.#options;
    await database.query(GIVE_BACK, [members.own, ...toColumns(visits)]);
    notices.publishSometimes(OFFERS_TOPIC);
  }

  async keepOnly(visits: readonly ClaimedVisit[]): Promise<void> {
    const { database, members, notices } = this.#options;
    await database.query(KEEP_ONLY, [members.own, ...toColumns(visits)]);
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
    return this.#offersPace.wait(this.#options.notices, OFFERS_TOPIC, signal);
  }

  waitForEnded({ taskId }: TaskLease, signal: AbortSignal): Promise<void> {
    return this.#findPace(taskId).wait(this.#options.notices, ENDED_TOPIC + taskId, signal);
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

const toEndedColumns = (ended: readonly EndedVisit[]): unknown[] => [
  ...toColumns(ended.map(({ visit }) => visit)),
  ended.map(({ outcome }) => JSON.stringify(outcome)),
];
