// The definition of a verb: a command that calls one tool, with some arguments fixed.
import type { ElementFactName, Follows, Positional, TabFact, ViewName } from '../command.ts';

/** The groups of the help, in its order. */
export const SECTIONS = {
  pages: 'Pages and tabs',
  look: 'Look at the page',
  act: 'Act on the page',
  traffic: 'Traffic, data and browser state',
  work: 'Long work and its results',
  sessions: 'Sessions and logins',
  watch: 'Watch the agents',
  setup: 'Set up and repair',
  tools: 'Tools',
} as const;

export type Section = keyof typeof SECTIONS;

export interface Verb {
  /** The words after `openchrome`. */
  readonly words: string;
  readonly tool: string;
  readonly section: Section;
  readonly summary: string;
  /** Further facts for the help of this command. */
  readonly about?: string;
  /**
   * Positional arguments: `<required>`, `[optional]`, `<all remaining words...>`. Each is an
   * argument of the tool, or `target` (a ref, CSS or words).
   */
  readonly takes?: string;
  /** Describes positional arguments, by label. */
  readonly places?: Readonly<Record<string, string>>;
  /** The objects that complete the positional arguments, if they do not follow from their names. */
  readonly completes?: NonNullable<Positional['completes']>;
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Arguments that are set unless the user sets them. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The tool's arguments that the help lists as flags; all others are accepted too. */
  readonly options?: Readonly<Record<string, string>>;
  /** Flags that are not named after their argument. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Arguments that are paths, in addition to those that the tool declares. */
  readonly files?: readonly string[];
  /** Works, but is not listed in the help. */
  readonly hidden?: true;
  /** One of the most used commands, which the skill file lists. */
  readonly isTaught?: true;
  readonly pick?: string;
  /**
   * Prints this fact of the current tab (or of the one that tabId names) from a reply that lists
   * tabs.
   */
  readonly tabFact?: TabFact;
  /** The reply is one fact about an element, which is printed. */
  readonly elementFact?: ElementFactName;
  readonly follows?: Follows;
  /** The result is a picture, which `--show` draws in the terminal. */
  readonly draws?: true;
  /** Runs as a task that the command follows; `--out` writes the pages. */
  readonly crawls?: true;
  /** The words of a label and of its value are separated by the labels of the page. */
  readonly splitsLabel?: true;
  /** Watches work of others: Ctrl-C ends the command, and the work continues. */
  readonly watches?: true;
  /** How the reply is printed as text. Default: text unchanged, data as lines and tables. */
  readonly view?: ViewName;
  /** The result is data: printed as JSON unless text is requested. */
  readonly data?: true;
  /** The text is printed without the page-state header. */
  readonly bare?: true;
  readonly examples: readonly string[];
}
