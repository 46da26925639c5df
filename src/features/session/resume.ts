// Restores a saved session in new tabs: cookies and storage first, then pages, forms and scroll.
import { compact, defined } from '../../core/defined.ts';
import type { Browser } from '../../browser/browser.ts';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import type { RestoreAnswer } from '../../page/state-answers.ts';
import { setCookies } from '../../browser/state/cookies.ts';
import { changeStorage, runInEmptyPage, writeDatabases } from '../../browser/state/web-storage.ts';
import { restorePageState } from '../../browser/state/page-state.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { type Navigation, navigateTo } from '../../browser/tabs/navigate.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { listIf } from '../../core/collections.ts';
import { Failure, fail } from '../../core/failure.ts';
import { parseUrl, textIf } from '../../core/text.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { Memo, SavedSession, SavedTab } from '../../store/files/session-snapshots.ts';

export interface ResumedTab {
  readonly tabId?: string;
  readonly url: string;
  readonly title?: string;
  readonly active?: true;
  readonly status?: number;
  readonly fields?: number;
  readonly scrolled?: true;
  readonly storage_entries?: number;
  readonly login_page?: true;
  readonly not_restored?: readonly string[];
}

export interface Resumed {
  readonly id: string;
  readonly name?: string;
  readonly saved_at: string;
  readonly memo: Memo;
  readonly cookies: number;
  readonly refused_cookies?: readonly string[];
  readonly tabs: readonly ResumedTab[];
}

interface ResumeOptions {
  readonly browser: Browser;
  readonly session: Session;
  readonly saved: SavedSession;
  /** Returns the URL to open, or throws a Failure if the URL is not allowed. */
  readonly allowAddress: (url: string) => Promise<string>;
  readonly signal: AbortSignal;
  readonly progress: (progress: {
    readonly done: number;
    readonly total: number;
    readonly message: string;
  }) => void;
}

const LOAD_MS = 20_000;
const TAB_MS = 45_000;
const AT_ONCE = 3;

export const resumeSession = async (options: ResumeOptions): Promise<Resumed> => {
  const { browser, session, saved, signal, progress } = options;
  const places = await Promise.all(saved.tabs.map((tab) => judge(tab, options)));
  const opened: (Tab | undefined)[] = [];
  // Sequential, so that the tabs keep their order.
  for (const place of places)
    opened.push(place instanceof Failure ? undefined : await browser.openTab(session, signal));
  const first = opened.find((tab) => tab !== undefined);
  const refused = first ? await setCookies(first, saved.cookies, signal) : saved.cookies;
  const storage = new SiteStorage(saved);
  let done = 0;
  const resumed = await inTurns(places, AT_ONCE, async (place, i) => {
    const tab = opened[i];
    const kept = saved.tabs[i] as SavedTab;
    const one =
      tab && !(place instanceof Failure)
        ? await resumeTab(tab, kept, place, storage, signal)
        : notOpened(kept, place as Failure);
    progress({ done: ++done, total: places.length, message: kept.url.slice(0, 200) });
    return one;
  });
  const current = opened[saved.tabs.findIndex(({ active }) => active)] ?? first;
  if (current && !current.closed) await browser.selectTab(session, current, signal);
  return {
    id: saved.id,
    ...defined({ name: saved.name }),
    saved_at: new Date(saved.created_at).toISOString(),
    memo: saved.memo,
    cookies: saved.cookies.length - refused.length,
    ...defined({
      refused_cookies:
        refused.length > 0
          ? refused.slice(0, 50).map(({ name, domain }) => `${name} (${domain})`)
          : undefined,
    }),
    tabs: resumed.map((one, i) =>
      opened[i] && opened[i] === current ? { ...one, active: true } : one,
    ),
  };
};

/** URLs from a snapshot file are checked like URLs from a caller. */
const judge = async (
  { url }: SavedTab,
  { allowAddress }: ResumeOptions,
): Promise<string | Failure> => {
  try {
    return await allowAddress(url);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
};

const notOpened = ({ url }: SavedTab, { code, message }: Failure): ResumedTab => ({
  url: url.slice(0, 500),
  not_restored: [`everything: ${code}: ${message}`],
});

type SiteData = SavedSession['origins'][number];

/**
 * localStorage and databases are shared by all tabs of an origin. The first tab restores them; the
 * other tabs wait for it, because a page may read them as soon as it loads.
 */
class SiteStorage {
  readonly #sites: Map<string, SiteData>;
  readonly #restored = new Map<string, Promise<unknown>>();

  constructor({ origins }: SavedSession) {
    this.#sites = new Map(origins.map((site) => [site.origin, site]));
  }

  /** Only the first tab of an origin gets the data. The number of restored entries. */
  async share(
    origin: string,
    restore: (site: SiteData | undefined) => Promise<number>,
    signal: AbortSignal,
  ): Promise<number> {
    const first = this.#restored.get(origin);
    if (!first) {
      const work = restore(this.#sites.get(origin));
      this.#restored.set(origin, work);
      return work;
    }
    // the first tab reports its own failure
    await abortable(
      first.catch(() => {}),
      signal,
    );
    return restore(undefined);
  }
}

const resumeTab = async (
  tab: Tab,
  saved: SavedTab,
  url: string,
  storage: SiteStorage,
  signal: AbortSignal,
): Promise<ResumedTab> => {
  const late = (): Failure =>
    fail('timeout', `The tab was not restored within ${TAB_MS / 1000} s.`);
  using limit = new Deadline(TAB_MS, late, signal);
  const problems: string[] = [];
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toChromeFailure(thrown);
      if (!(error instanceof Failure)) throw error;
      problems.push(`${what}: ${error.code}: ${error.message.slice(0, 300)}`);
      return undefined;
    }
  };
  const found = await tab.queue.run(
    'oc_session_resume',
    async () => {
      const items = await attempt('storage', () =>
        fillStorage(tab, saved, url, storage, problems, limit.signal),
      );
      const navigation = await attempt('page', () => load(tab, url, limit.signal));
      const state =
        navigation &&
        (await attempt('form and scroll', () =>
          restoreState(tab, saved, url, problems, limit.signal),
        ));
      return { items, navigation, state };
    },
    signal,
  );
  return buildResumedTab(tab, saved, found, [...problems, ...saved.not_saved]);
};

