// What a running tool is given: its session and tab, its time, and the rooms it may ask.
import type { Config } from '../core/config.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import type { Deadline } from '../core/time.ts';
import type { WorkerPool } from '../core/worker-pool.ts';
import type { Browser } from '../browser/browser.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { Handles } from '../store/handles/handles.ts';
import type { Journal } from '../store/journal/journal.ts';
import type { SecretHosts } from '../store/secret-hosts.ts';
import type { Secret } from '../store/config/secrets-file.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Job } from '../features/tasks/kind.ts';
import type { Tasks } from '../features/tasks/tasks.ts';
import type { Tool } from './define-tool.ts';

/** The engine's rooms, wired once in app.ts. */
export interface Services {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly browser: Browser;
  readonly journal: Journal;
  /** Takes secrets out of whatever leaves the engine. */
  readonly redactor: Redactor;
  /** The secrets that calls may name; several may have the same name and different hosts. */
  readonly secrets: readonly Secret[];
  /** Hosts that the user confirmed for secrets that have none. */
  readonly secretHosts: SecretHosts;
  /** Payloads stored behind a handle. */
  readonly handles: Handles;
  /** The ledger: work that outlives the call that started it. */
  readonly tasks: Tasks;
  /** Threads for work that would block the event loop. */
  readonly workers: WorkerPool;
  /**
   * The sessions of hosts that share this engine and know nothing of each other; none where one
   * client has it all.
   */
  readonly hosts: ReadonlySet<string>;
  /** Every tool, in the order agents meet them. */
  readonly tools: readonly Tool[];
}

/** Where a secret would go: the addresses of the page and of the frame that contains the field. */
export interface SecretPlace {
  readonly top: string;
  readonly frame: string;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface Context {
  readonly rooms: Services;
  /** The workspace the call belongs to. */
  readonly session: Session;
  /**
   * The caller's folder, if the frontend knows it: for tools that make further calls for the
   * caller.
   */
  readonly folder?: string | undefined;
  /** The task that the call names: for tools that call others on behalf of it. */
  readonly taskId?: string;
  /** Aborts when the call is cancelled or its time is up; pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** Tells the client how far the work is; cheap, may be called often. */
  readonly progress: (progress: Progress) => void;
  /**
   * The address as it may be opened; a failure for any other. For addresses that come out of a
   * file.
   */
  readonly allowAddress: (url: string) => Promise<string>;
  /**
   * The real path of a file that the call may use; a failure for any other. For paths that only the
   * page makes known as such.
   */
  readonly allowFile: (path: string) => Promise<string>;
  /**
   * The text with the secrets that it names as ${SECRET:NAME}; fails if one is not for this place,
   * or if no place is given.
   */
  readonly fillSecrets: (text: string, place?: SecretPlace) => Promise<string>;
  /** Adds a one-line note beside the reply, never inside it. */
  readonly note: (line: string) => void;
  /** Tells how many texts were left out because the page hides them from people. */
  readonly leftOut: (count: number) => void;
}

export interface TabContext extends Context {
  readonly tab: Tab;
}

/** What a long-running tool (`duration: 'job'`) is given besides. */
export interface JobContext {
  /**
   * Keep results here as they come: they outlive a cancel and a kill. Look at `signal` between two
   * units of work.
   */
  readonly job: Job;
}
