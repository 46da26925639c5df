// A call of a tool with valid arguments; it hides the types of the arguments and the data.
import type { RecipePart } from '../features/recipe/task-calls.ts';
import type { JobContext, TabContext } from './context.ts';
import type {
  Behaviour,
  ConsentTraits,
  DocumentHeader,
  Duration,
  HeaderMode,
  ToolScope,
  View,
} from './define-tool.ts';

/** Checks the addresses and paths of a call: each function returns the value to use, or throws. */
export interface ArgumentChecks {
  readonly address: (url: string) => Promise<string>;
  readonly file: (path: string) => Promise<string>;
}

/** The arguments of a call, and the traits that depend on them. */
export interface ToolCall {
  readonly input: object;
  readonly effect: 'read' | 'act';
  readonly observes: boolean;
  readonly needsPage: boolean | 'command';
  readonly rejectsPdf: boolean | 'undrawn';
  readonly withoutTab: 'open' | 'wait' | 'run';
  readonly waitsMs: number;
  readonly revealsSecrets: boolean;
  readonly consent: ConsentTraits;
  /** How a recipe repeats the call. */
  readonly recipe: RecipePart;
  /** The arguments that are addresses. */
  readonly addresses: readonly string[];
  /** The URL that the call loads in a tab; `here` is the tab's current URL. */
  opens(here: string | undefined): string | undefined;
  /** Returns the call with the addresses and files that the checks returned. */
  check(checks: ArgumentChecks): Promise<ToolCall>;
  /**
   * The context has everything that any tool may need; `tab` and `job` throw if the call has none.
   */
  run(context: TabContext & JobContext): Promise<ToolOutput>;
}

/** A function that returns its argument with parts removed, such as secrets. */
export type Cleaner = <T>(value: T) => Promise<T>;

/** The data that a tool returned, and its views. */
export interface ToolOutput {
  readonly data: unknown;
  readonly header: HeaderMode | DocumentHeader | undefined;
  /** The action had no visible effect. */
  readonly hasNoEffect: boolean;
  /** The call worked, but the answer is no. */
  readonly isNegative: boolean;
  /** Returns the result with cleaned data. */
  clean(cleaner: Cleaner): Promise<ToolOutput>;
  /** Renders the data; the view may quote arguments, which are cleaned first. */
  render(cleaner: Cleaner): Promise<View>;
}

export const bindInput = <Input extends object, Data, S extends ToolScope, D extends Duration>(
  tool: Behaviour<Input, Data, S, D>,
  input: Input,
): ToolCall => {
  const { traits } = tool;
  return {
    input,
    effect: resolve(traits.effect, input),
    observes: resolve(traits.observation, input),
    needsPage: resolve<Input, boolean | 'command'>(traits.needsPage ?? false, input),
    rejectsPdf: resolve<Input, boolean | 'undrawn'>(traits.rejectsPdf ?? false, input),
    withoutTab: traits.withoutTab?.(input) ?? 'open',
    waitsMs: traits.waitsMs?.(input) ?? 0,
    revealsSecrets: traits.reveals?.(input) ?? false,
    consent: traits.consent?.(input) ?? {},
    recipe: resolveRecipePart(tool, input),
    addresses: (traits.urls ?? [])
      .flatMap((name) => input[name])
      .filter((value): value is Input[keyof Input & string] & string => typeof value === 'string'),
    opens: (here) => traits.opens?.(input, here),
    check: async ({ address, file }) => {
      const opened = await replaceTexts(input, traits.urls, address);
      return bindInput(tool, await replaceTexts(opened, traits.files, file));
    },
    run: async (context) => bindData(tool, input, await tool.run(input, context)),
  };
};

const resolveRecipePart = <Input extends object, Data, S extends ToolScope, D extends Duration>(
  { traits }: Behaviour<Input, Data, S, D>,
  input: Input,
): RecipePart => {
  // the calls that a script makes are in the task themselves
  if (traits.ledger || traits.makesCalls || traits.scope === 'none') return 'skip';
  const changes = resolve(traits.effect, input) === 'act' && !resolve(traits.observation, input);
  const part = typeof traits.recipe === 'function' ? traits.recipe(input) : traits.recipe;
  if (changes) return part ?? { refused: 'no kind of step repeats this tool' };
  return part === undefined || part === 'call' ? 'skip' : part;
};

const bindData = <Input, Data, S extends ToolScope, D extends Duration>(
  tool: Behaviour<Input, Data, S, D>,
  input: Input,
  data: Data,
): ToolOutput => {
  const { header, noEffect, negative } = tool.traits;
  return {
    data,
    header: typeof header === 'function' ? header(input, data) : header,
    hasNoEffect: noEffect?.(data) ?? false,
    isNegative: negative?.(data) ?? false,
    clean: async (cleaner) => bindData(tool, input, await cleaner(data)),
    render: async (cleaner) => {
      const view = tool.render?.(data, await cleaner(input));
      if (view === undefined) return { json: data };
      return typeof view === 'string' ? { text: view } : view;
    },
  };
};

/** The value of a trait that may depend on the arguments. */
const resolve = <Input, T extends string | boolean>(
  trait: T | ((input: Input) => T),
  input: Input,
): T => (typeof trait === 'function' ? trait(input) : trait);

/** Replaces the named arguments that are texts or lists of texts. */
const replaceTexts = async <Input extends object>(
  input: Input,
  names: readonly (keyof Input & string)[] = [],
  replace: (text: string) => Promise<string>,
): Promise<Input> => {
  let replaced = input;
  for (const name of names) {
    const given = input[name];
    if (typeof given === 'string') replaced = { ...replaced, [name]: await replace(given) };
    else if (Array.isArray(given))
      replaced = { ...replaced, [name]: await Promise.all(given.map(String).map(replace)) };
  }
  return replaced;
};
