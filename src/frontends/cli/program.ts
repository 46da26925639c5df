// All commands, own and derived from tools; used by the parser, help, completion and docs/cli.md.
import usages from 'tool-usage';
import { type Command, formatPlain, type ToolCommand } from './command.ts';
import { deriveCommands, type DerivedEntry } from './derive.ts';
import { type HelpSection, renderCommandHelp, renderGroupHelp } from './help.ts';
import { LOGIN_COMMANDS } from './login-commands.ts';
import { RECIPE_COMMANDS } from './recipe-commands.ts';
import type { Terminal } from './terminal.ts';
import { GROUPS } from './verbs/index.ts';
import { type Section, SECTIONS } from './verbs/verb.ts';
import type { Wiring } from './wiring.ts';

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

const own = (
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

const JSON_SWITCH = { name: 'json', kind: 'switch', describe: 'Print JSON' } as const;

/** The configuration that a worker uses: the cluster, its Chrome, the network, and its limits. */
const WORKER_FLAGS = [
  ...['--cluster', '--slots', '--headless', '--headed', '--chrome-path', '--chrome-arg'],
  ...['--chrome-idle-seconds', '--profile', '--login', '--init-script', '--isolated', '--sandbox'],
  ...['--viewport', '--read-only', '--disable-tools', '--sanitize-content', '--secrets'],
  ...['--allow-domains', '--block-domains', '--allow-private-network', '--allow-scheme'],
  ...['--proxy', '--proxy-bypass', '--proxy-dns', '--accept-certificate', '--ca-cert'],
  ...['--client-cert', '--client-key', '--client-cert-password', '--insecure', '--keep-days'],
  '--log-level',
];

/** How to install completion in each shell. */
const SETUP = {
  bash: 'openchrome completion bash > ~/.local/share/bash-completion/completions/openchrome',
  zsh: 'openchrome completion zsh > "${fpath[1]}/_openchrome"',
  fish: 'openchrome completion fish > ~/.config/fish/completions/openchrome.fish',
} as const;

const WAITING_POSITIONALS = [
  {
    label: 'id',
    as: 'field',
    required: true,
    rest: false,
    completes: ':waiting',
    describe: 'The id that the list shows',
  },
] as const;

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

const HOSTS = 'claude-code, claude-desktop, cursor, vscode, codex, gemini';

const OWN_COMMANDS: readonly OwnCommand[] = [
  own(
    'watch',
    'watch',
    'Print each call of agents and commands as it happens, with its tokens',
    () => import('./commands/watch.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'waiting',
    'watch',
    'List what waits for you: questions of agents and requests for help',
    () => import('./commands/approvals.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'approve',
    'watch',
    'Allow what an agent asks for: once, in this session, or always on this host',
    () => import('./commands/approvals.ts'),
    {
      positionals: WAITING_POSITIONALS,
      fields: [
        { name: 'session', kind: 'switch', describe: 'Also later in this session, on this host' },
        { name: 'always', kind: 'switch', describe: 'Always on this host, until you revoke it' },
        JSON_SWITCH,
      ],
      examples: ['openchrome approve k7m2qx', 'openchrome approve k7m2qx --always'],
    },
  ),
  own(
    'deny',
    'watch',
    'Do not allow what an agent asks for',
    () => import('./commands/approvals.ts'),
    {
      positionals: WAITING_POSITIONALS,
      fields: [JSON_SWITCH],
      examples: ['openchrome deny k7m2qx'],
    },
  ),
  ...(['done', 'cant'] as const).map((outcome) =>
    own(
      `handoff ${outcome}`,
      'watch',
      outcome === 'done'
        ? 'Report that you have done what an agent asked you to do'
        : 'Report that you cannot do what an agent asked you to do',
      () => import('./commands/approvals.ts'),
      {
        positionals: WAITING_POSITIONALS,
        fields: [JSON_SWITCH],
        examples: [`openchrome handoff ${outcome} k7m2qx`],
      },
    ),
  ),
  own(
    'approvals',
    'watch',
    'List the approvals that you gave for later calls',
    () => import('./commands/approvals.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'approvals revoke',
    'watch',
    'Take an approval back',
    () => import('./commands/approvals.ts'),
    {
      positionals: WAITING_POSITIONALS,
      fields: [JSON_SWITCH],
      examples: ['openchrome approvals revoke k7m2qx'],
    },
  ),
  own(
    'dashboard',
    'watch',
    'Open the dashboard: live pictures, calls, tasks and everything that waits for you',
    () => import('./commands/dashboard.ts'),
    {
      description:
        'Starts the daemon if none is running, and opens its dashboard in the browser. The URL ' +
        'works once; the browser then has access for seven days.',
      configured: true,
      fields: [
        { name: 'noOpen', kind: 'switch', describe: 'Print the URL instead of opening it' },
        JSON_SWITCH,
      ],
      examples: ['openchrome dashboard', 'openchrome dashboard --no-open'],
    },
  ),
  own(
    'top',
    'watch',
    'Show sessions, tabs and tasks live; cancel a task with k',
    () => import('./commands/top.ts'),
    {
      description:
        'Shows the sessions, tabs and tasks of the daemon, and updates them. Keys: arrows or j ' +
        'select a task, k cancels it after you confirm, o opens the dashboard, q quits. In a pipe ' +
        'it prints them once.',
      fields: [JSON_SWITCH],
      examples: ['openchrome top', 'openchrome top | head -20'],
    },
  ),
  own(
    'setup',
    'setup',
    'Register OpenChrome in Claude Code, Cursor, VS Code, Codex and others',
    () => import('./commands/setup.ts'),
    {
      description:
        'Registers OpenChrome as an MCP server in the configuration files of the hosts. Shows ' +
        'the changes and writes them after you confirm.',
      positionals: [
        {
          label: 'host',
          as: 'field',
          required: false,
          rest: true,
          completes: ':hosts',
          describe: `${HOSTS} (default: those found on this machine)`,
        },
      ],
      fields: [
        { name: 'remove', kind: 'switch', describe: 'Remove OpenChrome from the files' },
        { name: 'yes', kind: 'switch', describe: 'Write without a question' },
        { name: 'shared', kind: 'switch', describe: 'All hosts share one Chrome (the daemon)' },
        {
          name: 'extension',
          kind: 'switch',
          describe: 'Pair the extension in your own Chrome, for --attach extension',
        },
        JSON_SWITCH,
      ],
      examples: [
        'openchrome setup',
        'openchrome setup claude-code cursor --yes',
        'openchrome setup --remove',
        'openchrome setup --extension',
        'openchrome setup cursor -- --headless --slim',
      ],
    },
  ),
  own(
    'doctor',
    'setup',
    'Check the installation: Node, Chrome, daemon, configuration, disk use',
    () => import('./commands/doctor.ts'),
    {
      description:
        'Checks the installation and prints a command for each problem. The exit status is 1 if ' +
        'a check failed.',
      configured: true,
      fields: [JSON_SWITCH],
      examples: ['openchrome doctor', 'openchrome doctor --json --chrome-path /opt/chrome/chrome'],
    },
  ),
  ...LOGIN_COMMANDS.map(({ words, summary, ...more }) =>
    own(words, 'sessions', summary, () => import('./commands/login.ts'), more),
  ),
  own(
    'run',
    'work',
    'Run a JavaScript file that calls tools, with one function per tool',
    () => import('./commands/run.ts'),
    {
      description:
        'The code is the body of an async function: await navigate({url}), loops, conditions and ' +
        'return. args contains the values of --arg; log() prints to stderr. Other options are ' +
        'those of "openchrome call script".',
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: true,
          rest: false,
          describe: 'The file; - reads the code from stdin',
        },
      ],
      fields: [
        { name: 'arg', kind: 'object', describe: 'NAME=VALUE, as often as needed' },
        { name: 'timeout_ms', kind: 'number', flag: 'timeout', describe: 'Deadline (2 minutes)' },
        JSON_SWITCH,
      ],
      examples: ['openchrome run prices.js --arg city=Oslo', 'openchrome run - < check.js'],
    },
  ),
  own(
    'batch',
    'work',
    'Run many commands in one process: one per line, results as JSON lines',
    () => import('./commands/run.ts'),
    {
      description:
        'Each line is a command ("click Sign in"), a JSON array of words, or ' +
        '{"tool": NAME, "args": {...}}. Prints one line of JSON per command: {line, ok, result} ' +
        'or {line, ok, error}. Stops at the first command that fails.',
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: false,
          rest: false,
          describe: 'The file with the commands (default: stdin)',
        },
      ],
      fields: [
        { name: 'keep_going', kind: 'switch', describe: 'Continue after a command that failed' },
      ],
      examples: ['openchrome batch steps.txt', 'openchrome batch --keep-going < steps.txt'],
    },
  ),
  ...RECIPE_COMMANDS.map(({ words, summary, ...more }) =>
    own(words, 'work', summary, () => import('./commands/recipe.ts'), more),
  ),
  own(
    'record open',
    'work',
    'Open the replay of a recording',
    () => import('./commands/record-open.ts'),
    {
      positionals: [
        {
          label: 'folder',
          as: 'field',
          required: false,
          rest: false,
          describe: 'The folder of the recording (default: the newest in the home folder)',
        },
      ],
      fields: [JSON_SWITCH],
      examples: ['openchrome record open', 'openchrome record open login-recording'],
    },
  ),
  own(
    'evidence verify',
    'work',
    'Check an evidence bundle against its hashes',
    () => import('./commands/evidence-verify.ts'),
    {
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: true,
          rest: false,
          describe: 'The .tar.gz file of the bundle',
        },
      ],
      fields: [JSON_SWITCH],
      examples: ['openchrome evidence verify bundle.tar.gz'],
    },
  ),
  own(
    'demo',
    'setup',
    'Show the main features with a real Chrome on a small local site',
    () => import('./commands/installation.ts'),
  ),
  own(
    'install-browser',
    'setup',
    'Download a Chrome into the home folder',
    () => import('./commands/installation.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'daemon start',
    'setup',
    'Start the daemon; other commands start it if needed',
    () => import('./commands/daemon.ts'),
    {
      configured: true,
      fields: [JSON_SWITCH],
      examples: [
        'openchrome daemon start',
        'openchrome daemon start --headed --daemon-idle-seconds 0',
      ],
    },
  ),
  own(
    'daemon stop',
    'setup',
    'End the daemon with its tasks and its Chrome',
    () => import('./commands/daemon.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'daemon restart',
    'setup',
    'End the daemon and start one with these flags',
    () => import('./commands/daemon.ts'),
    {
      configured: true,
      fields: [JSON_SWITCH],
      examples: ['openchrome daemon restart', 'openchrome daemon restart --headed'],
    },
  ),
  own(
    'daemon status',
    'setup',
    'Show the work, resources and configuration of the daemon',
    () => import('./commands/daemon.ts'),
    { fields: [JSON_SWITCH] },
  ),
  own(
    'daemon logs',
    'setup',
    'Print the last lines of the log of the daemon',
    () => import('./commands/daemon.ts'),
    {
      fields: [
        { name: 'lines', kind: 'number', default: 100, describe: 'Number of lines' },
        { name: 'follow', kind: 'switch', describe: 'Keep printing new lines until Ctrl-C' },
      ],
      examples: ['openchrome daemon logs', 'openchrome daemon logs --lines 20 --follow'],
    },
  ),
  own(
    'secrets allow',
    'setup',
    'Allow a secret to be filled in on pages of a host',
    () => import('./commands/secrets.ts'),
    {
      positionals: SECRET_POSITIONALS,
      fields: [JSON_SWITCH],
      examples: ['openchrome secrets allow PASSWORD login.example.com'],
    },
  ),
  own(
    'secrets remove',
    'setup',
    'Remove such a permission',
    () => import('./commands/secrets.ts'),
    {
      positionals: SECRET_POSITIONALS,
      fields: [JSON_SWITCH],
      examples: ['openchrome secrets remove PASSWORD login.example.com'],
    },
  ),
  own(
    'secrets list',
    'setup',
    'List the hosts of each secret',
    () => import('./commands/secrets.ts'),
    { fields: [JSON_SWITCH] },
  ),
  ...(['bash', 'zsh', 'fish'] as const).map((shell) =>
    own(
      `completion ${shell}`,
      'setup',
      `Print the completion script for ${shell}`,
      () => import('./commands/completion.ts'),
      { examples: [SETUP[shell]] },
    ),
  ),
  own(
    'complete',
    'setup',
    'Print completions, for the completion scripts',
    () => import('./commands/completion.ts'),
    { hidden: true },
  ),
  own(
    'skill',
    'setup',
    'Print the skill file for agents that use a shell',
    () => import('./commands/skill.ts'),
    {
      examples: ['openchrome skill > .claude/skills/openchrome/SKILL.md'],
    },
  ),
  own('version', 'setup', 'Print the version', () => import('./commands/installation.ts'), {
    fields: [JSON_SWITCH],
  }),
  own(
    'serve',
    'tools',
    'Serve MCP on stdio, or over HTTP with --http',
    () => import('./commands/serve.ts'),
    {
      configured: true,
      examples: ['openchrome serve', 'openchrome serve --http 3000 --headless'],
    },
  ),
  own(
    'worker',
    'tools',
    'Work for a cluster: run its tasks and load pages',
    () => import('./commands/serve.ts'),
    {
      description:
        'Takes crawls and page visits from the PostgreSQL database of --cluster (or ' +
        'OPENCHROME_CLUSTER) until it is interrupted; others then continue its work.',
      configured: WORKER_FLAGS,
      examples: ['OPENCHROME_CLUSTER=postgres://… openchrome worker --slots 8'],
    },
  ),
  own(
    'workers',
    'work',
    'List the live processes of a cluster, their load and their current work',
    () => import('./commands/workers.ts'),
    { configured: ['--cluster', '--log-level'], fields: [JSON_SWITCH] },
  ),
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
