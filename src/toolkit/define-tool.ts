// What a tool is: one declaration from which MCP registration, the CLI command and the reference
// page are derived.
import { z } from 'zod';
import type { Assemble, TaskEnd } from '../features/tasks/kind.ts';
import type { KeptFiles } from '../store/tasks/working-files.ts';
import type { Context, JobContext, TabContext } from './context.ts';

/** Where a tool works: in one tab, on the browser as a whole, or without any browser. */
export type ToolScope = 'tab' | 'browser' | 'none';

/** `job`: may take minutes and can run as a background task. */
export type Duration = 'instant' | 'job';

/** What `Page Mode` says in the page-state header. */
export type HeaderMode =
  | 'ax'
  | 'dom'
  | 'css'
  | 'markdown'
  | 'diff'
  | 'html'
  | 'inspect'
  | 'validate';

/**
 * Every fact about a tool that another room may need; nothing outside the declaration knows a tool
 * by its name.
 */
export interface Traits<Input, S extends ToolScope = ToolScope, D extends Duration = Duration> {
  /**
   * `read` leaves the page as it is and may be repeated; `act` may change something. A function
   * where it depends on the arguments.
   */
  readonly effect: 'read' | 'act' | ((input: Input) => 'read' | 'act');
  readonly scope: S;
  /**
   * Works on the ledger itself: `task_id` is the task that it asks about, and its calls are
   * recorded against none.
   */
  readonly ledger?: true;
  /**
   * Whether a call only looks (for the envelope's streaks); a function where it depends on the
   * arguments.
   */
  readonly observation: boolean | ((input: Input) => boolean);
  readonly duration: D;
  /** A job that can go on where an ended task of its kind stopped (`job.previous`). */
  readonly resumes?: boolean;
  /**
   * What an open JavaScript dialog means: the call must wait for an answer, works all the same, or
   * answers it.
   */
  readonly dialog: 'blocked' | 'allowed' | 'answers';
  /**
   * Loads pages, or can do without them, so that it works in a tab whose page has crashed;
   * everything else would wait there for nothing.
   */
  readonly loadsPages?: true;
  /**
   * Rejects the call with `no_page` if no page was opened in the tab; a function if it depends on
   * the arguments.
   */
  readonly needsPage?: true | ((input: Input) => boolean);
  /**
   * What a call does if its session has no tab: opens one (the default), waits until another call
   * opens one, or runs without.
   */
  readonly withoutTab?: (input: Input) => 'open' | 'wait' | 'run';
  /**
   * Watches a tab beside whatever else is called there, instead of waiting for a turn and holding
   * up the others.
   */
  readonly aside?: true;
  /** The deadline of a call that names none. */
  readonly timeoutMs: number;
  /**
   * For a tool whose `timeout_ms` is how long it waits: its deadline lies so much above that, to
   * say what came of it.
   */
  readonly reserveMs?: number;
  /** How long the call is asked to wait on purpose; its deadline lies `timeoutMs` above that. */
  readonly waitsMs?: (input: Input) => number;
  /** The payload can be large, so that `output_mode` applies. */
  readonly large?: boolean;
  /** Where the items of a large JSON payload are. */
  readonly items?: string;
  /**
   * The form in which JSON of this tool is stored, if it differs from the inline one; undefined if
   * it does not.
   */
  readonly stores?: (json: unknown, tools: readonly Tool[]) => StoredForm | undefined;
  /**
   * The reply is page state and carries the header; a function where the mode depends on what was
   * asked or found.
   */
  readonly header?: HeaderMode | ((input: Input, data: unknown) => HeaderMode | undefined);
  /** Arguments that are paths on disk, checked by the guard. */
  readonly files?: readonly (keyof Input & string)[];
  /** Arguments that are addresses, checked by the guard. */
  readonly urls?: readonly (keyof Input & string)[];
  /**
   * Arguments that may name secrets, which the tool fills in with `context.fillSecrets`; a secret
   * in any other one fails the call.
   */
  readonly takesSecrets?: readonly (keyof Input & string)[];
  /** Arguments of calls that are made later, and judged then. */
  readonly scripts?: readonly (keyof Input & string)[];
  /** The texts of the payload are HTML source: comments are taken out of them. */
  readonly html?: boolean;
  /**
   * What it returns went through sanitising and redaction when it was stored, and is shown as it
   * is.
   */
  readonly verbatim?: boolean;
  /**
   * Arguments with which the call is answered from the home folder alone, with no Chrome running.
   */
  readonly stored?: readonly (keyof Input & string)[];
  /**
   * Whether the call asks for secrets to be shown, which only a server started with --allow-reveal
   * does.
   */
  readonly reveals?: (input: Input) => boolean;
  /** The address that the call loads into a tab; `here` is the one that the tab shows. */
  readonly opens?: (input: Input, here: string | undefined) => string | undefined;
  /** Whether what was done had no effect that could be seen. */
  readonly noEffect?: (data: unknown) => boolean;
  /** Part of the smallest useful list (`--slim`). */
  readonly core?: boolean;
}

