// Loads page visits of the cluster: claims as many as there are free slots, saves their outcomes.
import type { Log } from '../../core/log.ts';
import { every, monotonicMs, sleep } from '../../core/time.ts';
import type {
  ClaimedVisit,
  EndedVisit,
  VisitOutcome,
  VisitQueue,
} from '../../store/cluster/cluster-store.ts';

/** Time between two statements while other visits are being loaded: one statement for all of it. */
const GATHER_MS = 60;
/** How often a worker checks whether its visits are still needed. */
const CHECK_MS = 500;

interface PageWorkerOptions {
  readonly visits: VisitQueue;
  readonly slots: number;
  /** A hash of the settings that limit calls. */
  readonly limits: string;
  /** Throws if the visit is stopped. */
  readonly load: (visit: ClaimedVisit) => Promise<VisitOutcome>;
  /** Stops the visits of a task. */
  readonly stop: (taskId: string) => void;
  readonly log: Log;
}

export class PageWorker {
  readonly #options: PageWorkerOptions;
  readonly #active = new Set<ClaimedVisit>();
  /** Outcomes that are not saved yet. */
  #ended: readonly EndedVisit[] = [];
  /** The last statement failed: it may have claimed visits that this process does not know. */
  #isUnsure = false;
  #exchangedAt = -Infinity;
  #wake: () => void = () => {};
  #onIdle: () => void = () => {};
  pages = 0;
  errors = 0;

  constructor(options: PageWorkerOptions) {
    this.#options = options;
  }

  get active(): number {
    return this.#active.size;
  }

  /** Works until the signal aborts, then gives the visits back. */
  async run(signal: AbortSignal): Promise<void> {
    using _ = every(CHECK_MS, () => this.#check());
    while (!signal.aborted) {
      const offered = this.#options.visits.waitForOffers(signal).catch(() => {});
      const freed = new Promise<void>((resolve) => (this.#wake = resolve));
      await this.#exchange();
      await Promise.race([offered, freed]);
      await this.#gather();
    }
    const { visits } = this.#options;
    const [open, ended] = [[...this.#active], this.#ended];
    this.#ended = [];
    this.#stopAll();
    // If the database cannot be reached, the visits are reassigned when this process has ended.
    await visits.finish(ended).catch(() => {});
    await visits.giveBack(open).catch(() => {});
  }

  /** Waits for further outcomes, but not while all slots are free. */
  async #gather(): Promise<void> {
    const waitMs = this.#exchangedAt + GATHER_MS - monotonicMs();
    if (waitMs <= 0 || this.#active.size === 0) return;
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.race([idle, sleep(waitMs)]);
  }

  /** Saves the outcomes and claims visits for the free slots. */
  async #exchange(): Promise<void> {
    const { visits, limits, log } = this.#options;
    const [limit, ended] = [this.#countFree(), this.#ended];
    if (limit <= 0 && ended.length === 0) return;
    this.#ended = [];
    this.#exchangedAt = monotonicMs();
    try {
      await this.#forgetUnknown(ended);
      const alone = this.#active.size === 0;
      const claimed = await visits.claim({ limit, alone, limits, ended });
      for (const visit of claimed) void this.#load(visit);
    } catch (error) {
      this.#isUnsure = true;
      this.#ended = [...ended, ...this.#ended];
      log.warn('page visits could not be claimed or saved', error);
    }
  }

  /**
   * A page whose workers died is loaded alone, so that others do not end with its next worker.
   */
  #countFree(): number {
    const isSuspect = [...this.#active].some(({ deaths }) => deaths > 0);
    return isSuspect ? 0 : this.#options.slots - this.#active.size;
  }

  async #forgetUnknown(ended: readonly EndedVisit[]): Promise<void> {
    if (!this.#isUnsure) return;
    await this.#options.visits.keepOnly([...this.#active, ...ended.map(({ visit }) => visit)]);
    this.#isUnsure = false;
  }

  async #load(visit: ClaimedVisit): Promise<void> {
    this.#active.add(visit);
    try {
      const outcome = await this.#options.load(visit);
      this.pages++;
      if (!('page' in outcome)) this.errors++;
      this.#ended = [...this.#ended, { visit, outcome }];
    } catch (error) {
      // A stopped visit has no outcome; another worker loads it if it is still needed.
      this.#options.log.debug('a page visit was stopped', error);
      await this.#options.visits.giveBack([visit]).catch(() => {});
    } finally {
      this.#active.delete(visit);
      this.#wake();
      if (this.#active.size === 0) this.#onIdle();
    }
  }

  async #check(): Promise<void> {
    const visits = [...this.#active];
    if (visits.length === 0) return;
    const kept = new Set(
      (await this.#options.visits.stillClaimed(visits)).map(({ taskId, n }) => `${taskId} ${n}`),
    );
    // A visit that has ended meanwhile may be saved, and is then not claimed any more.
    const tasks = visits
      .filter((visit) => this.#active.has(visit) && !kept.has(`${visit.taskId} ${visit.n}`))
      .map(({ taskId }) => taskId);
    for (const taskId of new Set(tasks)) this.#options.stop(taskId);
  }

  #stopAll(): void {
    for (const taskId of new Set([...this.#active].map((visit) => visit.taskId)))
      this.#options.stop(taskId);
  }
}
