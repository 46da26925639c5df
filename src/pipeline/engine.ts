// The engine interface for frontends: the tools, the call function, resources and tasks.
import type { BrowserHealth, TabSummary } from '../browser/browser.ts';
import type { Config } from '../core/config.ts';
import type { Log } from '../core/log.ts';
import type { Services } from '../toolkit/context.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import type { Observer } from '../features/observe/observer.ts';
import type { TakeOver } from '../features/consent/take-over.ts';
import type { Waiting } from '../features/consent/waiting.ts';
import type { Tasks } from '../features/tasks/tasks.ts';
import type { CallRequest, Reply, ReplyTest } from './call.ts';

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly description?: string;
}

/** Either text or base64, never both. */
export interface ResourceContent {
  readonly text?: string;
  readonly blob?: string;
  readonly mimeType: string;
}

/** Stored data that clients may read without calling a tool. */
export interface ResourceRoom {
  /** `session`: the session of the client; default if absent. */
  list(session?: string): Promise<readonly Resource[]>;
  /** Returns undefined for an unknown uri, and for one of another session. */
  read(uri: string, session?: string): Promise<ResourceContent | undefined>;
}

export interface ListedTab extends TabSummary {
  /** The id of the tab in its session: t1. */
  readonly short?: string;
}

export interface Engine {
  readonly config: Config;
  readonly log: Log;
  /** All tools, in the order of the list. */
  readonly tools: readonly Tool[];
  /** Never throws: errors are in the reply's failure. */
  call(request: CallRequest): Promise<Reply>;
  readonly resources: ResourceRoom;
  /** Questions that wait for the user, and the user's approvals; loaded on first use. */
  waiting(): Promise<Waiting>;
  /** Tabs that the user controls; loaded on first use. */
  takeOver(): Promise<TakeOver>;
  /** Background tasks; an engine with running tasks is not idle. */
  readonly tasks: Tasks;
  /** Builds a reply from a task's result; a large result is stored under a handle. */
  replyWithResult(
    task: { readonly kind: string; readonly session: string; readonly result: unknown },
    fits: ReplyTest,
  ): Promise<Reply>;
  /** The known state of the browser; sends no request and starts no Chrome. */
  health(): BrowserHealth;
  /** Reports each finished call; absent in an engine without a dashboard. */
  readonly calls?: Services['calls'];
  /** Loads the access of viewers to tabs, requests and the journal. */
  observe?(): Promise<Observer>;
  /** All tabs with their short ids, redacted; from known state, as in `health`. */
  listTabs(): readonly ListedTab[];
  /**
   * Registers a host that shares this engine, with its own session; the returned function ends the
   * session and closes its tabs.
   */
  admitHost(session: string): () => Promise<void>;
  stop(): Promise<void>;
}
