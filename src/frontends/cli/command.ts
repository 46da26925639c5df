// Types of a command: its name, its arguments, and the tool that it calls.
import type { UsageField } from '../../toolkit/usage.ts';

/** A positional argument. */
export interface Positional {
  readonly label: string;
  /**
   * `field`: an argument of the tool. `target`: a ref, CSS or words, recognised by its form.
   * `slot`: a text inserted into one of the fixed arguments.
   */
  readonly as: 'field' | 'target' | 'slot';
  readonly required: boolean;
  /** Takes all remaining words: as a list if the argument is a list, otherwise as one text. */
  readonly rest: boolean;
  /** Set if no argument of the tool has this label. */
  readonly describe?: string;
}

export interface Command {
  /** The words after `openchrome`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly positionals: readonly Positional[];
  /** Each field is also a flag. */
  readonly fields: readonly UsageField[];
  /** All configuration flags are accepted and passed on unchanged. */
  readonly configured?: true;
  /** Works, but is not listed in the help. */
  readonly hidden?: true;
  readonly examples: readonly string[];
}

/** A command that calls a tool. */
export interface ToolCommand extends Command {
  readonly tool: string;
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The argument that contains the arguments of another tool. */
  readonly within?: Within;
  /** The property of a JSON reply to print. */
  readonly pick?: string;
  /** The property of one tab to print, from a reply that lists tabs. */
  readonly tabFact?: TabFact;
  /** How `--follow` continues from the cursor of each reply. */
  readonly follows?: Follows;
  readonly job?: true;
  readonly stored?: true | readonly string[];
}

export interface Within {
  readonly name: string;
  /** The arguments that are next to it, not inside it. */
  readonly beside: readonly string[];
}

export type TabFact = 'url' | 'title';

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

export const formatCommandName = ({ path }: Pick<Command, 'path'>): string =>
  ['openchrome', ...path].join(' ');