export interface Image {
  readonly data: string;
  readonly mimeType: string;
}

/**
 * How data is shown: a text or a JSON body (never both), what stands before the header, and
 * pictures.
 */
export interface View {
  readonly lead?: string;
  readonly text?: string;
  readonly json?: unknown;
  readonly images?: readonly Image[];
}

/** A payload and the key of its items. */
export interface StoredForm {
  readonly view: View;
  readonly items?: string | undefined;
}

type ContextOf<S extends ToolScope, D extends Duration> = (S extends 'tab' ? TabContext : Context) &
  (D extends 'job' ? JobContext : object);

interface ToolDeclaration<
  Shape extends z.ZodRawShape,
  Data,
  S extends ToolScope,
  D extends Duration,
> {
  readonly name: string;
  /**
   * What it does, when to use it, when not (naming the better tool). The first 200 characters
   * decide.
   */
  readonly description: string;
  /**
   * Further words under which `expand_tools` finds it, separated by spaces; they are never listed.
   */
  readonly keywords?: string;
  /** 1: listed by default. 2: listed with --all-tools. Both can always be called. */
  readonly tier: 1 | 2;
  readonly traits: Traits<z.output<z.ZodObject<Shape>>, S, D>;
  /**
   * Made when the tool is first called or described: a start does not wait for the schemas of all
   * tools.
   */
  readonly input: () => Shape;
  /** Rules that concern several arguments: returns them put right, or throws a failure. */
  readonly prepare?: (input: z.output<z.ZodObject<Shape>>) => z.output<z.ZodObject<Shape>>;
  readonly examples: readonly z.input<z.ZodObject<Shape>>[];
  readonly run: (
    input: z.output<z.ZodObject<Shape>>,
    context: ContextOf<S, D>,
  ) => Promise<Data> | Data;
  /**
   * Of a job: the result of what was kept so far, for one that was cancelled, failed or left behind
   * by a dead process.
   */
  readonly assemble?: (
    kept: KeptFiles,
    end: TaskEnd,
  ) => Promise<Data | undefined> | Data | undefined;
  /** Data to text; nothing returned means compact JSON of the data. */
  readonly render?: (data: Data, input: z.output<z.ZodObject<Shape>>) => View | string | undefined;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly keywords?: string;
  readonly tier: 1 | 2;
  readonly traits: Traits<never>;
  readonly input: z.ZodObject<z.ZodRawShape>;
  readonly prepare?: (input: never) => Readonly<Record<string, unknown>>;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
  readonly run: (input: never, context: never) => unknown;
  readonly assemble?: Assemble;
  readonly render?: (data: never, input: never) => View | string | undefined;
}

export const defineTool = <
  Shape extends z.ZodRawShape,
  Data,
  S extends ToolScope,
  D extends Duration,
>(
  declaration: ToolDeclaration<Shape, Data, S, D>,
): Tool => {
  let input: Tool['input'] | undefined;
  return Object.defineProperty({ ...(declaration as unknown as Tool) }, 'input', {
    get: () => (input ??= z.object(declaration.input())),
    enumerable: true,
  });
};
