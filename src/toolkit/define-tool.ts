// Declares a tool: MCP listing, CLI command and reference page are derived from it.
import { z } from 'zod';
import type { ConsentEffect } from '../core/consent-rule.ts';
import { defined } from '../core/defined.ts';
import type { RecipePart } from '../features/recipe/task-calls.ts';
import type { ResourceKind } from '../features/resources/stored-resources.ts';
import type { Assemble, TaskEnd, TaskKind } from '../features/tasks/kind.ts';
import type { KeptFiles } from '../store/tasks/working-files.ts';
import type { ContextByDuration, ContextByScope, Services } from './context.ts';
import { bindInput, type ToolCall } from './tool-call.ts';

/** Where a tool works: in one tab, in the whole browser, or without a browser. */
export type ToolScope = 'tab' | 'browser' | 'none';

/** `job`: may take minutes and can run as a background task. */
export type Duration = 'instant' | 'job';

/** The value of `Page Mode` in the page-state header. */
export type HeaderMode =
  | 'ax'
  | 'dom'
  | 'css'
  | 'markdown'
  | 'diff'
  | 'html'
  | 'inspect'
  | 'validate';

/** A header for a document other than the tab's page. */
export interface DocumentHeader {
  readonly mode: HeaderMode;
  readonly url: string;
  readonly title: string;
}

/** What the owner's policy must know about a call in addition to its effect. */
export interface ConsentTraits {
  /** Effects in addition to `effect`. */
  readonly special?: readonly ConsentEffect[];
  /**
   * The pages that the call concerns: the documents of its tab (default), those of all tabs of the
   * session, all sites, or the tab with this id. `later`: the tool calls `context.requireConsent`.
   */
  readonly pages?:
    | 'tab'
    | 'session'
    | 'every'
    | 'later'
    | { readonly urls: readonly string[] }
    | { readonly tabId: string | undefined };
}

/** All facts about a tool that other layers need; no other code depends on a tool's name. */
export interface Traits<
  Input,
  S extends ToolScope = ToolScope,
  D extends Duration = Duration,
  Data = unknown,
