// Commands that show and answer agents: arguments and help. `commands/` runs them.
import { JSON_SWITCH, defineCommand, type OwnCommand } from './command.ts';

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

export const WATCH_COMMANDS: readonly OwnCommand[] = [
  defineCommand(
    'watch',
    'watch',
    'Print each call of agents and commands as it happens, with its tokens',
    () => import('./commands/watch.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
    'waiting',
    'watch',
    'List what waits for you: questions of agents and requests for help',
    () => import('./commands/approvals.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
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
  defineCommand(
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
    defineCommand(
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
  defineCommand(
    'approvals',
    'watch',
    'List the approvals that you gave for later calls',
    () => import('./commands/approvals.ts'),
    { fields: [JSON_SWITCH] },
  ),
  defineCommand(
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
  defineCommand(
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
  defineCommand(
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
];
