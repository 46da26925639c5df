// Commands: their names and arguments; those that call a tool, and those with code of their own.
import type { UsageField } from '../../toolkit/usage.ts';
import type { commands, findCommand, listFollowingWords } from './program.ts';
import type { Terminal } from './terminal.ts';
import type { Section } from './verbs/verb.ts';
import type { Wiring } from './wiring.ts';

/** An argument of a tool as a flag. */
export interface CommandField extends UsageField {
  /** The flag without dashes, if it is not named after the argument. */
  readonly flag?: string;
  /** Accepted, but not listed in the help. */
  readonly unlisted?: true;
}

/** How data is printed as text; views.ts has a function for each. */
export type ViewName =
  | 'call-list'
  | 'closed-tab'
  | 'cookie-list'
  | 'download-list'
  | 'entry-list'
  | 'navigation'
  | 'output'
  | 'page-html'
  | 'recording'
  | 'request-list'
  | 'saved-file'
  | 'session-change'
  | 'session-list'
  | 'storage-entry'
  | 'tab-list'
  | 'task'
  | 'task-events'
  | 'task-list'
  | 'task-row'
  | 'tool-list'
  | 'validation'
  | 'value';

/** A positional argument. */
export interface Positional {
  readonly label: string;
  /**
   * `field`: an argument of the tool. `target`: a ref, CSS or words, recognised by its form.
   * `pairs`: NAME=VALUE words as a list of form fields.
   */
  readonly as: 'field' | 'target' | 'pairs';
  readonly required: boolean;
  /** Takes all remaining words: as a list if the argument is a list, otherwise as one text. */
  readonly rest: boolean;
  /** The objects that complete it, if they do not follow from the argument. */
  readonly completes?: ':hosts' | ':logins' | ':sessions' | ':waiting';
  /** Set if no argument of the tool has this label. */
  readonly describe?: string;
}

export interface Command {
  /** The words after `openchrome`. */
  readonly path: readonly string[];
  readonly summary: string;
  /** Where the help of the program lists it. */
  readonly section?: Section;
  readonly description?: string;
  readonly positionals: readonly Positional[];
  /** Each field is also a flag. */
  readonly fields: readonly CommandField[];
  /**
   * All configuration flags are accepted and passed on unchanged. Help lists all of them, or only
   * these.
   */
  readonly configured?: true | readonly string[];
  /** Works, but is not listed in the help. */
  readonly hidden?: true;
  /** One of the most used commands, which the skill file lists. */
  readonly isTaught?: true;
  readonly examples: readonly string[];
}

/** A command that calls a tool. */
export interface ToolCommand extends Command {
  readonly tool: string;
  readonly fixed: Readonly<Record<string, unknown>>;
  /** Arguments that are set unless the user sets them. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The argument that contains the arguments of another tool. */
  readonly within?: Within;
  /** The property of a JSON reply to print. */
  readonly pick?: string;
  /** The property of one tab to print, from a reply that lists tabs. */
  readonly tabFact?: TabFact;
  /** The reply is one fact about an element, which is printed. */
  readonly elementFact?: ElementFactName;
  /** The result is a picture, which `--show` draws in the terminal. */
  readonly draws?: true;
  /** Runs as a task that the command follows; `--out` writes the pages. */
  readonly crawls?: true;
  /** The words of a label and of its value are separated by the labels of the page. */
  readonly splitsLabel?: true;
  /** Watches work of others: Ctrl-C ends the command, and the work continues. */
  readonly watches?: true;
  /** How `--follow` continues from the cursor of each reply. */
  readonly follows?: Follows;
  readonly view?: ViewName;
  /** The result is data: printed as JSON unless text is requested. */
  readonly data?: true;
  /** The result is data, but a failure is text unless JSON is requested. */
  readonly textFailures?: true;
  /** The text is printed without the page-state header. */
  readonly bare?: true;
  readonly job?: true;
  readonly stored?: true | readonly string[];
}

export interface Within {
  readonly name: string;
  /** The arguments that are next to it, not inside it. */
  readonly beside: readonly string[];
}

export type TabFact = 'url' | 'title';

export type ElementFactName = 'value' | 'attribute' | 'count';

export interface Follows {
  readonly items: string;
  /** The argument for how long the server may wait for new items. */
  readonly wait: string;
}

/** Normalises a name: `waitUntil`, `wait_until` and `wait-until` are equal. */
export const formatPlain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** Converts a name to kebab-case: `waitUntil` -> `wait-until`, `outerHTML` -> `outer-html`. */
export const formatDashed = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

/** The flag of an argument, without dashes. */
export const formatFieldName = ({ name, flag }: Pick<CommandField, 'name' | 'flag'>): string =>
  flag ?? formatDashed(name);

export const formatCommandName = ({ path }: Pick<Command, 'path'>): string =>
  ['openchrome', ...path].join(' ');

/** The dependencies of a command. */
export interface CliContext {
  /** For commands that list commands: completion, the skill. */
  readonly program: {
    readonly commands: typeof commands;
    readonly findCommand: typeof findCommand;
    readonly listFollowingWords: typeof listFollowingWords;
  };
  readonly terminal: Terminal;
  readonly wiring: Wiring;
  /** Runs another command; returns its exit status. */
  readonly run: (argv: readonly string[], context: CliContext) => Promise<number>;
}

/** Returns the exit status. */
export type RunCommand = (
  words: readonly string[],
  context: CliContext,
  command: OwnCommand,
) => Promise<number>;

/** A command that does not call a tool; its module is loaded on use. */
export interface OwnCommand extends Command {
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** Declares a command that does not call a tool; its words are its name. */
export const defineCommand = (
  words: string,
  section: Section,
  summary: string,
  load: OwnCommand['load'],
  more: Partial<Omit<OwnCommand, 'path' | 'summary' | 'section' | 'load'>> = {},
): OwnCommand => ({
  path: words.split(' '),
  section,
  summary,
  positionals: [],
  fields: [],
  examples: [`openchrome ${words}`],
  ...more,
  load,
});

export const JSON_SWITCH = { name: 'json', kind: 'switch', describe: 'Print JSON' } as const;
