// A call in the pipeline: the request, and one type per step with the facts that it added.
import type { EffectKinds } from '../core/effect-kinds.ts';
import type { Failure, FailureDetails } from '../core/failure.ts';
import type { Deadline } from '../core/time.ts';
import type { Hint } from '../policy/hints.ts';
import type { Findings } from '../policy/sanitise-text.ts';
import type { Session } from '../browser/tabs/session.ts';
import type { Tab } from '../browser/tabs/tab.ts';
import type { Progress, Services } from '../toolkit/context.ts';
import type { Image, Tool } from '../toolkit/define-tool.ts';
import type { ToolCall, ToolOutput } from '../toolkit/tool-call.ts';
import type { CommonArguments } from '../toolkit/input-fields.ts';
import type { ConsentCall } from '../features/consent/consent.ts';
import type { Elicit } from '../features/consent/waiting.ts';
import type { CallEffect } from '../features/script/inner-call.ts';
import type { Job } from '../features/tasks/kind.ts';
import type { TaskBeginning } from '../features/tasks/task-beginning.ts';
import type { CallEntry } from '../store/journal/journal.ts';

/** Whether a frontend can send the reply, which depends on its wire format. */
export type ReplyTest = (reply: Reply) => boolean;

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
  /** True if the frontend can send a reply with a handle; shortens its preview. Default: always. */
  readonly fits?: ReplyTest;
  /** The client is the command line of the user. */
  readonly shell?: ShellClient | undefined;
  /** The name and version of the client, for people; undefined if the client does not name it. */
  readonly host?: string | undefined;
  /** The call of a script or a recipe: it gets the data, without hints and header lines. */
  readonly inner?: true;
  /** Puts a question to the user of the client; undefined if the client cannot. */
  readonly elicit?: Elicit | undefined;
  /** The background task that makes this call. */
  readonly task?: TaskBeginning;
}

/** A command of the user: hints name commands, and paths may be anywhere. */
export interface ShellClient {
  /** The text is wanted without the page-state header. */
  readonly bare?: boolean;
}

/** Facts about a reply that the command line needs in addition to its content. */
export interface ReplyFacts {
  /** The call worked, but the answer is no: the exit status is 1. */
  readonly negative?: true;
  /** Short ids of the session's tabs, by tabId. */
  readonly tabs?: Readonly<Record<string, string>>;
  /** Short ids of the tabs of other sessions, for tables that name the session of each tab. */
  readonly otherTabs?: Readonly<Record<string, string>>;
}

/** The output to a frontend: content blocks or a failure, and notes of one line each. */
export interface Reply {
  readonly text?: string;
  /** The data of a JSON text, for structuredContent. */
  readonly json?: unknown;
  /** The JSON form of a reply that is a text or an image. */
  readonly data?: unknown;
  readonly images: readonly Image[];
  readonly notes: readonly string[];
  readonly failure?: Failure;
  /** Only for a shell client. */
  readonly facts?: ReplyFacts;
  /** Only for the call of a script or a recipe; undefined if it did nothing. */
  readonly effect?: CallEffect;
}

/** A call as the first steps receive it. Each later type adds the facts that a step established. */
export interface Call {
  readonly services: Services;
  readonly request: CallRequest;
  /** Monotonic time. */
  readonly startedAt: number;
  readonly notes: string[];
  /** Counts of the sanitiser, and of the text that the page walk omitted. */
  readonly findings: Findings;
  /** The limit that the arguments exceed; `request` then does not contain them. */
  readonly exceededLimit: string | undefined;
  readonly course: CallCourse;
}

/**
 * The course of a call so far, for the steps around the one that sets a field: they also run after
 * a failure. A field is undefined until its step has run.
 */
export interface CallCourse {
  /** identify: the common arguments that are valid. */
  common?: CommonArguments;
  /** validate, and guard after it has resolved addresses and paths. */
  toolCall?: ToolCall;
  /** hints: the hint in the reply. */
  hint?: Hint;
  /** tab */
  session?: Session;
  /** tab */
  tab?: Tab;
  /** tab: the earlier calls in this tab have ended. */
  hasTurn?: boolean;
  /** run: settles when the tool has stopped, which after an abort may be later than the call. */
  work?: Promise<unknown>;
  /** run: the facts of the elements that a call of a task acted on, for recipes. */
  targets?: unknown[];
  /** run: the kinds of effects of the last action of a task's call, for recipes. */
  effects?: EffectKinds;
  /** run: the data that the tool adds to a failure. */
  explainFailure?: () => Promise<FailureDetails>;
  /** run */
  result?: ToolOutput;
  /** journal: the line of the journal. */
  entry?: CallEntry;
}

/** identify: the tool exists. */
export interface IdentifiedCall extends Call {
  readonly tool: Tool;
  /** The common arguments that are valid; the others are absent until `validate` rejects them. */
  readonly common: CommonArguments;
}

/** envelope: the task of the call admits it. */
export interface AdmittedCall extends IdentifiedCall {
  /** The domains that calls of the task may reach. */
  readonly allowedDomains?: readonly string[];
  /** The text about a task budget that is nearly or fully used. */
  readonly budget?: string;
}

/** validate: the arguments are valid. */
export interface ValidCall extends AdmittedCall {
  readonly toolCall: ToolCall;
}

/** job: there is a place for the results of a long-running tool. */
export interface WorkingCall extends ValidCall {
  /** Undefined for other tools. */
  readonly job: Job | undefined;
  readonly onProgress: (progress: Progress) => void;
}

/** deadline: the time limit runs. */
export interface TimedCall extends WorkingCall {
  readonly deadline: Deadline;
}

/** tab: the session is known, and the tab if the tool needs one. */
export interface SessionCall extends TimedCall {
  readonly session: Session;
  readonly tab: Tab | undefined;
}

/** consent: the owner's policy or the user allows the call. */
export interface PermittedCall extends SessionCall {
  /** Undefined if no rule restricts the call. */
  readonly consentCall: ConsentCall | undefined;
}

/**
 * A step of the pipeline. `next` runs the steps after it with the facts that this step adds, and
 * returns their result: the tool's result inside `present`, a reply outside.
 */
export type Step<In, Out, Inner = Reply, Outer = Inner> = (
  call: In,
  next: (call: Out) => Promise<Inner>,
) => Promise<Outer>;
