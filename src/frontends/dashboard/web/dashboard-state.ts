// The state of the page: signals that the feed of events keeps up to date.
import { batch, computed, signal } from '@preact/signals';
import type {
  CallPage,
  CallRow,
  DecisionRow,
  FeedEvents,
  HealthRow,
  SampleRow,
  StateMessage,
  TaskItem,
  WaitingRow,
} from '../messages.ts';
import type { TabView } from '../../../features/observe/tab-view.ts';
import { fetchJson, ServerFailure, withKey } from './server-requests.ts';

export type FeedConnection = 'connecting' | 'open' | 'lost' | 'refused';

/** Rows in memory; the oldest are dropped. */
const MAX_ROWS = 20_000;
/** Rows that are loaded without scrolling. */
const PRELOADED_ROWS = 10_000;
/** Small pages with pauses, because the server reads them while agents use it. */
const OLDER_ROWS = 500;
const PRELOAD_PAUSE_MS = 250;
/** The first view and the calls that run meanwhile come first. */
const PRELOAD_START_MS = 1_000;
const RETRY_MS = 1_000;
/** After a new connection, the server can repeat this many of the newest rows. */
const REPEATED_ROWS = 500;

export const connection = signal<FeedConnection>('connecting');
export const refusal = signal('');
export const isReadonly = signal(false);
export const serverVersion = signal('');
/** Newest first. */
export const calls = signal<readonly CallRow[]>([]);
export const olderCalls = signal<string | undefined>(undefined);
export const tabs = signal<readonly TabView[]>([]);
export const tasks = signal<readonly TaskItem[]>([]);
export const waiting = signal<readonly WaitingRow[]>([]);
export const decisions = signal<readonly DecisionRow[]>([]);
export const health = signal<HealthRow | undefined>(undefined);
/** Keys of calls with a picture. */
export const thumbnails = signal<ReadonlySet<string>>(new Set());
export const newSamples = signal<readonly SampleRow[]>([]);
/** Local time minus the time of the server. */
export const clockOffset = signal(0);

export const runningTasks = computed(
  () => tasks.value.filter(({ status }) => status === 'RUNNING' || status === 'PENDING').length,
);

const addRows = (rows: readonly CallRow[]): void => {
  if (rows.length === 0) return;
  const known = new Set(calls.value.slice(0, REPEATED_ROWS).map(({ id }) => id));
  const fresh = rows.filter(({ id }) => !known.has(id)).toReversed();
  if (fresh.length > 0) calls.value = [...fresh, ...calls.value].slice(0, MAX_ROWS);
};

const mergeTasks = (changed: readonly TaskItem[]): void => {
  const byId = new Map(tasks.value.map((task) => [task.id, task]));
  for (const task of changed) byId.set(task.id, task);
  tasks.value = [...byId.values()].sort((a, b) => b.created - a.created);
};

const applyState = (state: StateMessage): void =>
  batch(() => {
    isReadonly.value = state.readonly;
    serverVersion.value = state.version;
    clockOffset.value = Date.now() - state.now;
    calls.value = state.calls.rows.toReversed();
    olderCalls.value = state.calls.older;
    tabs.value = state.tabs;
    tasks.value = [...state.tasks].sort((a, b) => b.created - a.created);
    waiting.value = state.waiting;
    decisions.value = state.decisions;
    health.value = state.health;
    thumbnails.value = new Set(state.thumbnails);
  });

const HANDLERS: { readonly [Name in keyof FeedEvents]: (data: FeedEvents[Name]) => void } = {
  calls: ({ rows, gap }) => {
    if (gap) void connect();
    else addRows(rows);
  },
  tabs: (rows) => (tabs.value = rows),
  tasks: mergeTasks,
  waiting: (rows) => (waiting.value = rows),
  decisions: (rows) => (decisions.value = rows),
  sample: (sample) => (newSamples.value = [...newSamples.value.slice(-239), sample]),
  health: (row) => (health.value = row),
  thumbnail: (key) => (thumbnails.value = new Set([...thumbnails.value, key].slice(-1_000))),
};

let source: EventSource | undefined;

const listen = (position: string): void => {
  source?.close();
  const opened = new EventSource(withKey('/dashboard/events', { after: position }));
  source = opened;
  opened.addEventListener('open', () => (connection.value = 'open'));
  opened.addEventListener('error', () => {
    connection.value = 'lost';
    // The browser itself tries again, except after an HTTP error.
    if (opened.readyState === EventSource.CLOSED) retry();
  });
  for (const name of Object.keys(HANDLERS) as (keyof FeedEvents)[])
    opened.addEventListener(name, ({ data }: MessageEvent<string>) =>
      (HANDLERS[name] as (data: unknown) => void)(JSON.parse(data)),
    );
};

const retry = (): void => void setTimeout(() => void connect(), RETRY_MS);

/** Loads the state and follows the feed; tries again until the server answers. */
export const connect = async (): Promise<void> => {
  try {
    const state = await fetchJson<StateMessage>('/dashboard/state');
    applyState(state);
    connection.value = 'open';
    listen(state.position);
    requestIdleCallback(() => void preload());
  } catch (error) {
    if (error instanceof ServerFailure && error.status < 500) {
      connection.value = 'refused';
      refusal.value = error.message;
      return;
    }
    connection.value = 'lost';
    retry();
  }
};

let isLoading = false;

/** Loads the next older page of the timeline. */
export const loadOlder = async (): Promise<void> => {
  const before = olderCalls.value;
  if (isLoading || before === undefined || calls.value.length >= MAX_ROWS) return;
  isLoading = true;
  try {
    const page = await fetchJson<CallPage>('/dashboard/calls', {
      before,
      count: String(OLDER_ROWS),
    });
    batch(() => {
      calls.value = [...calls.value, ...page.rows.toReversed()];
      olderCalls.value = page.older;
    });
  } finally {
    isLoading = false;
  }
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const preload = async (): Promise<void> => {
  await pause(PRELOAD_START_MS);
  while (olderCalls.value !== undefined && calls.value.length < PRELOADED_ROWS) {
    await loadOlder();
    await pause(PRELOAD_PAUSE_MS);
  }
};
