// Commands for the installation, the daemon and servers: arguments and help. `commands/` runs them.
import { JSON_SWITCH, defineCommand, type OwnCommand } from './command.ts';

/** How to install completion in each shell. */
const SETUP = {
  bash: 'openchrome completion bash > ~/.local/share/bash-completion/completions/openchrome',
  zsh: 'openchrome completion zsh > "${fpath[1]}/_openchrome"',
  fish: 'openchrome completion fish > ~/.config/fish/completions/openchrome.fish',
} as const;

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

export const SETUP_COMMANDS: readonly OwnCommand[] = [
  defineCommand(
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
  defineCommand(
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
  defineCommand(
    'demo',
    'setup',
    'Show the main features with a real Chrome on a small local site',
    () => import('./commands/installation.ts'),
  ),
  defineCommand(
    'install-browser',
    'setup',
    'Download a Chrome into the home folder',
    () => import('./commands/installation.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
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
  defineCommand(
    'daemon stop',
    'setup',
    'End the daemon with its tasks and its Chrome',
    () => import('./commands/daemon.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
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
  defineCommand(
    'daemon status',
    'setup',
    'Show the work, resources and configuration of the daemon',
    () => import('./commands/daemon.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
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
  defineCommand(
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
  defineCommand(
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
  defineCommand(
    'secrets list',
    'setup',
    'List the hosts of each secret',
    () => import('./commands/secrets.ts'),
    { fields: [JSON_SWITCH] },
  ),
  ...(['bash', 'zsh', 'fish'] as const).map((shell) =>
    defineCommand(
      `completion ${shell}`,
      'setup',
      `Print the completion script for ${shell}`,
      () => import('./commands/completion.ts'),
      { examples: [SETUP[shell]] },
    ),
  ),
  defineCommand(
    'complete',
    'setup',
    'Print completions, for the completion scripts',
    () => import('./commands/completion.ts'),
    { hidden: true },
  ),
  defineCommand(
    'skill',
    'setup',
    'Print the skill file for agents that use a shell',
    () => import('./commands/skill.ts'),
    {
      examples: ['openchrome skill > .claude/skills/openchrome/SKILL.md'],
    },
  ),
  defineCommand(
    'version',
    'setup',
    'Print the version',
    () => import('./commands/installation.ts'),
    {
      fields: [JSON_SWITCH],
    },
  ),
  defineCommand(
    'serve',
    'tools',
    'Serve MCP on stdio, or over HTTP with --http',
    () => import('./commands/serve.ts'),
    {
      configured: true,
      examples: ['openchrome serve', 'openchrome serve --http 3000 --headless'],
    },
  ),
  defineCommand(
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
];
