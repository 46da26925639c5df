// /dashboard/events: sends new calls and changed state to connected viewers.
import type { ServerResponse } from 'node:http';
import { fail } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { after, every } from '../../core/time.ts';
import type { TabView } from '../../features/observe/tab-view.ts';
import type { FeedPage, JournalFeed } from '../../store/journal/journal-feed.ts';
import { toCallRow } from './call-rows.ts';
import type {
  DecisionRow,
  FeedEvents,
  HealthRow,
  SampleRow,
  TaskItem,
  WaitingRow,
} from './messages.ts';

/** The current state, read while a viewer is connected. */
export interface FeedSources {
  readonly journal: JournalFeed;
  readonly log: Log;
  readonly listTabs: () => readonly TabView[];
  /** Checks which pages respond. */
  readonly checkPages: () => Promise<void>;
  readonly listTasks: () => Promise<readonly TaskItem[]>;
  readonly listWaiting: () => Promise<readonly WaitingRow[]>;
  readonly listDecisions: () => Promise<readonly DecisionRow[]>;
  /** Reports questions that are opened or answered in this process. */
  readonly watchWaiting: (onChange: () => void) => Promise<() => void>;
  readonly readHealth: () => HealthRow;
}

/**
 * From a change of the journal to its reading: the reply of the call is sent first, and several
 * calls are read at once.
 */
const JOURNAL_MS = 100;
const TABS_MS = 250;
const TASKS_MS = 1_000;
/** Without calls and running tasks, the state is read only at every third interval. */
const QUIET_INTERVALS = 3;
const CHECK_MS = 4_000;
const PING_MS = 15_000;
/** A viewer that does not read is disconnected; it continues from its last event. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
export const MAX_VIEWERS = 20;
/** Delay before a viewer connects again after the server has ended. */
const RETRY_MS = 500;

interface FeedViewer {
  readonly response: ServerResponse;
  /** The journal was sent up to here. */
  position: string;
}

export class EventFeed implements Disposable {
  readonly #sources: FeedSources;
  readonly #viewers = new Set<FeedViewer>();
  #running: Promise<Disposable> | undefined;
  #reading: Promise<void> | undefined;
  #isReadDue = false;
  #readAgain = false;
  /** The last sent state by event name, as JSON. */
  readonly #sent = new Map<string, string>();
  #tasks = new Map<string, string>();
  readonly #taskTexts = new WeakMap<TaskItem, string>();
  #hasLiveTasks = false;
  /** Intervals since the last call. */
  #quietFor = 0;