> {
  /**
   * `read` does not change the page and may be repeated; `act` may change something. A function if
   * it depends on the arguments.
   */
  readonly effect: 'read' | 'act' | ((input: Input) => 'read' | 'act');
  readonly scope: S;
  /**
   * Works on the task ledger: `task_id` is the task to report on, and the call is not recorded in
   * any task.
   */
  readonly ledger?: true;
  /**
   * True if a call only observes (for the envelope's streaks); a function if it depends on the
   * arguments.
   */
  readonly observation: boolean | ((input: Input) => boolean);
  readonly duration: D;
  /** A job that can continue an ended task of its kind (`job.previous`). */
  readonly resumes?: boolean;
  /** A job that any worker of a cluster can run: it needs no tab and no file of this machine. */
  readonly distributed?: boolean;
  /**
   * Effect of an open JavaScript dialog: the call is blocked, works anyway, or answers the dialog.
   */
  readonly dialog: 'blocked' | 'allowed' | 'answers';
  /**
   * Loads pages or needs none, so it works in a tab whose page has crashed. Other tools fail there.
   */
  readonly loadsPages?: true;
  /**
   * Rejects the call with `no_page` if no page was opened in the tab; a function if it depends on
   * the arguments. `command`: rejects only calls of the command line.
   */
  readonly needsPage?: true | 'command' | ((input: Input) => boolean);
  /**
   * Rejects the call in a tab that shows a PDF, which has no elements; a function if it depends on
   * the arguments. `undrawn`: only in a Chrome that does not draw PDF files.
   */
  readonly rejectsPdf?: true | 'undrawn' | ((input: Input) => boolean);
  /**
   * If the session has no tab, the call opens one (default), waits until another call opens one, or
   * runs without a tab.
   */
  readonly withoutTab?: (input: Input) => 'open' | 'wait' | 'run';
  /** Watches a tab while other calls run there: neither waits in the tab's queue nor blocks it. */
  readonly aside?: true;
  /** The default timeout. */
  readonly timeoutMs: number;
  /**
   * For a tool whose `timeout_ms` is its waiting time: added to it for the deadline, as time for
   * the reply.
   */
  readonly reserveMs?: number;
  /** The intended waiting time of the call; `timeoutMs` is added to it for the deadline. */
  readonly waitsMs?: (input: Input) => number;
  /** The payload can be large: `output_mode` applies. */
  readonly large?: boolean;
  /** The key of the items in a large JSON payload. */
  readonly items?: string;
  /** The stored form of this tool's JSON; undefined if it is the inline form. */
  readonly stores?: (json: unknown, tools: readonly Tool[]) => StoredForm | undefined;
  /**
   * The reply is page state and has the header; a function if the mode depends on the input or the
   * data.
   */
  readonly header?:
    | HeaderMode
    | ((input: Input, data: Data) => HeaderMode | DocumentHeader | undefined);
  /** Arguments that are paths on disk, checked by the guard. */
  readonly files?: readonly (keyof Input & string)[];
  /** Arguments that are addresses, checked by the guard. */
  readonly urls?: readonly (keyof Input & string)[];
  /**
   * Arguments that may name secrets, which the tool fills in with `context.fillSecrets`; a secret
   * in any other argument fails the call.
   */
  readonly takesSecrets?: readonly (keyof Input & string)[];
  /** Makes further calls, each of which is checked by itself; a script cannot call it. */
  readonly makesCalls?: true;
  /** Arguments of later calls, which are checked when these run. */
  readonly scripts?: readonly (keyof Input & string)[];
  /** The texts of the payload are HTML source: comments are removed. */
  readonly html?: boolean;
  /** The data was sanitised and redacted when it was stored, and is returned unchanged. */
  readonly verbatim?: boolean;
  /**
   * How a recipe repeats a successful call; a function if it depends on the arguments. Default: a
   * call that changes something cannot be repeated, and others are left out.
   */
  readonly recipe?: RecipePart | ((input: Input) => RecipePart | undefined);
  /** Runs the recipes, which are listed as MCP prompts. */
  readonly runsPrompts?: true;
  /** Reads the MCP resources of this kind. */
  readonly resource?: ResourceKind;
  /** Lists requests: its arguments are prepared when a page has made many. Accepts `{}`. */
  readonly listsRequests?: true;
  /** With one of these arguments the call is answered from the home folder, without Chrome. */
  readonly stored?: readonly (keyof Input & string)[];
  /** True if the call requests secrets in clear text, which needs a server with --allow-reveal. */
  readonly reveals?: (input: Input) => boolean;
  /** The URL that the call loads in a tab; `here` is the tab's current URL. */
  readonly opens?: (input: Input, here: string | undefined) => string | undefined;
  /** Facts for the owner's policy, if `effect` does not suffice. */
  readonly consent?: (input: Input) => ConsentTraits;
  /** True if the action had no visible effect. */
  readonly noEffect?: (data: Data) => boolean;
  /** True if the call worked, but the answer is no: a search without a match, a failed check. */
  readonly negative?: (data: unknown) => boolean;
  /** In the smallest list (`--slim`). */
  readonly core?: boolean;
  /**
   * Makes the first call of this tool faster. A server runs it once, in a pause between calls after
   * Chrome has started. Not for what takes much memory.
   */
  readonly prepareFirstCall?: (services: Services) => Promise<void>;
}

export interface Image {
  readonly data: string;
  readonly mimeType: string;
}

/**
 * The presentation of data: a text or a JSON body (never both), a lead before the header, and
 * images.
 */
export interface View {
  readonly lead?: string;
  readonly text?: string;
  readonly json?: unknown;
  readonly images?: readonly Image[];
  /** The JSON form of a text or of images; default: the tool's data. */
  readonly data?: object;
}

