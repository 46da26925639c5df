// What makes a browser known to its sites: all cookies, and what the open pages keep; taken out as
// data, and put in again.
import type { Browser } from '../browser.ts';
import { isGone } from '../cdp/errors.ts';
import { Failure } from '../../core/failure.ts';
import { runInEmptyPage } from '../tabs/empty-page.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Session } from '../tabs/session.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Cookie, readCookies, setCookies } from './cookies.ts';
import { changeStorage, readStorage, type StorageArea } from './web-storage.ts';

interface StorageItem {
  readonly name: string;
  readonly value: string;
}

/**
 * In the form that other tools of the field read and write too; the session's part they pass over.
 */
export interface LoginState {
  readonly cookies: readonly Cookie[];
  readonly origins: readonly {
    readonly origin: string;
    readonly localStorage: readonly StorageItem[];
    readonly sessionStorage?: readonly StorageItem[];
  }[];
}

/** Every origin that a frame of these tabs shows; of others nobody can be asked. */
export const readLoginState = async (
  tab: Tab,
  tabs: Iterable<Tab>,
  signal: AbortSignal,
): Promise<LoginState> => {
  const cookies = await readCookies(tab, {}, signal);
  const frames = new Map<string, Frame>();
  for (const frame of [tab, ...tabs].flatMap((one) => one.frames.all()))
    if (isWeb(frame.url) && !frames.has(originOf(frame))) frames.set(originOf(frame), frame);
  const origins = await Promise.all(
    [...frames].map(async ([origin, frame]) => ({
      origin,
      localStorage: await itemsOf(frame, 'local', signal),
      sessionStorage: await itemsOf(frame, 'session', signal),
    })),
  );
  return {
    // those of a frame on one site mean nothing elsewhere
    cookies: cookies.filter(({ partition }) => partition === undefined),
    origins: origins.filter(
      ({ localStorage, sessionStorage }) => localStorage.length + sessionStorage.length > 0,
    ),
  };
};

export interface Restored {
  readonly cookies: number;
  readonly origins: readonly string[];
  /** Cookies that Chrome did not take: over, or not allowed there. */
  readonly refused: readonly string[];
}

/**
 * Puts it in: into the open page where it is of that origin, else through an empty page that the
 * network never hears of.
 */
export const restoreLoginState = async (
  {
    browser,
    session,
    tab,
  }: { readonly browser: Browser; readonly session: Session; readonly tab: Tab },
  state: LoginState,
  signal: AbortSignal,
): Promise<Restored> => {
  const refused = (await setCookies(tab, state.cookies, signal)).map(
    ({ name, domain }) => `${name} (${domain})`,
  );
  for (const { origin, localStorage, sessionStorage = [] } of state.origins) {
    const own = tab.frames.all().find((frame) => isWeb(frame.url) && originOf(frame) === origin);
    if (own) await putInto(own, { local: localStorage, session: sessionStorage }, signal);
    else
      await inOwnTab(
        browser,
        session,
        origin,
        (frame) => putInto(frame, { local: localStorage, session: [] }, signal),
        signal,
      );
  }
  return {
    cookies: state.cookies.length - refused.length,
    origins: state.origins.map(({ origin }) => origin),
    refused,
  };
};

const putInto = async (
  frame: Frame,
  items: Record<StorageArea, readonly StorageItem[]>,
  signal: AbortSignal,
): Promise<void> => {
  for (const area of ['local', 'session'] as const) {
    const set = items[area].map(({ name, value }) => [name, value] as const);
    if (set.length > 0) await changeStorage(frame, { area, set }, signal);
  }
};

const inOwnTab = async (
  browser: Browser,
  session: Session,
  origin: string,
  work: (frame: Frame) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const tab = await browser.openTab(session, signal, { select: false });
  try {
    await runInEmptyPage(tab, origin, work, signal);
  } finally {
    await browser.closeTab(session, tab, signal);
  }
};

const itemsOf = async (
  frame: Frame,
  area: StorageArea,
  signal: AbortSignal,
): Promise<StorageItem[]> => {
  try {
    return (await readStorage(frame, { area }, signal)).map(([name, value]) => ({ name, value }));
  } catch (error) {
    // A frame in a sandbox keeps nothing; one that went away has nothing to tell.
    if (error instanceof Failure || isGone(error)) return [];
    throw error;
  }
};

const isWeb = (url: string): boolean => /^https?:/.test(url);
const originOf = ({ url }: Frame): string => new URL(url).origin;
