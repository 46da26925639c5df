// Verbs for sessions and logins.
import type { Verb } from './verb.ts';

const NAME = { name: 'Name of the session' };

export const SESSION_VERBS: readonly Verb[] = [
  {
    words: 'sessions',
    tool: 'sessions',
    section: 'sessions',
    summary: 'List the sessions; also sessions open, sessions close',
    fixed: { action: 'list' },
    view: 'session-list',
    examples: ['openchrome sessions'],
  },
  {
    words: 'sessions list',
    tool: 'sessions',
    section: 'sessions',
    summary: 'List the sessions',
    fixed: { action: 'list' },
    view: 'session-list',
    hidden: true,
    examples: ['openchrome sessions list'],
  },
  {
    words: 'sessions open',
    tool: 'sessions',
    section: 'sessions',
    summary: 'Open a session with its own tabs, cookies and storage',
    takes: '<name>',
    places: NAME,
    fixed: { action: 'open' },
    view: 'session-change',
    options: {
      login: 'Restore this saved login (openchrome login list)',
      storage: "own: separate data, deleted on close; profile: Chrome's profile",
    },
    examples: ['openchrome sessions open buyer', 'openchrome sessions open buyer --login shop'],
  },
  {
    words: 'sessions close',
    tool: 'sessions',
    section: 'sessions',
    summary: 'Close a session with its tabs, and delete its own storage',
    takes: '<name>',
    places: NAME,
    completes: ':sessions',
    fixed: { action: 'close' },
    view: 'session-change',
    examples: ['openchrome sessions close buyer'],
  },
];
