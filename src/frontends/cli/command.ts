// What a command is: the words that name it, what it takes, and what it asks of a tool.
import type { UsageField } from '../../toolkit/usage.ts';

/** An argument that has its place instead of a name. */
export interface Positional {
  readonly label: string;
  /**
   * `field`: an argument of the tool. `target`: a ref, CSS or words, whichever it looks like.
   * `slot`: a text that is put into one of the fixed arguments.
   */
  readonly as: 'field' | 'target' | 'slot';
  readonly required: boolean;
  /** Takes all words that are left: as a list where the argument is one, else as one text. */
  readonly rest: boolean;
  /** Where no argument of its name says it. */
  readonly describe?: string;
}

export interface Command {
  /** The words behind `openchrome`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly positionals: readonly Positional[];
  /** Each is a flag of its name. */
  readonly fields: readonly UsageField[];
  /** Every flag of the configuration is understood, and handed on as it was written. */
  readonly configured?: true;
  /** Understood, but not told of. */
  readonly hidden?: true;
  readonly examples: readonly string[];
}

/** A command that is a call of a tool. */
export interface ToolCommand extends Command {
  readonly tool: string;
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The argument within which those of another tool stand. */
  readonly within?: Within;
  /** The part of a JSON reply that is shown. */
  readonly pick?: string;
  /** The fact of one tab that is shown from a reply that lists tabs. */
  readonly tabFact?: TabFact;
  /** Goes on from the cursor of each reply with the items in it. */
  readonly follows?: Follows;
  readonly job?: true;
  readonly stored?: true | readonly string[];
}

export interface Within {
  readonly name: string;
  /** The arguments that stand beside it. */
  readonly beside: readonly string[];
}

export type TabFact = 'url' | 'title';

export interface Follows {
  readonly items: string;
  /** The argument that says how long the server may wait for something new. */
  readonly wait: string;
}

/** `waitUntil`, `wait_until` and `wait-until` are one name. */
export const formatPlain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** As names are written in a shell: `waitUntil` -> `wait-until`, `outerHTML` -> `outer-html`. */
export const formatDashed = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();

export const formatCommandName = ({ path }: Pick<Command, 'path'>): string =>
  ['openchrome', ...path].join(' ');
