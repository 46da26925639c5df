// What every frontend serves: the tools, the one way in for a call, and what is stored for reading.
import type { BrowserHealth } from '../browser/browser.ts';
import type { Config } from '../core/config.ts';
import type { Log } from '../core/log.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import type { Tasks } from '../features/tasks/tasks.ts';
import type { CallRequest, Reply } from './call.ts';

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

/** What clients may read without calling a tool. */
export interface ResourceRoom {
  list(): Promise<readonly Resource[]>;
  /** Nothing when there is no such resource. */
  read(uri: string): Promise<ResourceContent | undefined>;
}

export interface Engine {
  readonly config: Config;
  readonly log: Log;
  /** All tools, in the order agents meet them. */
  readonly tools: readonly Tool[];
  /** Never throws: what goes wrong is the reply's failure. */
  call(request: CallRequest): Promise<Reply>;
  readonly resources: ResourceRoom;
  /** Long work in the background; an engine that works on some is not idle. */
  readonly tasks: Tasks;
  /** A task's result as a reply to a client: stored behind a handle if it is large. */
  replyWithResult(kind: string, result: unknown): Promise<Reply>;
  /** What is known of the browser; nobody is asked for it, and no Chrome is started. */
  health(): BrowserHealth;
  /**
   * A host that shares this engine with others has come, with a workspace of its own; what is
   * returned ends that, with its tabs.
   */
  admitHost(session: string): () => Promise<void>;
  stop(): Promise<void>;
}
