// sessions: lists, opens and closes sessions, each with tabs and, by default, storage of its own.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { Logins } from '../../store/files/logins.ts';
import { NetworkCache } from '../../store/network/network-cache.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const buildEntry = ({ name, storage, tabs }: Session): object => ({
  name,
  storage,
  tabs: tabs.size,
});

/** Without the sessions that a crawl uses for its own tabs. */
const listSessions = ({ services }: Context): readonly Session[] =>
  services.browser.sessions.filter(({ within }) => within === undefined);

const requireSession = (name: string, context: Context): Session => {
  const known = listSessions(context);
  const session = known.find((candidate) => candidate.name === name);
  if (!session)
    throw fail('invalid_argument', `Unknown session "${name}".`, {
      argument: 'name',
      sessions: known.slice(0, 50).map((one) => one.name),
    });
  if (context.services.hosts.has(name) && name !== context.session.name)
    throw fail('invalid_argument', `The session "${name}" belongs to another host.`, {
      argument: 'name',
      hint: 'Close only sessions that you opened.',
    });
  return session;
};

const closeSession = async (name: string, context: Context): Promise<object> => {
  const session = requireSession(name, context);
  const { services, signal } = context;
  const tabs = session.tabs.size;
  await services.browser.closeSession(session, signal);
  const isDeleted = session.storage === 'own';
  if (isDeleted) await new NetworkCache(services.home.networkCache).remove(`browser:${name}`);
  return { closed: name, tabs, data: isDeleted ? 'deleted' : 'kept in the profile' };
};

const restoreLogin = async (
  session: Session,
  name: string,
  { services: { browser, home }, signal }: Context,
): Promise<object> => {
  const logins = new Logins(home.logins);
  await logins.load(name); // fails before a tab is opened
  const tab = await browser.requireTab(session, undefined, signal);
  const { restoreNamedLogin } = await import('../../features/session/saved-login.ts');
  return restoreNamedLogin({ browser, session, tab, logins, signal }, name);
};

export const sessions = defineTool({
  name: 'sessions',
  description:
    'List, open or close sessions. A session has its own tabs and, with storage "own", its own ' +
    'cookies, storage, cache and permissions, so that two users of one site can be logged in at ' +
    'once. Pass session: NAME to any tool to use one; the first use also opens it. Closing a ' +
    'session closes its tabs and deletes its own storage.',
  returns: 'list: {sessions: [{name, storage, tabs}]}; open: {opened, restored?}',
  keywords:
    'log in login account user second two accounts multi-user isolated incognito private context ' +
    'profile workspace separate cookies switch',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'list' ? 'read' : 'act'),
    consent: ({ login }) => (login === undefined ? {} : { special: ['cookies'], pages: 'every' }),
    scope: 'browser',
    observation: ({ action }) => action === 'list',
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
  },
  input: () => ({
    action: z.enum(['list', 'open', 'close']).default('list'),
    name: z.string().min(1).max(100).optional().describe('For open and close'),
    storage: z
      .enum(['own', 'profile'])
      .optional()
      .describe("own: separate data, deleted on close. profile: Chrome's profile, kept"),
    login: z.string().min(1).max(100).optional().describe('For open: a saved login to restore'),
  }),
  prepare: (given) => {
    const { action, name, storage, login } = given;
    if (action !== 'list' && name === undefined)
      throw fail('invalid_argument', `sessions {action: "${action}"} needs "name".`, {
        argument: 'name',
      });
    const extra = storage === undefined ? login : storage;
    if (action !== 'open' && extra !== undefined)
      throw fail('invalid_argument', `sessions {action: "${action}"} takes only "name".`, {
        argument: storage === undefined ? 'login' : 'storage',
      });
    return given;
  },
  examples: [
    { action: 'open', name: 'buyer' },
    { action: 'open', name: 'buyer', login: 'shop.example.com' },
    { action: 'close', name: 'buyer' },
  ],
  run: async ({ action, name = '', storage, login }, context) => {
    if (action === 'close') return closeSession(name, context);
    if (action === 'list') return { sessions: listSessions(context).map(buildEntry) };
    const session = context.services.browser.openSession(name, storage);
    const restored = login === undefined ? undefined : await restoreLogin(session, login, context);
    return defined({ opened: buildEntry(session), restored });
  },
});
