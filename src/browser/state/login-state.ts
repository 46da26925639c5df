// Reads and restores the login state: cookies, and the web storage and databases of open pages.
import type { Browser } from '../browser.ts';
import { isGone } from '../cdp/errors.ts';
import { Failure } from '../../core/failure.ts';
import {
  changeStorage,
  readDatabases,
  readStorage,
  runInEmptyPage,
  type SavedDatabase,
  type StorageArea,
  writeDatabases,
} from './web-storage.ts';
import type { Frame } from '../tabs/frames.ts';
import type { Session } from '../tabs/session.ts';
import type { Tab } from '../tabs/tab.ts';
import { type Cookie, readCookies, setCookies } from './cookies.ts';

interface StorageItem {
  readonly name: string;
  readonly value: string;
}

/** The storage state format of other browser tools, which ignore `sessionStorage`. */
export interface LoginState {
  readonly cookies: readonly Cookie[];
  readonly origins: readonly {
    readonly origin: string;
    readonly localStorage: readonly StorageItem[];
    readonly sessionStorage?: readonly StorageItem[];
    readonly databases?: readonly SavedDatabase[];
  }[];
}

/**
 * Reads the cookies, and the storage of every origin that a frame of these tabs shows. With
 * `open_pages`, cookies in Chrome's profile that belong to other pages are left out.
 */
export const readLoginState = async (
  tab: Tab,
  tabs: Iterable<Tab>,
  signal: AbortSignal,
  cookiesOf: 'all' | 'open_pages' = 'all',
): Promise<LoginState> => {
  const frames = new Map<string, Frame>();
  for (const frame of [tab, ...tabs].flatMap((one) => one.frames.all()))
    if (isWeb(frame.url) && !frames.has(parseOrigin(frame))) frames.set(parseOrigin(frame), frame);
  const origins = await Promise.all(
    [...frames].map(async ([origin, frame]) => ({
      origin,
      localStorage: await readItems(frame, 'local', signal),
      sessionStorage: await readItems(frame, 'session', signal),
      databases: await readAllDatabases(frame, signal),
    })),
  );
  const isAll = cookiesOf === 'all' || tab.contextId !== undefined || frames.size === 0;
  const cookies = isAll
    ? await readCookies(tab, {}, signal)
    : await readPageCookies(tab, [...frames.values()], signal);
  return {
    // partitioned cookies are valid in the frames of one site only
    cookies: cookies.filter(({ partition }) => partition === undefined),
    origins: origins.filter(
      ({ localStorage, sessionStorage, databases }) =>
        localStorage.length + sessionStorage.length + databases.length > 0,
    ),
  };
};

const readPageCookies = async (
  tab: Tab,
  frames: readonly Frame[],
  signal: AbortSignal,
): Promise<Cookie[]> => {
  const found = await Promise.all(frames.map(({ url }) => readCookies(tab, { url }, signal)));
  const known = new Map(
    found
      .flat()
      .map((cookie) => [JSON.stringify([cookie.name, cookie.domain, cookie.path]), cookie]),
  );
  return [...known.values()];
};

const readAllDatabases = async (
  frame: Frame,
  signal: AbortSignal,
): Promise<readonly SavedDatabase[]> => {
  try {
    return (await readDatabases(frame, signal)).databases;
  } catch (error) {
    // A sandboxed frame has no storage; a frame that is gone cannot be read.
    if (error instanceof Failure || isGone(error)) return [];
    throw error;
  }
};

export interface Restored {
  readonly cookies: number;
  readonly origins: readonly string[];
  /** Cookies that Chrome did not accept: expired, or not allowed for the domain. */
  readonly refused: readonly string[];
}

/**
 * Restores the state: in the open page if the origin is the same, otherwise in an empty page that
 * sends no network request.
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
  for (const { origin, localStorage, sessionStorage = [], databases = [] } of state.origins) {
    const own = tab.frames.all().find((frame) => isWeb(frame.url) && parseOrigin(frame) === origin);
    if (own)
      await putInto(own, { local: localStorage, session: sessionStorage }, databases, signal);
    else
      await inOwnTab(
        browser,
        session,
        origin,
        (frame) => putInto(frame, { local: localStorage, session: [] }, databases, signal),
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
  databases: readonly SavedDatabase[],
  signal: AbortSignal,
): Promise<void> => {
  if (databases.length > 0) await writeDatabases(frame, databases, signal);
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

const readItems = async (
  frame: Frame,
  area: StorageArea,
  signal: AbortSignal,
): Promise<StorageItem[]> => {
  try {
    return (await readStorage(frame, { area }, signal)).map(([name, value]) => ({ name, value }));
  } catch (error) {
    // A sandboxed frame has no storage; a frame that is gone cannot be read.
    if (error instanceof Failure || isGone(error)) return [];
    throw error;
  }
};

const isWeb = (url: string): boolean => /^https?:/.test(url);
const parseOrigin = ({ url }: Frame): string => new URL(url).origin;
