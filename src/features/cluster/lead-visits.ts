// The visits of a task that this worker leads: offers them to all workers and collects outcomes.
import { abortable, every, sleep } from '../../core/time.ts';
import type {
  Members,
  OfferedVisit,
  TaskLease,
  VisitOutcome,
  VisitQueue,
} from '../../store/cluster/cluster-store.ts';
import type { RemoteVisits } from '../tasks/kind.ts';

/** How often the workers are counted. */
const COUNT_MS = 2_000;
/** Visits that are found within this time are offered in one statement. */
const OFFER_WINDOW_MS = 5;
/** Time between two looks for outcomes, so that one statement takes several. */
const COLLECT_GAP_MS = 50;

interface LeadVisitsOptions {
  readonly queue: VisitQueue;
  readonly lease: TaskLease;
  readonly members: Pick<Members, 'list'>;
  /** Aborts when another worker will lead the task: it uses the visits that are being loaded. */
  readonly stopped: AbortSignal;
}

export class LeadVisits implements RemoteVisits {
  readonly #queue: VisitQueue;
  readonly #lease: TaskLease;
  readonly #stopped: AbortSignal;
  readonly #closed = new AbortController();
  readonly #waiting = new Map<number, PromiseWithResolvers<VisitOutcome>>();
  /** Numbers of the visits whose outcome may exist: also one that ended under another lead. */
  readonly #offered = new Set<number>();
  #unsent: OfferedVisit[] = [];
  #sending: Promise<void> | undefined;
  #collecting: Promise<void> | undefined;

  readonly #counting: Disposable;
  workers = 1;

  constructor({ queue, lease, members, stopped }: LeadVisitsOptions) {
    this.#queue = queue;
    this.#lease = lease;
    this.#stopped = stopped;
    const count = async (): Promise<void> => {
      const workers = (await members.list()).filter(
        ({ role, limits }) => role === 'worker' && limits === lease.call.limits,
      );
      this.workers = Math.max(1, workers.length);
    };
    void count().catch(() => {}); // is counted again
    this.#counting = every(COUNT_MS, count);
  }

  load(visit: OfferedVisit): Promise<VisitOutcome> {
    const outcome = withResolvers<VisitOutcome>();
    this.#waiting.set(visit.n, outcome);
    this.#unsent.push(visit);
    this.#sending ??= this.#send()
      .catch(this.#fail)
      .finally(() => (this.#sending = undefined));
    return abortable(outcome.promise, this.#closed.signal);
  }

  async close(): Promise<void> {
    this.#counting[Symbol.dispose]();
    this.#closed.abort(new Error('the crawl has ended'));
    await Promise.all([this.#sending, this.#collecting]);
    if (!this.#stopped.aborted) await this.#queue.drop(this.#lease);
  }

  /** Visits that arrive while a statement runs are sent together with the next one. */
  async #send(): Promise<void> {
    while (this.#unsent.length > 0) {
      await sleep(OFFER_WINDOW_MS);
      const visits = this.#unsent;
      this.#unsent = [];
      await this.#queue.offer(this.#lease, visits);
      for (const { n } of visits) this.#offered.add(n);
      this.#collecting ??= this.#collect()
        .catch(this.#fail)
        .finally(() => (this.#collecting = undefined));
    }
  }

  async #collect(): Promise<void> {
    const { signal } = this.#closed;
    while (this.#offered.size > 0 && !signal.aborted) {
      const changed = this.#queue.waitForEnded(this.#lease, signal);
      changed.catch(() => {}); // unused if visits have ended
      const ended = await this.#queue.takeEnded(this.#lease, [...this.#offered]);
      for (const { n, outcome } of ended) {
        this.#waiting.get(n)?.resolve(outcome);
        this.#waiting.delete(n);
        this.#offered.delete(n);
      }
      await (ended.length === 0 ? changed : sleep(COLLECT_GAP_MS, signal));
    }
  }

  readonly #fail = (error: unknown): void => {
    if (this.#closed.signal.aborted) return;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#offered.clear();
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** Node 20 lacks `Promise.withResolvers`. */
const withResolvers = <T>(): PromiseWithResolvers<T> => {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
};