  constructor(sources: FeedSources) {
    this.#sources = sources;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Sends events to this response until it closes, starting after a position of the journal. */
  async add(response: ServerResponse, position: string | undefined): Promise<void> {
    if (this.#viewers.size >= MAX_VIEWERS)
      throw fail('overloaded', `The dashboard has ${MAX_VIEWERS} viewers, which is its limit.`, {
        hint: 'Close another window of the dashboard first.',
      });
    const viewer: FeedViewer = { response, position: position ?? '' };
    this.#viewers.add(viewer);
    response.once('close', () => this.#remove(viewer));
    if (position === undefined) viewer.position = await this.#sources.journal.end();
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#running ??= this.#run();
    await this.#running;
    await Promise.all([this.#readJournal(), this.#sendAllState(viewer)]);
  }

  /** The other viewers have the state already: they get only its changes. */
  async #sendAllState(viewer: FeedViewer): Promise<void> {
    if (this.#viewers.size === 1) {
      this.#sent.clear();
      this.#tasks.clear();
      return this.#sendState();
    }
    await this.#sendState();
    for (const [name, json] of this.#sent) send(viewer, formatJsonEvent(name, json));
    send(viewer, formatJsonEvent('tasks', `[${[...this.#tasks.values()].join()}]`));
  }

  /** Sends a sample to all viewers. */
  sendSample(sample: SampleRow): void {
    this.#broadcast('sample', sample);
  }

  /** Reports that a call has a picture. */
  sendThumbnail(key: string): void {
    this.#broadcast('thumbnail', key);
  }

  #remove(viewer: FeedViewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this[Symbol.dispose]();
  }

  async #run(): Promise<Disposable> {
    const { journal, watchWaiting } = this.#sources;
    const watch = await journal.watch(() => this.#readJournalSoon());
    const stopWaiting = await watchWaiting(() => void this.#sendState());
    const timers = [
      every(TABS_MS, () => this.#sendTabs()),
      every(TASKS_MS, () => this.#sendStateIfDue()),
      every(CHECK_MS, () => this.#sources.checkPages()),
      every(PING_MS, () => this.#ping()),
    ];
    return {
      [Symbol.dispose]: () => {
        watch[Symbol.dispose]();
        stopWaiting();
        for (const timer of timers) timer[Symbol.dispose]();
      },
    };
  }

  /** Ends the work for viewers, and the connections of those that are left. */
  [Symbol.dispose](): void {
    const running = this.#running;
    this.#running = undefined;
    void running?.then((work) => work[Symbol.dispose]());
    for (const { response } of this.#viewers) response.end();
    this.#viewers.clear();
  }

  #readJournalSoon(): void {
    if (this.#isReadDue) return;
    this.#isReadDue = true;
    after(JOURNAL_MS, () => {
      this.#isReadDue = false;
      void this.#readJournal();
    });
  }

  /** One read at a time; a change during a read causes another one. */
  #readJournal(): Promise<void> {
    this.#readAgain = true;
    this.#reading ??= this.#readAll()
      .catch((error: unknown) => this.#sources.log.warn('the journal cannot be read', error))
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#readAgain && this.#viewers.size > 0) {
      this.#readAgain = false;
      const positions = new Set([...this.#viewers].map(({ position }) => position));
      for (const position of positions) await this.#readFrom(position);
    }
  }

  async #readFrom(start: string): Promise<void> {
    const viewers = [...this.#viewers].filter(({ position }) => position === start);
    for (let position = start, more = true; more;) {
      const page: FeedPage = await this.#sources.journal.readAfter(position);
      ({ position, more } = page);
      const rows = page.lines.map(toCallRow);
      if (rows.length > 0) this.#quietFor = 0;
      if (rows.length === 0 && position === start) return;
      const text = formatEvent('calls', page.gap ? { rows, gap: true } : { rows }, position);
      for (const viewer of viewers) {
        viewer.position = position;
        send(viewer, text);
      }
    }
  }

  #sendTabs(): void {
    this.#sendIfChanged('tabs', this.#sources.listTabs());
  }

  async #sendStateIfDue(): Promise<void> {
    this.#quietFor++;
    const isQuiet = this.#quietFor > QUIET_INTERVALS && !this.#hasLiveTasks;
    if (!isQuiet || this.#quietFor % QUIET_INTERVALS === 0) await this.#sendState();
  }

  async #sendState(): Promise<void> {
    this.#sendTabs();
    const { listTasks, listWaiting, listDecisions, readHealth } = this.#sources;
    const [tasks, waiting, decisions] = await Promise.all([
      listTasks(),
      listWaiting(),
      listDecisions(),
    ]);
    this.#sendTasks(tasks);
    this.#sendIfChanged('waiting', waiting);
    this.#sendIfChanged('decisions', decisions);
    this.#sendIfChanged('health', readHealth());
  }

  #sendTasks(tasks: readonly TaskItem[]): void {
    const texts = new Map(tasks.map((task) => [task.id, this.#formatTask(task)]));
    const changed = tasks.filter(({ id }) => texts.get(id) !== this.#tasks.get(id));
    this.#hasLiveTasks = tasks.some(({ ended }) => ended === undefined);
    this.#tasks = texts;
    if (changed.length > 0) this.#broadcast('tasks', changed);
  }

  /** Items of tasks that have not changed are the same objects. */
  #formatTask(task: TaskItem): string {
    const text = this.#taskTexts.get(task) ?? JSON.stringify(task);
    this.#taskTexts.set(task, text);
    return text;
  }

  #sendIfChanged<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    const json = JSON.stringify(data);
    if (this.#sent.get(name) === json) return;
    this.#sent.set(name, json);
    this.#sendText(formatJsonEvent(name, json));
  }

  #broadcast<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    this.#sendText(formatEvent(name, data));
  }

  #ping(): void {
    this.#sendText(': ping\n\n');
  }

  #sendText(text: string): void {
    for (const viewer of this.#viewers) send(viewer, text);
  }
}

/** JSON has no line breaks, so that the data is one line. */
const formatEvent = <Name extends keyof FeedEvents>(
  name: Name,
  data: FeedEvents[Name],
  id?: string,
): string => {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}${formatJsonEvent(name, JSON.stringify(data))}`;
};

const formatJsonEvent = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`;

const send = ({ response }: FeedViewer, text: string): void => {
  if (response.writableLength > MAX_UNSENT_BYTES) response.destroy();
  else if (response.headersSent) response.write(text);
};