/** A payload and the key of its items. */
export interface StoredForm {
  readonly view: View;
  readonly items?: string | undefined;
}

/** The parts of a declaration that depend on the types of the arguments and of the data. */
export interface Behaviour<Input, Data, S extends ToolScope, D extends Duration> {
  readonly traits: Traits<Input, S, D, Data>;
  /** Checks rules across arguments: returns corrected arguments, or throws a failure. */
  readonly prepare?: (input: Input) => Input;
  readonly run: (
    input: Input,
    context: ContextByScope[S] & ContextByDuration[D],
  ) => Promise<Data> | Data;
  /** Renders data as text; undefined means compact JSON of the data. */
  readonly render?: (data: Data, input: Input) => View | string | undefined;
}

interface ToolDeclaration<
  Shape extends z.ZodRawShape,
  Data,
  S extends ToolScope,
  D extends Duration,
> extends Behaviour<z.output<z.ZodObject<Shape>>, Data, S, D> {
  readonly name: string;
  /**
   * States the effect, when to use the tool, and when not (naming the better tool). The first 200
   * characters matter most.
   */
  readonly description: string;
  /** Further text for `expand_tools` and the reference; never listed. */
  readonly help?: string;
  /** The data of a reply, as a TypeScript type: for scripts; never listed. */
  readonly returns?: string;
  /** Additional words for `expand_tools`, separated by spaces; never listed. */
  readonly keywords?: string;
  /** 1: listed by default. 2: listed with --all-tools. Both can always be called. */
  readonly tier: 1 | 2;
  /** Built when the tool is first called or described: a start does not wait for all schemas. */
  readonly input: () => Shape;
  readonly examples: readonly z.input<z.ZodObject<Shape>>[];
  /**
   * For a job: builds the result from the stored files if it was cancelled, failed or its process
   * died.
   */
  readonly assemble?: (
    kept: KeptFiles,
    end: TaskEnd,
  ) => Promise<Data | undefined> | Data | undefined;
}

/** A tool whose argument and data types are hidden: `parse` returns a call that knows them. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly help?: string;
  readonly returns?: string;
  readonly keywords?: string;
  readonly tier: 1 | 2;
  readonly traits: Traits<never, ToolScope, Duration, never>;
  readonly input: z.ZodObject;
  readonly examples: readonly object[];
  readonly assemble?: Assemble;
  /** False if every reply of the tool is JSON. */
  readonly rendersText: boolean;
  /**
   * Parses the tool's own arguments. Throws the failure that `explain` returns if they do not match
   * the schema.
   */
  readonly parse: (given: object, explain: (error: z.ZodError) => Error) => ToolCall;
}

export const defineTool = <
  Shape extends z.ZodRawShape,
  Data,
  S extends ToolScope,
  D extends Duration,
>(
  declaration: ToolDeclaration<Shape, Data, S, D>,
): Tool => {
  const { input: buildShape, prepare, run: _run, render, ...facts } = declaration;
  let schema: z.ZodObject<Shape> | undefined;
  const getSchema = (): z.ZodObject<Shape> => (schema ??= z.object(buildShape()));
  return {
    ...facts,
    get input() {
      return getSchema();
    },
    rendersText: render !== undefined,
    parse: (given, explain) => {
      const { data, error } = getSchema().safeParse(given);
      if (error) throw explain(error);
      return bindInput(declaration, prepare?.(data) ?? data);
    },
  };
};

/** The kinds of background tasks: every tool that declares itself a job. */
export const listTaskKinds = (tools: readonly Tool[]): TaskKind[] =>
  tools
    .filter(({ traits }) => traits.duration === 'job')
    .map(({ name, assemble, traits }) =>
      defined({
        name,
        resumes: traits.resumes === true,
        distributed: traits.distributed === true,
        assemble: assemble ? assemble : undefined,
      }),
    );
