// Notices between the processes of a cluster, at most 20 per second, and polls that replace them.
import { abortable, after, monotonicMs } from '../../core/time.ts';
import type { TaskWatch } from '../tasks/task-ledger.ts';
import type { Database } from './database.ts';
import { CHANNEL, type ClusterSession } from './session.ts';

/** Followed by the id of a task whose row has changed. */
export const TASK_TOPIC = 'task:';
/** There may be page visits to claim. */
export const OFFERS_TOPIC = 'offers';
/** Followed by the id of a task with page visits that have ended. */
export const ENDED_TOPIC = 'ended:';
/** A robots.txt was fetched. */
export const ROBOTS_TOPIC = 'robots';

const MIN_GAP_MS = 50;
/** Waiters look again after this time, also without a notice. */
const POLL_MS = 1_000;
/** Shortest and longest time between two looks of a watch: a cancel waits for two watches. */
const FIRST_WATCH_MS = 100;
const LAST_WATCH_MS = 500;
/** The server accepts 8,000 bytes; a longer list of topics is sent as "anything". */
const MAX_PAYLOAD = 7_900;
const ANYTHING = '*';
/** Gap between two notices about a busy topic, whose waiters poll. */
const BUSY_GAP_MS = 500;
const MAX_BUSY_TOPICS = 1_000;

export class Notices implements Disposable {
  readonly #database: Database;
  readonly #session: ClusterSession;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #unsent = new Set<string>();
  readonly #published = new Map<string, number>();
  #sentAt = -Infinity;
  #timer: Disposable | undefined;
  #closed = false;

  constructor(database: Database, session: ClusterSession) {
    this.#database = database;
    this.#session = session;
    session.listen({ onNotice: (payload) => this.#receive(payload) });
  }

  /** Wakes the waiters of a topic in all processes. A lost notice only costs a poll interval. */
  publish(topic: string): void {
    if (this.#closed) return;
    this.#wake(topic);
    this.#unsent.add(topic);
    const waitMs = this.#sentAt + MIN_GAP_MS - monotonicMs();
    if (this.#timer) return;
    if (waitMs <= 0) this.#send();
    else this.#timer = after(waitMs, () => this.#send());
  }

  /**
   * As `publish`, for a topic that changes many times per second. Its waiters poll often while it
   * changes, which costs the server less than notices that wake all processes.
   */
  publishSometimes(topic: string): void {
    const now = monotonicMs();
    if (now - (this.#published.get(topic) ?? -Infinity) < BUSY_GAP_MS) return this.#wake(topic);
    if (this.#published.size >= MAX_BUSY_TOPICS) this.#published.clear();
    this.#published.set(topic, now);
    this.publish(topic);
  }

  #send(): void {
    this.#timer = undefined;
    if (this.#unsent.size === 0 || this.#closed) return;
    const topics = [...this.#unsent].join(' ');
    this.#unsent.clear();
    this.#sentAt = monotonicMs();
    const payload = topics.length > MAX_PAYLOAD ? ANYTHING : topics;
    // Not part of a transaction: NOTIFY makes commits wait for each other.
    this.#database.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
  }

  #receive(payload: string): void {
    if (payload === ANYTHING) for (const topic of this.#waiting.keys()) this.#wake(topic);
    else for (const topic of payload.split(' ')) this.#wake(topic);
  }

  #wake(topic: string): void {
    const waiters = this.#waiting.get(topic);
    this.#waiting.delete(topic);
    for (const wake of waiters ?? []) wake();
  }

  /**
   * Resolves after the next notice about the topic, or after the poll interval. Returns true after a
   * notice.
   */
  async wait(topic: string, signal?: AbortSignal, pollMs = POLL_MS): Promise<boolean> {
    this.#session.start();
    const waiters = this.#waiting.get(topic) ?? new Set();
    this.#waiting.set(topic, waiters);
    let wake: () => void = () => {};
    let poll: () => void = () => {};
    const woken = new Promise<boolean>((resolve) => {
      wake = () => resolve(true);
      poll = () => resolve(false);
      waiters.add(wake);
    });
    using _poll = after(pollMs, poll);
    try {
      return await abortable(woken, signal);
    } finally {
      waiters.delete(wake);
      if (waiters.size === 0 && this.#waiting.get(topic) === waiters) this.#waiting.delete(topic);
    }
  }

  watch(topic: string): TaskWatch {
    const closed = new AbortController();
    const pace = new PollPace(FIRST_WATCH_MS, LAST_WATCH_MS);
    return {
      next: async (signal) => {
        await this.wait(topic, AbortSignal.any([signal, closed.signal]), pace.nextMs());
      },
      [Symbol.dispose]: () => closed.abort(),
    };
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#timer?.[Symbol.dispose]();
  }
}

/** How long to wait until the next look: short after a success, then longer and longer. */
export class PollPace {
  readonly #shortestMs: number;
  readonly #longestMs: number;
  #waits = 0;

  constructor(shortestMs: number, longestMs = POLL_MS) {
    this.#shortestMs = shortestMs;
    this.#longestMs = longestMs;
  }

  /** Twice as long as the last time. */
  nextMs(): number {
    return Math.min(this.#shortestMs * 2 ** Math.min(this.#waits++, 10), this.#longestMs);
  }

  /** The last look found something. */
  restart(): void {
    this.#waits = 0;
  }

  /** Waits for a notice, or until the next look. After a notice, further ones may be left out. */
  async wait(notices: Notices, topic: string, signal: AbortSignal): Promise<void> {
    if (await notices.wait(topic, signal, this.nextMs())) this.restart();
  }
}
