// The shared store of a cluster as other layers use it. Only types: `--cluster` loads the code.
import type { Log } from '../../core/log.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import type { PayloadStore } from '../handles/payload-store.ts';
import type { TaskChange, TaskLedger, TaskMeta, TaskOwners } from '../tasks/task-ledger.ts';
import type { NewEntries } from '../tasks/working-files.ts';

/** A checked connection: the version, the rights and the schema are as required. */
export interface ClusterConnection {
  createStore(parts: ClusterStoreParts): ClusterStore;
}

export interface ClusterStoreParts {
  readonly writer: PayloadWriter;
  readonly log: Log;
  readonly role: MemberRole;
  /** Number of page visits that this process loads at a time; 0 for a gateway. */
  readonly slots: number;
  /** The load of this process, saved with each heartbeat. */
  readonly report: () => MemberReport;
}

export interface ClusterStore extends AsyncDisposable {
  /** All tasks of the cluster. Its writes are not bound to a lease. */
  readonly tasks: TaskLedger;
  readonly owners: TaskOwners;
  readonly payloads: PayloadStore;
  readonly turns: HostTurns;
  readonly robots: RobotsFiles;
  readonly leases: TaskLeases;
  readonly visits: VisitQueue;
  readonly members: Members;
  /** Follows a working file of a task, on whichever machine the task runs. */
  follow(taskId: string, file: string): NewEntries;
}

// Members: the processes of the cluster.

export type MemberRole = 'gateway' | 'worker';

export interface MemberReport {
  /** A hash of the settings that limit calls. */
  readonly limits: string;
  /** Page visits that are being loaded. */
  readonly visits: number;
  /** Ids of the tasks that this process leads. */
  readonly tasks: readonly string[];
  /** Pages that this process has loaded since its start, and those that failed. */
  readonly pages: number;
  readonly errors: number;
  readonly rssBytes: number;
}

export interface ClusterMember extends MemberReport {
  readonly id: string;
  readonly role: MemberRole;
  /** Name of the machine. */
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly slots: number;
  /** Ages by the clock of the database. */
  readonly upMs: number;
  readonly silentMs: number;
}

export interface Members {
  /** The id of this process; a new one after each `join`. */
  readonly own: string;
  /**
   * Registers this process. Call it before `leases.next` and `visits.claim`, and again after `lost`
   * has aborted. Retries with backoff while the database cannot be reached.
   */
  join(signal: AbortSignal): Promise<void>;
  /**
   * Aborts when the others have declared this process dead, or its session has ended. All leases
   * and claims of the current membership are then void. Replaced by the next `join`.
   */
  readonly lost: AbortSignal;
  /** The live members. */
  list(): Promise<ClusterMember[]>;
}

// Tasks that any worker may run.

/** The call that does the work of a task. It is stored as it is: the worker needs its values. */
export interface SubmittedCall {
  readonly arguments: unknown;
  readonly session: string;
  /** Id of the ended task that this one continues. */
  readonly resumeFrom?: string;
  /** A hash of the settings that limit calls; only workers with the same limits take the task. */
  readonly limits: string;
}

/** The right of one member to lead one task. */
export interface TaskLease {
  readonly taskId: string;
  readonly kind: string;
  readonly member: string;
  readonly epoch: number;
  readonly call: SubmittedCall;
}

export interface TaskLeases {
  /** Creates a PENDING row and its call in one transaction. */
  submit(build: (id: string) => TaskChange, call: SubmittedCall): Promise<TaskMeta>;
  /**
   * Waits for a task without a live lead and with these limits, and leases it: PENDING tasks,
   * and RUNNING tasks whose lead is dead. Increases the epoch.
   */
  next(limits: string, signal: AbortSignal): Promise<TaskLease>;
  /**
   * The ledger in which every write of this task is bound to the lease: it fails with
   * `engine_stopped` and changes nothing if another member or epoch leads the task. `touch` too.
   */
  bind(lease: TaskLease): TaskLedger;
  /** Ends the lease. If the task has not ended, another worker leads it at once. */
  release(lease: TaskLease): Promise<void>;
}

