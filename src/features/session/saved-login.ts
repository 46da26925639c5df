// Saves the login of a session under a name, restores it, records a new one, and checks one.
import type { Browser } from '../../browser/browser.ts';
import { readLoginState, restoreLoginState } from '../../browser/state/login-state.ts';
import { getPasskeys, type Passkey } from '../../browser/state/passkeys.ts';
import { evaluate } from '../../browser/tabs/evaluate.ts';
import { navigateTo } from '../../browser/tabs/navigate.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { compact, defined } from '../../core/defined.ts';
import { canParseUrl } from '../../core/text.ts';
import type { Logins, LoginSummary, SavedLogin } from '../../store/files/logins.ts';

interface LoginContext {
  readonly browser: Browser;
  readonly session: Session;
  readonly tab: Tab;
  readonly logins: Logins;
  readonly signal: AbortSignal;
}

export interface SavedLoginFacts {
  readonly saved: string;
  readonly cookies: number;
  readonly origins: readonly string[];
  readonly passkeys?: number;
}

export const saveNamedLogin = async (
  { session, tab, logins, signal }: LoginContext,
  name: string,
): Promise<SavedLoginFacts> => {
  const state = await readLoginState(tab, session.tabs.values(), signal, 'open_pages');
  const passkeys = selectPasskeys(session);
  // The types of a state are read-only; the file's schema checks it again when it is loaded.
  await logins.save(name, { ...state, passkeys } as SavedLogin, tab.url);
  return {
    saved: name,
    cookies: state.cookies.length,
    origins: state.origins.map(({ origin }) => origin),
    ...compact({ passkeys: passkeys.length }),
  };
};

/** The passkeys of a session; in Chrome's profile only those of the open pages. */
const selectPasskeys = (session: Session): readonly Passkey[] => {
  const { all } = getPasskeys(session);
  if (session.storage === 'own') return all;
  const frames = [...session.tabs.values()].flatMap((tab) => tab.frames.all());
  const hosts = frames.map(({ url }) => (canParseUrl(url) ? new URL(url).hostname : ''));
  const isOpen = (site: string): boolean =>
    hosts.some((host) => host === site || host.endsWith(`.${site}`));
  return all.filter(({ rpId }) => rpId !== undefined && isOpen(rpId));
};

/**
 * A site rejects a passkey whose counter does not grow, and several sessions can use one saved
 * login, so the counter starts at the time in seconds.
 */
const advanceCounter = (passkey: SavedLogin['passkeys'][number]): Passkey => {
  const signCount = Math.max(passkey.signCount + 1, Math.floor(Date.now() / 1000));
  return defined({ ...passkey, signCount });
};

export interface RestoredLogin {
  readonly login: string;
  readonly cookies: number;
  readonly origins: readonly string[];
  readonly refused?: readonly string[];
  readonly passkeys?: number;
}

export const restoreNamedLogin = async (
  { browser, session, tab, logins, signal }: LoginContext,
  name: string,
): Promise<RestoredLogin> => {
  const { cookies, origins, passkeys } = await logins.load(name);
  const state = {
    cookies: cookies.map(({ sameSite, ...cookie }) => defined({ ...cookie, sameSite })),
    origins,
  };
  const restored = await restoreLoginState({ browser, session, tab }, state, signal);
  if (passkeys.length > 0) await getPasskeys(session).restore(passkeys.map(advanceCounter));
  const { refused } = restored;
  return defined({
    login: name,
    cookies: restored.cookies,
    origins: restored.origins,
    refused: refused.length > 0 ? refused : undefined,
    ...compact({ passkeys: passkeys.length }),
  });
};

interface RecordOptions {
  readonly browser: Browser;
  readonly logins: Logins;
  readonly url: string;
  readonly name: string;
  /** Resolves when the user has finished. */
  readonly waitForUser: () => Promise<void>;
  readonly signal: AbortSignal;
}

const LOGIN_SESSION = 'login';
const LOAD_MS = 30_000;

/** Opens the site in a session of its own, and saves its login when the user has finished. */
export const recordLogin = async ({
  browser,
  logins,
  url,
  name,
  waitForUser,
  signal,
}: RecordOptions): Promise<SavedLoginFacts> => {
  const session = browser.openSession(LOGIN_SESSION, 'own');
  const tab = await browser.openTab(session, signal);
  await navigateTo(tab, url, { until: 'commit', signal, patienceMs: LOAD_MS });
  await waitForUser();
  const last = session.current ?? tab;
  return saveNamedLogin({ browser, session, tab: last, logins, signal }, name);
};

export interface CheckedLogin extends LoginSummary {
  /** Whether the page of the login opens without a request to log in; null if it was not tried. */
  readonly works: boolean | null;
  readonly status?: number;
  readonly opened?: string;
}

/** Opens the page that was open when the login was saved, and looks for a request to log in. */
export const checkLogin = async (
  { browser, logins, signal }: Omit<LoginContext, 'session' | 'tab'>,
  name: string,
): Promise<CheckedLogin> => {
  const summary = await logins.summary(name);
  if (summary.url === undefined || !/^https?:/.test(summary.url))
    return { ...summary, works: null };
  const session = browser.openSession(LOGIN_SESSION, 'own');
  const tab = await browser.openTab(session, signal);
  await restoreNamedLogin({ browser, session, tab, logins, signal }, name);
  const { status } = await navigateTo(tab, summary.url, {
    until: 'load',
    signal,
    patienceMs: LOAD_MS,
  });
  const { value: hasPassword } = await evaluate(tab.frames.main, ASKS_FOR_PASSWORD, {
    world: 'isolated',
    signal,
    timeoutMs: 5_000,
    maxChars: 100,
  });
  const isSameHost = new URL(tab.url).host === new URL(summary.url).host;
  const works = isSameHost && (status ?? 200) < 400 && hasPassword !== true;
  return defined({ ...summary, works, status, opened: tab.url });
};

const ASKS_FOR_PASSWORD = `[...document.querySelectorAll('input[type=password]')]
  .some((field) => field.checkVisibility())`;