/**
 * Writes storage through an empty page of the origin in this tab, because sessionStorage belongs
 * to the tab. Returns the number of entries.
 */
const fillStorage = async (
  tab: Tab,
  { sessionStorage }: SavedTab,
  url: string,
  storage: SiteStorage,
  problems: string[],
  signal: AbortSignal,
): Promise<number> => {
  if (!/^https?:/.test(url)) return 0;
  const { origin } = new URL(url);
  const restore = async (site: SiteData | undefined): Promise<number> => {
    const { localStorage = [], databases = [] } = site ?? {};
    const count = sessionStorage.length + localStorage.length + databases.length;
    if (count === 0) return 0;
    const put = async (frame: Frame): Promise<void> => {
      await changeStorage(frame, { area: 'local', set: listEntries(localStorage) }, signal);
      await changeStorage(frame, { area: 'session', set: listEntries(sessionStorage) }, signal);
      const left = databases.length > 0 ? await writeDatabases(frame, databases, signal) : [];
      problems.push(...left.map(({ name, why }) => `database "${name.slice(0, 100)}": ${why}`));
    };
    await runInEmptyPage(tab, origin, put, signal);
    return count;
  };
  return storage.share(origin, restore, signal);
};

const listEntries = (items: SavedTab['sessionStorage']): (readonly [string, string])[] =>
  items.map(({ name, value }) => [name, value]);

const load = async (tab: Tab, url: string, signal: AbortSignal): Promise<Navigation> => {
  const navigation = await navigateTo(tab, url, { until: 'load', signal, patienceMs: LOAD_MS });
  // removes the empty page from the history
  await tab.cdp.send('Page.resetNavigationHistory', undefined, signal);
  return navigation;
};

/**
 * Restores only if the URL still leads to the same page. After a redirect, for example to a login
 * page, the other page must not receive the form data.
 */
const restoreState = async (
  tab: Tab,
  { frames, url }: SavedTab,
  asked: string,
  problems: string[],
  signal: AbortSignal,
) => {
  if (!samePage(tab.url, asked)) {
    problems.push(`form and scroll: ${url.slice(0, 200)} redirected to ${tab.url.slice(0, 200)}`);
    return undefined;
  }
  if (tab.dialog) {
    problems.push('form and scroll: the page opened a dialog');
    return undefined;
  }
  return frames.length > 0 ? restorePageState(tab, frames, signal) : undefined;
};

const samePage = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((url) => parseUrl(url));
  return a !== undefined && b !== undefined && a.origin === b.origin && a.pathname === b.pathname;
};

const WHY = {
  missing: 'is not in the page',
  refused: 'is a password field',
  changed: 'was changed by the page',
  file: 'is a file field: choose the file again',
} as const;

interface RestoredPage {
  readonly items: number | undefined;
  readonly navigation: Navigation | undefined;
  readonly state: RestoreAnswer | undefined;
}

const buildResumedTab = (
  tab: Tab,
  saved: SavedTab,
  { items, navigation, state }: RestoredPage,
  problems: readonly string[],
): ResumedTab => {
  const fields = (state?.problems ?? []).map(({ label, why }) => `field "${label}" ${WHY[why]}`);
  const unreached =
    state && state.unreached > 0
      ? [`${state.unreached} scroll position${textIf(state.unreached > 1, 's')}`]
      : [];
  const stillLoading = listIf(navigation?.stillLoading, 'the page is still loading');
  const all = [...problems, ...stillLoading, ...fields.slice(0, 20), ...unreached];
  const wasScrolled = saved.frames.some(({ scrolls }) =>
    scrolls.some(({ x, y }) => x !== 0 || y !== 0),
  );
  return {
    tabId: tab.id,
    url: tab.url,
    title: tab.title,
    ...defined({
      status: navigation?.status === undefined ? undefined : navigation.status,
      fields: state && state.fields > 0 ? state.fields : undefined,
      ...compact({
        scrolled: state && wasScrolled && state.unreached === 0,
        storage_entries: items,
        login_page: tab.facts?.login,
        not_restored: all,
      }),
    }),
  };
};

/** Runs `work` with limited concurrency. Results keep the order of `all`. */
const inTurns = async <T, R>(
  all: readonly T[],
  atOnce: number,
  work: (one: T, i: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const waiting = [...all.entries()];
  const next = async (): Promise<void> => {
    for (let turn = waiting.shift(); turn; turn = waiting.shift())
      results[turn[0]] = await work(turn[1], turn[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return results;
};