// Page visits: the work that a lead distributes.

export interface OfferedVisit {
  /** Position in the visiting order. */
  readonly n: number;
  readonly url: string;
  /** JSON that the loading worker needs besides the URL; the same object for many visits. */
  readonly request: unknown;
}

export interface ClaimedVisit extends OfferedVisit {
  readonly taskId: string;
  /** Fencing: increases with each claim of this visit. */
  readonly epoch: number;
  /** Number of workers that died while they loaded this page. */
  readonly deaths: number;
}

/** JSON. A visit whose workers died three times ends with `{ lost: 3 }`. */
export type VisitOutcome = Readonly<Record<string, unknown>>;

export interface EndedVisit {
  readonly visit: ClaimedVisit;
  readonly outcome: VisitOutcome;
}

export interface VisitClaim {
  /** The largest number of visits; 0 if only outcomes are saved. */
  readonly limit: number;
  /** Whether visits with deaths may be claimed; then the claim is exactly one visit. */
  readonly alone: boolean;
  readonly limits: string;
  readonly ended?: readonly EndedVisit[];
}

export interface VisitQueue {
  /**
   * Adds visits of a leased task. A visit with the same number and URL stays as it is, in any state
   * (another lead offered it); one with another URL is replaced. Nothing if the lease is void.
   */
  offer(lease: TaskLease, visits: readonly OfferedVisit[]): Promise<void>;
  /** The outcomes of the ended visits among these numbers, which are then removed. */
  takeEnded(
    lease: TaskLease,
    numbers: readonly number[],
  ): Promise<readonly { readonly n: number; readonly outcome: VisitOutcome }[]>;
  /** Removes all visits of the task. */
  drop(lease: TaskLease): Promise<void>;
  /**
   * Claims visits for this member, in the order of their offers, and saves the outcomes of `ended`
   * in the same statement. If it fails, both may have been committed: call `keepOnly`, then repeat.
   */
  claim(claim: VisitClaim): Promise<readonly ClaimedVisit[]>;
  /** Saves outcomes. Ignores visits that this member does not have in this epoch any more. */
  finish(ended: readonly EndedVisit[]): Promise<void>;
  /** Gives back all visits of this member except these; not counted as a death. */
  keepOnly(visits: readonly ClaimedVisit[]): Promise<void>;
  /** Gives visits back without an outcome (the worker stops); not counted as a death. */
  giveBack(visits: readonly ClaimedVisit[]): Promise<void>;
  /** The visits among these that this member still has; the others were dropped or reassigned. */
  stillClaimed(visits: readonly ClaimedVisit[]): Promise<readonly ClaimedVisit[]>;
  /** Resolves when there may be visits to claim: after a notification, or after a second. */
  waitForOffers(signal: AbortSignal): Promise<void>;
  /** Resolves when visits of the task may have ended: after a notification, or after a second. */
  waitForEnded(lease: TaskLease, signal: AbortSignal): Promise<void>;
}

// The pace of requests to a host, and robots.txt files, shared by all crawls of the fleet.

export interface HostTurns {
  /**
   * Waits until this process may start a request to the host: at least `delayMs` after the request
   * before, of any process. A turn that arrives too late is not used.
   */
  take(host: string, delayMs: number, signal: AbortSignal): Promise<HostTurn>;
  /** Pauses the requests of all processes to the host. */
  rest(host: string, ms: number): Promise<void>;
}

export interface HostTurn {
  /** The site has answered, so the request has arrived: the delay counts from now on. */
  answered(): void;
}

/** `status` is 503 after a timeout and 404 after a network error. */
export interface RobotsFile {
  readonly status: number;
  readonly text: string;
}

export interface RobotsFiles {
  /**
   * The robots.txt of an origin. Calls `fetch` only if no process has fetched it in the last hour
   * and none is fetching it now.
   */
  load(origin: string, fetch: () => Promise<RobotsFile>, signal: AbortSignal): Promise<RobotsFile>;
}
