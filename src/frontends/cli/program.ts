// All commands, own and derived from tools; used by the parser, help, completion and docs/cli.md.
import usages from 'tool-usage';
import { GROUPS } from './aliases.ts';
import { type Command, formatPlain, type ToolCommand } from './command.ts';
import { deriveCommands, type DerivedEntry } from './derive.ts';
import { renderCommandHelp, renderGroupHelp } from './help.ts';
import type { Terminal } from './terminal.ts';
import type { Wiring } from './wiring.ts';

/** The dependencies of a command. */
export interface CliContext {
  /** For commands that list commands: completion, the skill. */
  readonly program: {
    readonly commands: typeof commands;
    readonly findCommand: typeof findCommand;
    readonly wordsBehind: typeof listFollowingWords;
  };
  readonly terminal: Terminal;
  readonly wiring: Wiring;
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

const own = (
  words: string,
  summary: string,
  load: OwnCommand['load'],
  more: Partial<Omit<OwnCommand, 'path' | 'summary' | 'load'>> = {},
): OwnCommand => ({
  path: words.split(' '),
  summary,
  positionals: [],
  fields: [],
  examples: [`openchrome ${words}`],
  ...more,
  load,
});

const JSON_SWITCH = { name: 'json', kind: 'switch', describe: 'Print it as JSON' } as const;

/** How to install completion in each shell. */
const SETUP = {
  bash: 'openchrome completion bash > ~/.local/share/bash-completion/completions/openchrome',
  zsh: 'openchrome completion zsh > "${fpath[1]}/_openchrome"',
  fish: 'openchrome completion fish > ~/.config/fish/completions/openchrome.fish',
} as const;

const SECRET_POSITIONALS = [
  {
    label: 'name',
    as: 'field',
    required: true,
    rest: false,
    describe: 'The name of the secret in the --secrets file',
  },
  {
    label: 'host',
    as: 'field',
    required: true,
    rest: false,
    describe: 'example.com, example.com:8443 or *.example.com',
  },
] as const;

const OWN_COMMANDS: readonly OwnCommand[] = [
  own(
    'serve',
    'Serve MCP on stdio, or over HTTP with --http',
    () => import('./commands/serve.ts'),
    {
      configured: true,
      examples: ['openchrome serve', 'openchrome serve --http 3000 --headless'],
    },
  ),
  own(
    'doctor',
    'Check this machine: Node, Chrome, home folder, ports, fonts, sandbox',
    () => import('./commands/doctor.ts'),
    {
      configured: true,
      fields: [JSON_SWITCH],
      examples: ['openchrome doctor', 'openchrome doctor --json --chrome-path /opt/chrome/chrome'],
    },
  ),
  own(
    'setup',
    'Add this server to Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini; shown ' +
      'before it is written',
    () => import('./commands/setup.ts'),
    {
      positionals: [
        {
          label: 'host',
          as: 'field',
          required: false,
          rest: true,
          describe:
            'claude-code, claude-desktop, cursor, vscode, codex, gemini (default: those ' +
            'found on this machine)',
        },
      ],
      fields: [
        { name: 'remove', kind: 'switch', describe: 'Take it out again' },
        { name: 'yes', kind: 'switch', describe: 'Write without asking' },
        { name: 'shared', kind: 'switch', describe: 'Let all hosts share one Chrome (the daemon)' },
      ],
      examples: [
        'openchrome setup',
        'openchrome setup claude-code cursor --yes',
        'openchrome setup --remove',
        'openchrome setup cursor -- --headless --slim',
      ],
    },
  ),
  own(
    'skill',
    'Print the skill file with which agents learn this command line',
    () => import('./commands/skill.ts'),
    {
      examples: ['openchrome skill > .claude/skills/openchrome/SKILL.md'],
    },
  ),
  own(
    'secrets allow',
    'Confirm a host on whose pages a secret may be filled in',
    () => import('./commands/secrets.ts'),
    {
      positionals: SECRET_POSITIONALS,
      examples: ['openchrome secrets allow PASSWORD login.example.com'],
    },
  ),
  own('secrets remove', 'Take such a confirmation back', () => import('./commands/secrets.ts'), {
    positionals: SECRET_POSITIONALS,
    examples: ['openchrome secrets remove PASSWORD login.example.com'],
  }),
  own(
    'secrets list',
    'Show the confirmed hosts of each secret',
    () => import('./commands/secrets.ts'),
  ),
  own(
    'install-browser',
    'Fetch a Chrome into the home folder, for machines that have none',
    () => import('./commands/install-browser.ts'),
  ),
  own(
    'daemon start',
    'Start the daemon, which the commands share; they also start it by themselves',
    () => import('./commands/daemon-start.ts'),
    {
      configured: true,
      examples: [
        'openchrome daemon start',
        'openchrome daemon start --headed --daemon-idle-seconds 0',
      ],
    },
  ),
  own(
    'daemon stop',
    'End the daemon with its tasks and its Chrome',
    () => import('./commands/daemon-stop.ts'),
  ),
  own(
    'daemon status',
    'Show what the daemon runs and what it costs',
    () => import('./commands/daemon-status.ts'),
    {
      fields: [JSON_SWITCH],
    },
  ),
  own(
    'daemon logs',
    'Print the last lines of the daemon log',
    () => import('./commands/daemon-logs.ts'),
    {
      fields: [
        { name: 'lines', kind: 'number', default: 100, describe: 'How many' },
        { name: 'follow', kind: 'switch', describe: 'Go on printing what is new' },
      ],
      examples: ['openchrome daemon logs', 'openchrome daemon logs --lines 20 --follow'],
    },
  ),
  ...(['bash', 'zsh', 'fish'] as const).map((shell) =>
    own(
      `completion ${shell}`,
      `Print the completion script for ${shell}`,
      () => import('./commands/completion.ts'),
      {
        examples: [SETUP[shell]],
      },
    ),
  ),
  own(
    'complete',
    'What could come next, for the completion scripts',
    () => import('./commands/complete.ts'),
    { hidden: true },
  ),
  own('version', 'Print the version', () => import('./commands/version.ts')),
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
    if (isGroup(path)) return { group: path, words: argv.slice(length) };
  }
  return { group: [], words: argv };
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
): readonly (readonly [word: string, says: string])[] => {
  const found = new Map<string, string>();
  for (const { path, summary, hidden } of entries()) {
    const word = path[group.length];
    if (word === undefined || hidden || !begins(path, group)) continue;
    const whole = path.length === group.length + 1;
    if (whole || !found.has(word))
      found.set(
        word,
        whole ? summary : (GROUPS[path.slice(0, group.length + 1).join(' ')] ?? summary),
      );
  }
  return [...found];
};

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  '': [
    'openchrome                                      serve MCP on stdio, as hosts start it',
    'openchrome browser open https://example.com     use Chrome from a shell',
    'openchrome browser network --format lines       what the page asked for',
    'openchrome call read_page --mode markdown       any tool by its name',
    'openchrome doctor                               check that everything needed is here',
  ],
  browser: [
    'openchrome browser open https://example.com',
    'openchrome browser state',
    'openchrome browser click e12',
    'openchrome browser network | jq .entries[].key',
  ],
};

const SAYS =
  'A real Chrome for AI agents, over MCP and from the shell. Without a command it serves MCP ' +
  'on stdio.';

export const renderHelpOfGroup = (group: readonly string[], columns: number): string => {
  const name = group.join(' ');
  return renderGroupHelp(
    group,
    group.length === 0 ? SAYS : `${GROUPS[name] ?? name}.`,
    listFollowingWords(group),
    EXAMPLES[name] ?? [],
    columns,
  );
};

export const renderHelpOfCommand = (command: Command, columns: number): string =>
  renderCommandHelp(command, usages.config, columns);
