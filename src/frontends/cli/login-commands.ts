// The `login` commands: their arguments and help; commands/login.ts runs them.
import { type Command, defineCommand, type OwnCommand } from './command.ts';

type LoginCommandUsage = Pick<Command, 'summary' | 'examples'> &
  Partial<Pick<Command, 'positionals' | 'fields'>> & { readonly words: string };

const HEADLESS_SWITCH = {
  name: 'headless',
  kind: 'switch',
  describe: 'Log in through the dashboard instead of a window (default without a display)',
} as const;
const JSON_SWITCH = { name: 'json', kind: 'switch', describe: 'Print it as JSON' } as const;
const AS_NAME = {
  name: 'as',
  kind: 'text',
  describe: 'Name of the saved login (default: the host)',
} as const;
const LOGIN_NAME = [
  {
    label: 'name',
    as: 'field',
    required: true,
    rest: false,
    describe: 'Name of the login',
    completes: ':logins',
  },
] as const;

const USAGES: readonly LoginCommandUsage[] = [
  {
    words: 'login',
    summary: 'Log in to a site in a window and save the login; also login list, check, remove',
    positionals: [
      { label: 'site', as: 'field', required: true, rest: false, describe: 'Address of the site' },
    ],
    fields: [JSON_SWITCH, AS_NAME, HEADLESS_SWITCH],
    examples: ['openchrome login shop.example.com', 'openchrome login shop.example.com --as buyer'],
  },
  {
    words: 'login list',
    summary: 'List the saved logins and when their cookies expire',
    fields: [JSON_SWITCH],
    examples: ['openchrome login list'],
  },
  {
    words: 'login check',
    summary: 'Report whether a saved login still works',
    positionals: LOGIN_NAME,
    fields: [JSON_SWITCH],
    examples: ['openchrome login check buyer'],
  },
  {
    words: 'login remove',
    summary: 'Delete a saved login',
    positionals: LOGIN_NAME,
    fields: [JSON_SWITCH],
    examples: ['openchrome login remove buyer'],
  },
  {
    words: 'login import',
    summary: 'Save a login from a Playwright storage state or a cookies.txt',
    positionals: [
      { label: 'file', as: 'field', required: true, rest: false, describe: 'Path of the file' },
    ],
    fields: [JSON_SWITCH, AS_NAME],
    examples: ['openchrome login import state.json --as buyer'],
  },
  {
    words: 'login export',
    summary: 'Write the cookies and localStorage of a login as a Playwright storage state',
    positionals: [
      ...LOGIN_NAME,
      { label: 'file', as: 'field', required: true, rest: false, describe: 'Path of the file' },
    ],
    fields: [JSON_SWITCH],
    examples: ['openchrome login export buyer state.json'],
  },
];

export const LOGIN_COMMANDS: readonly OwnCommand[] = USAGES.map(({ words, summary, ...more }) =>
  defineCommand(words, 'sessions', summary, () => import('./commands/login.ts'), more),
);
