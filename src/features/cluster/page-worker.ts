// Loads page visits of the cluster: claims as many as there are free slots, and saves the outcomes.
import type { Log } from '../../core/log.ts';
import { every, sleep } from '../../core/time.ts';
import type { ClaimedVisit, VisitOutcome, VisitQueue } from '../../store/cluster/cluster-store.ts';

/** How long to wait for further slots after one is free. */
const GATHER_MS = 5;
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
  #ended: { readonly visit: ClaimedVisit; readonly outcome: VisitOutcome }[] = [];
  #saving: Promise<void> | undefined;
  #wake: () => void = () => {};
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
      const mayBeMore = await this.#claim().catch((error: unknown) => {
        this.#options.log.warn('page visits could not be claimed', error);
        return false;
      });
      if (mayBeMore) continue;
      // After a short time more slots are free: one statement claims for all of them.
      await Promise.race([offered, freed.then(() => sleep(GATHER_MS))]);
    }
    const open = [...this.#active];
    this.#stopAll();
    await this.#saving;
    // If the database cannot be reached, the visits are reassigned when this process has ended.
    await this.#options.visits.giveBack(open).catch(() => {});
  }

  /**
   * Returns whether there may be more visits to claim. A page whose workers died is loaded alone, so
   * that others do not end with its next worker.
   */
  async #claim(): Promise<boolean> {
    const { visits, slots, limits } = this.#options;
    const limit = slots - this.#active.size;
    const isSuspect = [...this.#active].some(({ deaths }) => deaths > 0);
    if (limit <= 0 || isSuspect) return false;
    const claimed = await visits.claim({ limit, alone: this.#active.size === 0, limits });
    for (const visit of claimed) void this.#load(visit);
    return claimed.length === limit;
  }

  async #load(visit: ClaimedVisit): Promise<void> {
    this.#active.add(visit);
    try {
      const outcome = await this.#options.load(visit);
      this.pages++;
      if (!('page' in outcome)) this.errors++;
      this.#ended.push({ visit, outcome });
      this.#saving ??= this.#save().finally(() => (this.#saving = undefined));
    } catch (error) {
      // A stopped visit has no outcome; another worker loads it if it is still needed.
      this.#options.log.debug('a page visit was stopped', error);
      await this.#options.visits.giveBack([visit]).catch(() => {});
    } finally {
      this.#active.delete(visit);
      this.#wake();
    }
  }

  /** Outcomes that arrive while a statement runs are saved together with the next one. */
  async #save(): Promise<void> {
    while (this.#ended.length > 0) {
      const ended = this.#ended;
      this.#ended = [];
      await this.#options.visits
        .finish(ended)
        .catch((error: unknown) => this.#options.log.warn('outcomes could not be saved', error));
    }
  }

  async #check(): Promise<void> {
    const visits = [...this.#active];
    if (visits.length === 0) return;
    const kept = new Set(
      (await this.#options.visits.stillClaimed(visits)).map(({ taskId, n }) => `${taskId} ${n}`),
    );
    const tasks = visits
      .filter(({ taskId, n }) => !kept.has(`${taskId} ${n}`))
      .map(({ taskId }) => taskId);
    for (const taskId of new Set(tasks)) this.#options.stop(taskId);
  }

  #stopAll(): void {
    for (const taskId of new Set([...this.#active].map((visit) => visit.taskId)))
      this.#options.stop(taskId);
  }
}
