// The tables of a cluster, and their migrations under a lock.
import type { Queries } from './database.ts';
import { unusable } from './database-error.ts';

/** The key of the advisory lock for migrations; any number that only OpenChrome uses. */
const MIGRATION_LOCK = 0x6f63_6d69;

/** The first key of the advisory locks of members; the second is the member's lock number. */
export const MEMBER_LOCKS = 0x6f63_6d65;

/** The lock of the process that deletes expired rows. */
export const SWEEP_LOCK = 0x6f63_7377;

/** The schema of the job engine's tables. */
export const JOBS_SCHEMA = 'openchrome_jobs';

/**
 * Each entry is applied once, in order; never change an entry that was released. Rows of `visits`
 * and `hosts` change often: they are vacuumed after a fixed number of changes, and pages have free
 * space for new versions of their rows. Payloads are stored without compression, so that a part of
 * one can be read without reading the rest.
 */
const MIGRATIONS: readonly string[] = [
  `
create table openchrome.members (
  id text primary key,
  lock_key integer not null,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  slots integer not null,
  engine text,
  report text not null,
  joined_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp()
);
create sequence openchrome.lock_keys as integer minvalue 1 cycle;

create table openchrome.tasks (
  id text collate "C" primary key,
  status text not null,
  meta text not null,
  version bigint not null default 0,
  change_id text,
  events integer not null default 0,
  call text,
  limits text,
  lead text,
  epoch integer not null default 0,
  bytes bigint,
  touched_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
) with (fillfactor = 70);
create index tasks_without_lead on openchrome.tasks (id)
  where call is not null and lead is null and ended_at is null;
create index tasks_by_lead on openchrome.tasks (lead) where lead is not null;

/* Two statements: the second one reads the row as it is after the first one waited for a lock. */
create function openchrome.swap_task(
  p_id text, p_version bigint, p_meta text, p_status text, p_change_id text, p_event text,
  p_ended boolean, p_lead text, p_epoch integer
) returns table (done boolean, meta text, version bigint, change_id text, lead text, epoch integer)
language plpgsql as $$
#variable_conflict use_column
declare
  event_number integer;
begin
  update openchrome.tasks t set meta = p_meta, status = p_status, version = t.version + 1,
    change_id = p_change_id,
    events = t.events + case when p_event is null then 0 else 1 end,
    touched_at = clock_timestamp(),
    ended_at = case when p_ended then coalesce(t.ended_at, clock_timestamp()) end,
    call = case when p_ended then null else t.call end
  where t.id = p_id and t.version = p_version
    and (p_lead is null or (t.lead = p_lead and t.epoch = p_epoch))
  returning t.events into event_number;
  if not found then
    return query select false, t.meta, t.version, t.change_id, t.lead, t.epoch
      from openchrome.tasks t where t.id = p_id;
    return;
  end if;
  if p_event is not null then
    insert into openchrome.task_events (task_id, n, event) values (p_id, event_number, p_event);
  end if;
  return query select true, ''::text, 0::bigint, ''::text, ''::text, 0;
end $$;

create table openchrome.task_events (
  task_id text collate "C" not null,
  n integer not null,
  event text not null,
  primary key (task_id, n)
);
create table openchrome.task_lines (
  task_id text collate "C" not null,
  file text not null,
  n integer not null,
  line text not null,
  primary key (task_id, file, n)
);

create table openchrome.chunks (
  owner text collate "C" not null,
  n integer not null,
  data bytea not null,
  primary key (owner, n)
);
alter table openchrome.chunks alter column data set storage external;
create table openchrome.payloads (
  handle text collate "C" primary key,
  meta text not null,
  size_bytes bigint not null,
  part_of text,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);
create index payloads_by_expiry on openchrome.payloads (expires_at);

create table openchrome.visits (
  task_id text collate "C" not null,
  n integer not null,
  seq bigint generated always as identity,
  url text not null,
  request text not null,
  limits text not null,
  state smallint not null default 0,
  member text,
  epoch integer not null default 0,
  deaths integer not null default 0,
  outcome text,
  primary key (task_id, n)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 5000
);
create index visits_offered on openchrome.visits (limits, seq) where state = 0;
create index visits_claimed on openchrome.visits (member) where state = 1;
create index visits_ended on openchrome.visits (task_id) where state = 2;

create table openchrome.hosts (
  host text primary key,
  turn bigint not null default 0,
  started_at timestamptz not null default 'epoch',
  answered boolean not null default true,
  answered_at timestamptz not null default 'epoch',
  rests_until timestamptz not null default 'epoch'
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 1000
);
create table openchrome.robots (
  origin text primary key,
  status integer,
  body text,
  fetched_at timestamptz,
  fetcher text,
  fetching_since timestamptz
);
`,
];

const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Creates or updates the tables. Several processes may start at the same time: one of them
 * migrates, and the others wait for it.
 */
export const migrate = async (queries: Queries): Promise<void> => {
  await queries.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  const version = await findSchemaVersion(queries);
  if (version === undefined) await createSchema(queries);
  if ((version ?? 0) > SCHEMA_VERSION) throw newerSchema(version ?? 0);
  for (const [i, sql] of MIGRATIONS.entries()) {
    if (i < (version ?? 0)) continue;
    await queries.query(sql);
    await queries.query('update openchrome.schema_version set version = $1', [i + 1]);
  }
};

const createSchema = async (queries: Queries): Promise<void> => {
  await queries.query('create schema if not exists openchrome');
  await queries.query('create table openchrome.schema_version (version integer not null)');
  await queries.query('insert into openchrome.schema_version values (0)');
};

/** Undefined if the tables do not exist yet. */
export const findSchemaVersion = async (queries: Queries): Promise<number | undefined> => {
  const [table] = await queries.query<{ found: string | null }>(
    "select to_regclass('openchrome.schema_version')::text as found",
  );
  if ((table?.found ?? null) === null) return undefined;
  const [row] = await queries.query<{ version: number }>(
    'select version from openchrome.schema_version',
  );
  return row?.version ?? 0;
};

const newerSchema = (version: number): Error =>
  unusable(
    `The cluster's tables have version ${version}; this OpenChrome knows ${SCHEMA_VERSION}.`,
    'Update OpenChrome on this machine to the version of the other machines.',
  );

/** Whether this process can use tables of this version without migrating them. */
export const isCurrentSchema = (version: number | undefined): boolean => version === SCHEMA_VERSION;
