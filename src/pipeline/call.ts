// A call in the pipeline: the request, and the facts that the steps add to it.
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

/** The input from a frontend. */
export interface CallRequest {
  readonly name: string;
  readonly arguments: unknown;
  /** Aborts if the client cancels or disconnects. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** The session of calls that do not name one. */
  readonly session?: string;
  /** Base of relative paths; files may be read and written in it. Default: the working folder. */
  readonly folder?: string | undefined;
  /** The client is a person or a program: large replies are inline too. */
  readonly wholeReply?: boolean | undefined;
  /** The background task that makes this call. */
  readonly task?: TaskRun;
}

/** The output to a frontend: content blocks or a failure, and notes of one line each. */
export interface Reply {
  readonly text?: string;
  /** The data of a JSON text, for structuredContent. */
  readonly json?: unknown;
  readonly images: readonly Image[];
  readonly notes: readonly string[];
  readonly failure?: Failure;
}

export interface Call {
  readonly rooms: Services;
  readonly request: CallRequest;
  /** Monotonic time. */
  readonly startedAt: number;
  readonly notes: string[];
  /** Counts of the sanitiser, and of the text that the page walk omitted. */
  readonly findings: Findings;

  /** The limit that the arguments exceed; `request` then does not contain them. */
  readonly exceededLimit: string | undefined;

  // Each of these is set by the named step.
  /** validate */
  tool?: Tool;
  /** validate: the tool's own arguments, typed. */
  input?: Readonly<Record<string, unknown>>;
  /** validate */
  common: CommonArguments;
  /** validate: the error in the arguments; `input` is then undefined. */
  misunderstood?: unknown;
  /** envelope: the domains that calls of its task may reach. */
  allowedDomains?: readonly string[];
  /** envelope: the text about a task budget that is nearly or fully used. */
  budget?: string;
  /** hints: the hint in the reply. */
  hint?: Hint;
  /** job: stores the results of a long-running tool. */
  job?: Job;
  /** deadline */
  deadline?: Deadline;
  /** tab */
  session?: Session;
  /** tab */
  tab?: Tab;
  /** tab: the earlier calls in this tab have ended. */
  hasTurn?: boolean;
  /** run: settles when the tool has stopped, which after an abort may be later than the call. */
  work?: Promise<unknown>;
  /** run: the data that the tool returned. */
  data?: unknown;
  /** present, or answer after a failure. */
  reply?: Reply;
}

/** A step of the pipeline; `next` runs the steps after it. */
export type Step = (call: Call, next: () => Promise<void>) => Promise<void>;

/** Returns a fact that an earlier step must have set. */
export const known = <K extends 'tool' | 'input' | 'deadline' | 'session'>(
  call: Call,
  key: K,
): NonNullable<Call[K]> => {
  const value = call[key];
  if (value === undefined) throw new Error(`the step that finds out "${key}" stands too late`);
  return value;
};

/** The input as a callback of the call's own tool takes it: only that tool knows the type. */
export const readToolInput = (call: Call): never => known(call, 'input') as never;

/** Whether the call reads or may change something; for some tools this depends on the arguments. */
export const resolveEffect = (call: Call): 'read' | 'act' => {
  const { effect } = known(call, 'tool').traits;
  return typeof effect === 'function' ? effect(readToolInput(call)) : effect;
};
