// storage: reads and writes localStorage and sessionStorage, and saves and restores logins.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { readLoginState, restoreLoginState } from '../../browser/state/login-state.ts';
import { changeStorage, readStorage } from '../../browser/state/web-storage.ts';
import { loadLogin, Logins, saveLogin } from '../../store/files/logins.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

const PREVIEW_CHARS = 100;

const input = () => ({
  action: z
    .enum(['list', 'get', 'set', 'remove', 'clear', 'save', 'load'])
    .default('list')
    .describe('save/load: cookies and storage, to or from "path" or "login"'),
  area: z.enum(['local', 'session']).default('local'),
  key: z.string().max(100_000).optional(),
  value: z.string().max(6_000_000).optional(),
  path: z.string().min(1).max(4096).optional(),
  login: z.string().min(1).max(100).optional().describe('A saved login, in place of "path"'),
  frameId: z.string().min(1).max(100).optional().describe('Default: the page'),
});

type StorageInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

const saveAll = async (path: string, { tab, session, signal }: TabContext): Promise<object> => {
  const state = await readLoginState(tab, session.tabs.values(), signal);
  await saveLogin(path, state);
  return {
    saved: path,
    cookies: state.cookies.length,
    origins: state.origins.map(({ origin }) => origin),
  };
};

const loadAll = async (
  path: string,
  { tab, session, services, signal }: TabContext,
): Promise<object> => {
  const { cookies, origins, refused } = await restoreLoginState(
    { browser: services.browser, session, tab },
    toState(await loadLogin(path)),
    signal,
  );
  return defined({
    loaded: path,
    cookies,
    origins,
    ...compact({ refused }),
    note: 'Reload the page to see the change.',
  });
};

/** Saves or restores a login by its name, in the home folder. */
const useLogin = async (
  action: StorageInput['action'],
  name: string,
  { tab, session, services, signal }: TabContext,
): Promise<object> => {
  const { restoreNamedLogin, saveNamedLogin } =
    await import('../../features/session/saved-login.ts');
  const logins = new Logins(services.home.logins);
  const login = { browser: services.browser, session, tab, logins, signal };
  return action === 'save' ? saveNamedLogin(login, name) : restoreNamedLogin(login, name);
};

type LoadedLogin = Awaited<ReturnType<typeof loadLogin>>;

const toState = ({ cookies, origins }: LoadedLogin) => ({
  cookies: cookies.map(({ sameSite, ...cookie }) => defined({ ...cookie, sameSite })),
  origins,
});

const requireEntry = async (
  { area, key = '', frameId }: StorageInput,
  { tab, signal }: TabContext,
): Promise<object> => {
  const frame = tab.requireFrame(frameId);
  const [found] = await readStorage(frame, { area, key }, signal);
  if (found) return { key, value: found[1] };
  const keys = (await readStorage(frame, { area }, signal)).map(([name]) => name.slice(0, 200));
  throw fail('key_not_found', `${area}Storage of the page has no key "${key.slice(0, 200)}".`, {
    available_keys: keys.slice(0, 50),
  });
};

const list = async (
  { area, frameId }: StorageInput,
  { tab, signal }: TabContext,
): Promise<object> => {
  const entries = await readStorage(tab.requireFrame(frameId), { area }, signal);
  const shown = entries.map(([key, value]) => ({
    key,
    chars: value.length,
    value: value.length > PREVIEW_CHARS ? `${value.slice(0, PREVIEW_CHARS)}…` : value,
  }));
  return { area, entries: shown };
};

export const storage = defineTool({
  name: 'storage',
  description:
    'Read and change localStorage or sessionStorage of the page; save a login (all cookies ' +
    'and storage) to a file and load it again. Tokens are hidden in replies, not in the ' +
    'file. For cookies alone use cookies.',
  returns:
    'list: {area, entries: [{key, chars, value}]}; get: {key, value}; set: {set, chars}; ' +
    'remove: {removed}',
  keywords: 'localstorage sessionstorage log in login save restore saved account two-factor',
  tier: 2,
  traits: {
    effect: ({ action }) => (['list', 'get', 'save'].includes(action) ? 'read' : 'act'),
    consent: ({ action }) => ({
      special: ['cookies'],
      pages: action === 'save' || action === 'load' ? 'every' : 'tab',
    }),
    scope: 'tab',
    recipe: 'call',
    observation: ({ action }) => action === 'list' || action === 'get',
    duration: 'instant',
    dialog: 'blocked',
    timeoutMs: 30_000,
    large: true,
    items: 'entries',
    files: ['path'],
  },
  input,
  prepare: (given) => {
    const { action, key, value, path, login } = given;
    if (['get', 'set', 'remove'].includes(action) && key === undefined)
      throw fail('invalid_argument', `storage: ${action} needs "key".`, { argument: 'key' });
    if (action === 'set' && value === undefined)
      throw fail('invalid_argument', 'storage: set needs "value".', { argument: 'value' });
    const isFile = action === 'save' || action === 'load';
    if (isFile && (path === undefined) === (login === undefined))
      throw fail('invalid_argument', `storage: ${action} needs "path" or "login".`, {
        argument: 'path',
      });
    return given;
  },
  examples: [
    {},
    { action: 'set', key: 'theme', value: 'dark' },
    { action: 'save', path: 'login.json' },
  ],
  run: async (given, context) => {
    const { action, area, key = '', value = '', path = '', login, frameId } = given;
    const { tab, signal } = context;
    if (login !== undefined) return useLogin(action, login, context);
    if (action === 'save') return saveAll(path, context);
    if (action === 'load') return loadAll(path, context);
    if (action === 'list') return list(given, context);
    if (action === 'get') return requireEntry(given, context);
    const frame = tab.requireFrame(frameId);
    if (action === 'set') await changeStorage(frame, { area, set: [[key, value]] }, signal);
    if (action === 'set') return { set: key, chars: value.length };
    const gone = await changeStorage(
      frame,
      action === 'clear' ? { area, clear: true } : { area, remove: [key] },
      signal,
    );
    return { removed: gone.length };
  },
});
