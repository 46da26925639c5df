// One call on its way through the pipeline: what was asked, and what the steps have found out about
// it.
import type { Failure } from '../core/failure.ts';
import type { Deadline } from '../core/time.ts';
import type { Hint } from '../policy/hints/index.ts';
import type { Findings } from '../policy/sanitise.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { Progress, Services } from '../toolkit/context.ts';
import type { Image, Tool } from '../toolkit/define-tool.ts';
import type { CommonArguments } from '../toolkit/input-fields.ts';
import type { Job } from '../features/tasks/kind.ts';
import type { TaskRun } from '../features/tasks/task-run.ts';

/** What a frontend hands in. */
export interface CallRequest {
  readonly name: string;
  readonly arguments: unknown;
  /** Aborts when the client cancels or goes away. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The workspace of a client that names none. */
  readonly session?: string;
  /**
   * Where relative paths begin, and what may be read and written: the working folder, unless told.
   */
  readonly folder?: string | undefined;
  /** The client shows the reply to a person or a program: it is inline however large it is. */
  readonly wholeReply?: boolean | undefined;
  /** The background task whose work this call is. */
  readonly task?: TaskRun;
}

/**
 * What a frontend gets back: content blocks, or a failure; notes stand beside it, one line each.
 */
export interface Reply {
  readonly text?: string;
  /** The data behind a JSON text, for structuredContent. */
  readonly json?: unknown;
  readonly images: readonly Image[];
  readonly notes: readonly string[];
  readonly failure?: Failure;
}

export interface Call {
  readonly rooms: Services;
  readonly request: CallRequest;
  /** Monotonic, for durations. */
  readonly startedAt: number;
  readonly notes: string[];
  /** What the sanitiser took out or found, and what the page walk left out. */
  readonly findings: Findings;

  /** The limit that the arguments exceed; they are then left out of `request`. */
  readonly exceededLimit: string | undefined;

  // Found out on the way, each by the step that is named.
  /** validate */
  tool?: Tool;
  /** validate: the tool's own arguments, typed. */
  input?: Readonly<Record<string, unknown>>;
  /** validate */
  common: CommonArguments;
  /** validate: what is wrong with the arguments; then there is no input. */
  misunderstood?: unknown;
  /** envelope: the only domains that calls of its task may reach. */
  allowedDomains?: readonly string[];
  /** envelope: a budget of the task that is near its end or passed, in words. */
  budget?: string;
  /** hints: the one that was given. */
  hint?: Hint;
  /** job: where a long-running tool keeps what it has done. */
  job?: Job;
  /** deadline */
  deadline?: Deadline;
  /** tab */
  session?: Session;
  /** tab */
  tab?: Tab;
  /** tab: whether the calls that came before in this tab have ended. */
  hasTurn?: boolean;
  /**
   * run: settles when the tool itself has stopped, which after an abort may be later than its call.
   */
  work?: Promise<unknown>;
  /** run: what the tool returned, before any view of it is made. */
  data?: unknown;
  /** present, or answer where something failed. */
  reply?: Reply;
}

/** A concern of every call: does its part, and lets the rest happen through `next`. */
export type Step = (call: Call, next: () => Promise<void>) => Promise<void>;

/** For steps that stand behind the one that finds a thing out. */
export const known = <K extends 'tool' | 'input' | 'deadline' | 'session'>(
  call: Call,
  key: K,
): NonNullable<Call[K]> => {
  const value = call[key];
  if (value === undefined) throw new Error(`the step that finds out "${key}" stands too late`);
  return value;
};

/** Whether the call only looks or may change something; a tool may say so by its arguments. */
export const resolveEffect = (call: Call): 'read' | 'act' => {
  const { effect } = known(call, 'tool').traits;
  return typeof effect === 'function' ? effect(known(call, 'input') as never) : effect;
};
