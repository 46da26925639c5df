// All commands, own and derived from tools; used by the parser, help, completion and docs/cli.md.
import usages from 'tool-usage';
import { type Command, formatPlain, type OwnCommand, type ToolCommand } from './command.ts';
import { deriveCommands, type DerivedEntry } from './derive.ts';
import { type HelpSection, renderCommandHelp, renderGroupHelp } from './help.ts';
import { LOGIN_COMMANDS } from './login-commands.ts';
import { SETUP_COMMANDS } from './setup-commands.ts';
import { GROUPS } from './verbs/index.ts';
import { type Section, SECTIONS } from './verbs/verb.ts';
import { WATCH_COMMANDS } from './watch-commands.ts';
import { WORK_COMMANDS } from './work-commands.ts';

const OWN_COMMANDS: readonly OwnCommand[] = [
  ...WATCH_COMMANDS,
  ...SETUP_COMMANDS,
  ...LOGIN_COMMANDS,
  ...WORK_COMMANDS,
];

let listed: readonly DerivedEntry<OwnCommand | ToolCommand>[] | undefined;

const entries = (): readonly DerivedEntry<OwnCommand | ToolCommand>[] =>
  (listed ??= [
    ...deriveCommands(usages),
    ...OWN_COMMANDS.map((command) => ({ ...command, make: () => command })),
  ]);

/** Every command, in the order of the help. */
export const commands = (): readonly (OwnCommand | ToolCommand)[] =>
  entries().map(({ make }) => make());

export type CommandMatch =
  | { readonly command: OwnCommand | ToolCommand; readonly words: readonly string[] }
  /** The words name a group of commands, or nothing. */
  | { readonly group: readonly string[]; readonly words: readonly string[] };

/** Finds the command with the longest name that the words start with. */
export const findCommand = (argv: readonly string[]): CommandMatch => {
  const end = argv.findIndex((word) => word.startsWith('-'));
  const names = end < 0 ? argv : argv.slice(0, end);
  for (let length = Math.min(names.length, LONGEST_NAME); length > 0; length--) {
    const path = names.slice(0, length);
    const command = commandAt(path);
    if (command) return { command, words: argv.slice(length) };
    if (isGroup(path) && path.join(' ') !== PREFIX)
      return { group: path, words: argv.slice(length) };
  }
  return names[0] === PREFIX ? findCommand(withoutPrefix(argv)) : { group: [], words: argv };
};

/** `openchrome browser VERB` is the same command as `openchrome VERB`. */
const PREFIX = 'browser';

/** `browser tab new` is an older form of `tabs new`, and `browser tab list` of `tabs`. */
const withoutPrefix = ([, first, second, ...rest]: readonly string[]): string[] => {
  const words =
    first === 'tab' ? ['tabs', second === 'list' ? undefined : second] : [first, second];
  return [...words.filter((word) => word !== undefined), ...rest];
};

const LONGEST_NAME = 3;

const begins = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((word, i) => path[i] !== undefined && formatPlain(path[i]) === formatPlain(word));

const commandAt = (path: readonly string[]): OwnCommand | ToolCommand | undefined =>
  entries()
    .find((entry) => entry.path.length === path.length && begins(entry.path, path))
    ?.make();

const isGroup = (path: readonly string[]): boolean =>
  entries().some((entry) => begins(entry.path, path));

/** Lists the words that can follow: commands by their next word, each group once. */
export const listFollowingWords = (
  group: readonly string[],
): readonly (readonly [word: string, summary: string])[] =>
  listFollowing(group).map(({ word, summary }) => [word, summary]);

interface Following {
  readonly word: string;
  readonly summary: string;
  readonly section: Section | undefined;
}

const listFollowing = (group: readonly string[]): readonly Following[] => {
  const found = new Map<string, Following>();
  for (const { path, summary, section, hidden } of entries()) {
    const word = path[group.length];
    if (word === undefined || hidden || !begins(path, group)) continue;
    const isWhole = path.length === group.length + 1;
    if (!isWhole && found.has(word)) continue;
    const name = path.slice(0, group.length + 1).join(' ');
    found.set(word, { word, summary: isWhole ? summary : (GROUPS[name] ?? summary), section });
  }
  return [...found.values()];
};

const EXAMPLES: readonly string[] = [
  'openchrome open https://example.com',
  'openchrome state',
  'openchrome click Sign in',
  'openchrome fill Email ada@x.org',
  'openchrome get text > page.md',
  'openchrome crawl https://example.com --out pages/',
];

const ABOUT =
  'A real Chrome for AI agents and for the shell. The first command starts Chrome in the ' +
  'background; tabs and logins stay until "openchrome daemon stop". Without a command, ' +
  'openchrome serves MCP on stdio.';

export const renderHelpOfGroup = (group: readonly string[], columns: number): string => {
  const name = group.join(' ');
  const following = listFollowing(group);
  if (group.length > 0)
    return renderGroupHelp(
      group,
      `${GROUPS[name] ?? name}.`,
      [{ title: 'Commands', rows: following.map(({ word, summary }) => [word, summary]) }],
      [],
      columns,
    );
  const sections = (Object.keys(SECTIONS) as Section[]).map((section): HelpSection => ({
    title: SECTIONS[section],
    rows: following
      .filter((one) => one.section === section)
      .map(({ word, summary }) => [word, summary]),
  }));
  return renderGroupHelp([], ABOUT, sections, EXAMPLES, columns);
};

export const renderHelpOfCommand = (command: Command, columns: number): string =>
  renderCommandHelp(command, usages.config, columns);
