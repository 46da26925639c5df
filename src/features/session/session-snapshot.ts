// Saves a session: its tabs, cookies, site storage and the notes of the host.
import { compact, defined } from '../../core/defined.ts';
import type { Browser } from '../../browser/browser.ts';
import { type Cookie, readCookies } from '../../browser/state/cookies.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { listIf } from '../../core/collections.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { Memo, SavedSession, SessionSnapshots } from '../../store/files/session-snapshots.ts';
import { readTab } from './read-tab.ts';

export interface SnapshotReport {
  readonly id: string;
  readonly name?: string;
  readonly tabs: number;
  readonly fields: number;
  readonly cookies: number;
  /** Number of localStorage and sessionStorage entries and databases. */
  readonly storage_entries: number;
  readonly not_saved?: readonly { readonly tab: string; readonly what: readonly string[] }[];
}

interface SnapshotOptions {
  readonly browser: Browser;
  readonly session: Session;
  readonly redactor: Redactor;
  readonly snapshots: SessionSnapshots;
  readonly name?: string | undefined;
  readonly memo: Memo;
  readonly signal: AbortSignal;
  readonly progress: (progress: {
    readonly done: number;
    readonly total: number;
    readonly message: string;
  }) => void;
}

export const saveSession = async (options: SnapshotOptions): Promise<SnapshotReport> => {
  const { browser, session, redactor, snapshots, name, memo, signal, progress } = options;
  const open = [...session.tabs.values()];
  let done = 0;
  const read = await Promise.all(
    open.map(async (tab) => {
      const one = await readTab(tab, redactor, signal);
      progress({ done: ++done, total: open.length, message: one.tab.url.slice(0, 200) });
      return one;
    }),
  );
  const tabs = read.map(({ tab }, i) => ({ ...tab, active: open[i] === session.current }));
  const sites = new Map(
    read.toReversed().flatMap(({ site }) => (site ? [[site.origin, site] as const] : [])),
  );
  const origins = [...sites.values()].filter(
    ({ localStorage, databases }) => localStorage.length + databases.length > 0,
  );
  const { cookies, left } = await cookiesFor(browser, session, signal);
  const saved = {
    session: session.name,
    created_at: Date.now(),
    memo: redactor.data(memo),
    tabs,
    cookies,
    origins,
  };
  const id = await snapshots.save(defined({ ...saved, name }));
  return report(id, name, saved, left);
};

/**
 * All cookies if OpenChrome started Chrome. If it is attached to the user's own Chrome, only the
 * cookies of the session's pages.
 */
const cookiesFor = async (
  browser: Browser,
  session: Session,
  signal: AbortSignal,
): Promise<{ cookies: Cookie[]; left: number }> => {
  const [tab] = session.tabs.values();
  if (!tab) return { cookies: [], left: 0 };
  const isOurs = browser.health().chrome?.attachedTo === undefined;
  const urls = [...session.tabs.values()]
    .map(({ url }) => url)
    .filter((url) => /^https?:/.test(url));
  const found = isOurs
    ? await readCookies(tab, {}, signal)
    : (await Promise.all(urls.map((url) => readCookies(tab, { url }, signal)))).flat();
  const cookies = [...new Map(found.map((cookie) => [JSON.stringify(cookie), cookie])).values()];
  const kept = cookies.filter(({ partition }) => partition === undefined);
  return { cookies: kept, left: cookies.length - kept.length };
};

const report = (
  id: string,
  name: string | undefined,
  saved: Omit<SavedSession, 'id' | 'name'>,
  cookiesLeft: number,
): SnapshotReport => {
  const { tabs, cookies, origins } = saved;
  const sum = (numbers: readonly number[]): number =>
    numbers.reduce((total, number) => total + number, 0);
  const notSaved = [
    ...tabs.flatMap(({ url, not_saved }) =>
      listIf(not_saved.length > 0, { tab: url.slice(0, 200), what: not_saved }),
    ),
    ...listIf(cookiesLeft > 0, { tab: '', what: [`${cookiesLeft} partitioned cookies of frames`] }),
  ];
  return defined({
    id,
    name,
    tabs: tabs.length,
    fields: sum(
      tabs.flatMap(({ frames }) =>
        frames.map(({ fields }) => fields.filter(({ files }) => !files).length),
      ),
    ),
    cookies: cookies.length,
    storage_entries:
      sum(tabs.map(({ sessionStorage }) => sessionStorage.length)) +
      sum(origins.map(({ localStorage, databases }) => localStorage.length + databases.length)),
    ...compact({ not_saved: notSaved }),
  });
};
