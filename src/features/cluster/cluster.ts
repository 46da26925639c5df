// The membership of this process in a cluster: shared stores, and for a worker its two loops.
import { createHash } from 'node:crypto';
import { type Config, type ConfigKey, formatFlag } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import { createLog, type Log } from '../../core/log.ts';
import type {
  ClaimedVisit,
  ClusterConnection,
  ClusterMember,
  ClusterStore,
  HostTurn,
  HostTurns,
  MemberReport,
  MemberRole,
  TaskLease,
  VisitOutcome,
} from '../../store/cluster/cluster-store.ts';
import type { PayloadWriter } from '../../store/files/payload-writer.ts';
import { OwnTurns } from '../crawl/politeness.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { LeadVisits } from './lead-visits.ts';
import { PageWorker } from './page-worker.ts';

/** The turns of all workers at a host; requests without a delay need no database. */
class FleetTurns implements HostTurns {
  readonly #shared: HostTurns;
  readonly #own = new OwnTurns();

  constructor(shared: HostTurns) {
    this.#shared = shared;
  }

  async take(host: string, delayMs: number, signal: AbortSignal): Promise<HostTurn> {
    const own = await this.#own.take(host, 0, signal);
    return delayMs > 0 ? this.#shared.take(host, delayMs, signal) : own;
  }

  async rest(host: string, ms: number): Promise<void> {
    await Promise.all([this.#own.rest(host, ms), this.#shared.rest(host, ms)]);
  }
}

/** Not the settings that name files or programs: these differ between machines. */
const LIMITS: readonly ConfigKey[] = [
  'allowDomains',
  'blockDomains',
  'allowPrivateNetwork',
  'allowScheme',
  'policy',
  'readOnly',
  'disableTools',
  'sanitizeContent',
  'insecure',
];

const LIMIT_FLAGS = LIMITS.map(formatFlag).join(', ');

/** A worker takes only tasks of gateways with the same hash of the settings that limit crawls. */
const hashLimits = (config: Config): string =>
  createHash('sha256')
    .update(JSON.stringify(LIMITS.map((key) => sortTexts(config[key]))))
    .digest('hex')
    .slice(0, 16);

/** The order of domains and tools has no meaning; that of rules has. */
const sortTexts = (value: unknown): unknown =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.toSorted((a, b) => (a < b ? -1 : 1))
    : value;

/** Tasks that one worker leads at a time. */
const MAX_LEADS = 8;

interface ClusterParts {
  readonly writer: PayloadWriter;
  readonly log: Log;
}

export type CreateCluster = (parts: ClusterParts) => Cluster;

/** Throws if the database cannot be used; the message does not contain its URL. */
export const connectCluster = async (config: Config, role: MemberRole): Promise<CreateCluster> => {
  const url = config.cluster ?? '';
  const { openCluster } = await import('../../store/cluster/open-cluster.ts');
  const connection = await openCluster({ url, log: createLog({ level: config.logLevel }) });
  return (parts) => new Cluster(connection, config, role, parts);
};

interface WorkerParts {
  readonly tasks: Tasks;
  readonly load: (visit: ClaimedVisit) => Promise<VisitOutcome>;
  /** Stops the visits of a task. */
  readonly stop: (taskId: string) => void;
}

export class Cluster {
  readonly store: ClusterStore;
  readonly turns: HostTurns;
  /** A hash of the settings that limit calls. */
  readonly limits: string;
  readonly #log: Log;
  readonly #slots: number;
  readonly #leads = new Set<string>();
  readonly #ended = new AbortController();
  #pages: PageWorker | undefined;
  #joined: Promise<void> | undefined;

  constructor(
    connection: ClusterConnection,
    config: Config,
    role: MemberRole,
    { writer, log }: ClusterParts,
  ) {
    const slots = role === 'worker' ? config.slots : 0;
    this.limits = hashLimits(config);
    this.store = connection.createStore({
      ...{ writer, log, role, slots },
      report: () => this.#report(),
    });
    this.turns = new FleetTurns(this.store.turns);
    this.#log = log;
    this.#slots = slots;
  }

  /** Registers this process, and again whenever the others have declared it dead. */
  join(): void {
    this.#joined ??= this.#repeat(async (lost) => {
      await new Promise((resolve) => lost.addEventListener('abort', resolve, { once: true }));
    });
  }

  /** Leads tasks and loads pages until `close`. */
  work(parts: WorkerParts): Promise<void> {
    const pages = new PageWorker({
      ...parts,
      visits: this.store.visits,
      slots: this.#slots,
      limits: this.limits,
      log: this.#log,
    });
    this.#pages = pages;
    this.#joined ??= this.#repeat(async (lost) => {
      await Promise.all([pages.run(lost), this.#leadTasks(parts.tasks, lost)]);
    });
    return this.#joined;
  }

  /**
   * Throws if the workers have other limits than this process: its tasks would wait in vain. Without
   * any worker they wait for the first one.
   */
  async requireWorker(): Promise<void> {
    const workers = (await this.workers()).filter(({ role }) => role === 'worker');
    if (workers.length === 0 || workers.some(({ limits }) => limits === this.limits)) return;
    throw fail('cluster_unusable', 'No worker of the cluster has the limits of this server.', {
      hint:
        'Start a worker with the same domains, policy and other limits as this server: ' +
        `it must have ${LIMIT_FLAGS} in common with it.`,
    });
  }

  workers(): Promise<readonly ClusterMember[]> {
    return this.store.members.list();
  }

  /** Ends the loops: others continue the work at once. */
  async stop(): Promise<void> {
    this.#ended.abort(fail('engine_stopped', 'The engine was stopped.'));
    await this.#joined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.store[Symbol.asyncDispose]();
  }

  /** `work` ends when its signal aborts: this process has ended or was declared dead. */
  async #repeat(work: (lost: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    const { members } = this.store;
    while (!signal.aborted) {
      // `join` repeats its attempts; it throws only if the signal aborts.
      const isMember = await members.join(signal).then(
        () => true,
        () => false,
      );
      if (isMember) await work(AbortSignal.any([signal, members.lost]));
      if (!signal.aborted) this.#log.warn('the cluster declared this process dead: it joins again');
    }
  }

  async #leadTasks(tasks: Tasks, signal: AbortSignal): Promise<void> {
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      const lease = await this.store.leases.next(this.limits, signal).catch(() => undefined);
      if (!lease) continue;
      const lead: Promise<void> = this.#lead(tasks, lease, signal).finally(() =>
        running.delete(lead),
      );
      running.add(lead);
      if (running.size >= MAX_LEADS) await Promise.race(running);
    }
    await Promise.all(running);
  }

  async #lead(tasks: Tasks, lease: TaskLease, signal: AbortSignal): Promise<void> {
    const { visits: queue, leases, members } = this.store;
    const visits = new LeadVisits({ queue, lease, members, stopped: signal });
    this.#leads.add(lease.taskId);
    try {
      await tasks.lead({ lease, visits, signal });
    } catch (error) {
      this.#log.warn(`task ${lease.taskId} could not be led`, error);
    } finally {
      this.#leads.delete(lease.taskId);
      await visits.close().catch(() => {}); // visits of an ended task are swept
      // If the database cannot be reached, the lease ends with this membership.
      await leases.release(lease).catch(() => {});
    }
  }

  #report(): MemberReport {
    const { active = 0, pages = 0, errors = 0 } = this.#pages ?? {};
    return {
      limits: this.limits,
      visits: active,
      tasks: [...this.#leads],
      pages,
      errors,
      rssBytes: process.memoryUsage.rss(),
    };
  }
}
