// The context of a running tool: its session, tab, deadline and the engine's services.
import type { Config } from '../core/config.ts';
import type { Events } from '../core/events.ts';
import type { Failure, FailureDetails } from '../core/failure.ts';
import type { ConsentEffect } from '../core/consent-rule.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import type { Deadline } from '../core/time.ts';
import type { WorkerPool } from '../core/worker-pool.ts';
import type { Browser } from '../browser/browser.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { HostTurns, RobotsFiles } from '../store/cluster/cluster-store.ts';
import type { Handles } from '../store/handles/handles.ts';
import type { PayloadWriter } from '../store/files/payload-writer.ts';
import type { CallEntry, Journal } from '../store/journal/journal.ts';
import type { Secret, SecretHosts } from '../store/config/secrets-file.ts';
import type { Redactor } from '../core/redactor.ts';
import type { Consent, ConsentRules } from '../features/consent/consent.ts';
import type { Elicit, Waiting } from '../features/consent/waiting.ts';
import type { Job } from '../features/tasks/kind.ts';
import type { RunInnerCall } from '../features/script/inner-call.ts';
import type { Tasks } from '../features/tasks/tasks.ts';
import type { Tool } from './define-tool.ts';

/** A finished call: its line in the journal and its reply, both without secrets. */
export interface EndedCall {
  readonly entry: CallEntry;
  /** The call acted on a page. */
  readonly acts: boolean;
  readonly reply: {
    readonly text?: string;
    readonly images: readonly unknown[];
    readonly notes: readonly string[];
    readonly failure?: Failure;
  };
}

/** The engine's services, wired once in app.ts. */
export interface Services {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  readonly browser: Browser;
  readonly journal: Journal;
  /** Reports each finished call, for viewers. */
  readonly calls: Events<{ ended: EndedCall }>;
  /** Removes secrets from all output of the engine. */
  readonly redactor: Redactor;
  /** Removes secrets from all data that is written to disk. */
  readonly writer: PayloadWriter;
  /** The secrets that calls may name; names are not unique, the hosts differ. */
  readonly secrets: readonly Secret[];
  /** Hosts that the user confirmed for secrets without hosts. */
  readonly secretHosts: SecretHosts;
  /** The owner's rules about the effects of calls. */
  readonly consentPolicy: ConsentRules;
  /** Asks the user; loaded when a rule needs it. */
  readonly consent: () => Promise<Consent>;
  /** Questions that wait for the user; loaded on first use. */
  readonly waiting: () => Promise<Waiting>;
  /** Payloads stored under a handle. */
  readonly handles: Handles;
  /** The task ledger: work that outlives the call that started it. */
  readonly tasks: Tasks;
  /** Threads for work that would block the event loop. */
  readonly workers: WorkerPool;
  /** Threads of scripts: apart from `workers`, because a script waits for calls that need those. */
  readonly scriptThreads: WorkerPool;
  /** Makes a call for a tool that makes further calls; never throws. */
  readonly call: RunInnerCall;
  /** The sessions of hosts that share this engine; empty if one client has the engine to itself. */
  readonly hosts: ReadonlySet<string>;
  /** Every tool, in the order of the list. */
  readonly tools: readonly Tool[];
  /** Only in a cluster: the turns of all its processes at a host, and their robots.txt files. */
  readonly turns?: HostTurns;
  readonly robots?: RobotsFiles;
}

/** Where a secret would be filled in: the URLs of the page and of the field's frame. */
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
  readonly services: Services;
  /** The session of the call. */
  readonly session: Session;
  /** The call is a command of the user, not of an agent over MCP. */
  readonly isUser: boolean;
  /** The client's folder, if known: for tools that make further calls. */
  readonly folder?: string | undefined;
  /** The task that the call names: for tools that make further calls. */
  readonly taskId?: string | undefined;
  /** The tab that the call works in or names; undefined if there is none. */
  readonly tabId?: string | undefined;
  /** Aborts if the call is cancelled or times out; pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  /** Sends progress to the client; throttled, so it may be called often. */
  readonly progress: (progress: Progress) => void;
  /** Returns the URL to open; throws if it is not allowed. For URLs that come from a file. */
  readonly allowAddress: (url: string) => Promise<string>;
  /**
   * Returns the real path of a file; throws if the call may not use it. For paths that only the
   * page identifies as such.
   */
  readonly allowFile: (path: string) => Promise<string>;
  /** Like `allowFile`, for a file that the call gives to the page. */
  readonly allowUpload: (path: string) => Promise<string>;
  /** Throws if the owner's policy or the user denies this effect on these URLs. */
  readonly requireConsent: (effect: ConsentEffect, urls: readonly string[]) => Promise<void>;
  /** Whether the owner's policy allows to read this URL without a question. */
  readonly mayRead: (url: string) => Promise<boolean>;
  /** For tools with several actions: like the check before the call, for the page shown now. */
  readonly allowAction: () => Promise<void>;
  /** Throws `page_changed` if the tab now shows a page that was not checked. */
  readonly recheckAction: () => void;
  /** Puts a question to the user of the client; undefined if the client cannot. */
  readonly elicit?: Elicit | undefined;
  /**
   * Fills in the secrets that the text names as ${SECRET:NAME}; throws if one is not allowed at
   * this place, or if no place is given.
   */
  readonly fillSecrets: (text: string, place?: SecretPlace) => Promise<string>;
  /**
   * Returns the size above which the text of this reply is stored and replaced by a handle;
   * Infinity if it never is.
   */
  readonly inlineLimitBytes: () => number;
  /** Adds the facts of the elements that the call acts on to its line in the journal. */
  readonly keepTargets: (targets: readonly unknown[]) => void;
  /** Adds data to the failure of this call, also if the call is cancelled or times out. */
  readonly explainFailure: (explain: () => Promise<FailureDetails>) => void;
  /** Adds a one-line note to the reply, separate from its body. */
  readonly note: (line: string) => void;
  /** Reports how many texts were omitted because the page hides them from people. */
  readonly leftOut: (count: number) => void;
}

export interface TabContext extends Context {
  readonly tab: Tab;
}

/** Additional context of a long-running tool (`duration: 'job'`). */
export interface JobContext {
  /**
   * Store results here as they arrive: they survive a cancel and a kill. Check `signal` between two
   * units of work.
   */
  readonly job: Job;
}

/** The context of a tool by its `scope`. */
export interface ContextByScope {
  readonly tab: TabContext;
  readonly browser: Context;
  readonly none: Context;
}

/** The additional context of a tool by its `duration`. */
export interface ContextByDuration {
  readonly job: JobContext;
  readonly instant: object;
}
