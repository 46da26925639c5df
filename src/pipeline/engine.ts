// The engine interface for frontends: the tools, the call function, resources, prompts and tasks.
import type { BrowserHealth, TabSummary } from '../browser/browser.ts';
import type { Config } from '../core/config.ts';
import type { Log } from '../core/log.ts';
import type { Services } from '../toolkit/context.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import type { Cluster } from '../features/cluster/cluster.ts';
import type { Observer } from '../features/observe/observer.ts';
import type { TakeOver } from '../features/consent/take-over.ts';
import type { Waiting } from '../features/consent/waiting.ts';
import type { Prompt, RenderedPrompt } from '../features/recipe/recipe-prompts.ts';
import type {
  Resource,
  ResourceContent,
  ResourceReader,
  ResourceTemplate,
} from '../features/resources/stored-resources.ts';
import type { Tasks } from '../features/tasks/tasks.ts';
import type { CallRequest, Reply, ReplyTest } from './call.ts';

/** Stored data that clients may read without calling a tool; see `StoredResources`. */
export interface ResourceReaders {
  /** `session`: the session of the client; default if absent. */
  list(session?: string): Promise<readonly Resource[]>;
  listTemplates(): Promise<readonly ResourceTemplate[]>;
  /** Undefined for an unknown uri or one of another session; throws if the call is rejected. */
  read(uri: string, reader: ResourceReader): Promise<ResourceContent | undefined>;
  complete(
    uriTemplate: string,
    variable: string,
    start: string,
    session?: string,
  ): Promise<readonly string[]>;
  /** Reports changes until it is disposed; undefined for an unknown uri. */
  watch(uri: string, onChange: () => void, session?: string): Promise<Disposable | undefined>;
}

/** Requests that the user can choose; see `RecipePrompts`. `folder` is the client's folder. */
export interface PromptProvider {
  list(folder: string): Promise<readonly Prompt[]>;
  /** Throws a failure for an unknown prompt or invalid arguments. */
  render(
    name: string,
    given: Readonly<Record<string, string>>,
    folder: string,
  ): Promise<RenderedPrompt>;
  complete(
    name: string,
    argument: string,
    start: string,
    folder: string,
  ): Promise<readonly string[]>;
  /** Reports changes of the list until it is disposed. */
  watch(folder: string, onChange: () => void): Promise<Disposable>;
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
  readonly resources: ResourceReaders;
  readonly prompts: PromptProvider;
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
  /** Forbids agents to open the dashboard at this port, until the result is disposed. */
  announceDashboard?(port: number): Promise<Disposable>;
  /** All tabs with their short ids, redacted; from known state, as in `health`. */
  listTabs(): readonly ListedTab[];
  /**
   * Registers a host that shares this engine, with its own session; the returned function ends the
   * session and closes its tabs.
   */
  admitHost(session: string): () => Promise<void>;
  /**
   * Makes the first calls of some tools faster; for long-lived processes. Takes 0.2 s of processor
   * time in another thread.
   */
  prepareFirstCalls?(): Promise<void>;
  /** The cluster that this engine belongs to; absent on one machine. */
  readonly cluster?: Cluster;
  /** Leads tasks and loads pages of the cluster until `stop`; absent on one machine. */
  work?(): Promise<void>;
  stop(): Promise<void>;
}
