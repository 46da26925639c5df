// Reads one tab for a session snapshot: URL, title, form fields, scroll positions and storage.
import { defined } from '../../core/defined.ts';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import {
  readDatabases,
  readStorage,
  type SavedDatabase,
  type StorageArea,
} from '../../browser/state/web-storage.ts';
import { type FrameState, readPageState } from '../../browser/state/page-state.ts';
import { dialogOpenFailure } from '../../browser/tabs/dialog.ts';
import { listOrigins } from '../../browser/tabs/shown-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { listIf } from '../../core/collections.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { canParseUrl, textIf } from '../../core/text.ts';
import { createRedactor } from '../../policy/redact.ts';
import { Deadline } from '../../core/time.ts';
import type { SavedTab } from '../../store/files/session-snapshots.ts';

interface SavedItem {
  readonly name: string;
  readonly value: string;
}

export interface ReadTab {
  readonly tab: Omit<SavedTab, 'active'>;
  /** Storage that all tabs of the origin share. */
  readonly site?: {
    readonly origin: string;
    readonly localStorage: readonly SavedItem[];
    readonly databases: readonly SavedDatabase[];
  };
}

/** Time limit for one tab. After it only the URL and title are saved. */
const TAB_MS = 10_000;

export const readTab = async (
  tab: Tab,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ReadTab> => {
  const url = stripSecrets(await findUrl(tab, signal), redactor);
  const place: TabAddress = { url, title: redactor.text(tab.title) };
  const late = (): Failure => fail('page_unresponsive', 'The page did not respond.');
  using limit = new Deadline(TAB_MS, late, signal);
  try {
    if (tab.dialog) throw dialogOpenFailure(tab.dialog);
    if (tab.crashed) throw fail('page_crashed', 'The page has crashed.');
    return await tab.queue.run(
      'oc_session_snapshot',
      () => readPage(tab, place, redactor, limit.signal),
      limit.signal,
    );
  } catch (thrown) {
    signal.throwIfAborted();
    const error = toChromeFailure(thrown);
    if (!(error instanceof Failure)) throw error;
    const not_saved = [`scroll, form and storage: ${error.code}: ${error.message}`.slice(0, 500)];
    return { tab: { ...place, frames: [], sessionStorage: [], not_saved } };
  }
};

/** If Chrome shows its error page, returns the URL that failed to load. */
const findUrl = async (tab: Tab, signal: AbortSignal): Promise<string> => {
  if (!tab.url.startsWith('chrome-error:')) return tab.url;
  const { currentIndex, entries } = await tab.cdp.send(
    'Page.getNavigationHistory',
    undefined,
    signal,
  );
  return entries[currentIndex]?.url ?? tab.url;
};

/** Finds tokens by their form only, without the secrets of the owner. */
const patterns = createRedactor([]);

/**
 * Removes the query parameters that contain a known secret, such as a one-time code. Other tokens
 * stay, because the page may need them when it is restored.
 */
const stripSecrets = (url: string, redactor: Redactor): string => {
  if (!canParseUrl(url)) return url;
  const parsed = new URL(url);
  const hides = (by: Redactor, value: string): boolean => by.data({ value }).value !== value;
  const secret = [...parsed.searchParams].filter(
    ([, value]) => hides(redactor, value) && !hides(patterns, value),
  );
  if (secret.length === 0) return url;
  for (const [name] of secret) parsed.searchParams.delete(name);
  return parsed.href;
};

type TabAddress = Pick<SavedTab, 'url' | 'title'>;

const readPage = async (
  tab: Tab,
  place: TabAddress,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<ReadTab> => {
  const known = redactor.forOrigins(listOrigins(tab));
  const read = (await readPageState(tab, signal)).map((state) => withoutSecrets(state, known));
  const { sessionStorage, site, left } = await readKept(tab, signal);
  const not_saved = [...read.flatMap((one) => one.left), ...foreignFrames(tab), ...left];
  return defined({
    tab: { ...place, frames: read.map(({ state }) => state), sessionStorage, not_saved },
    site,
  });
};

interface TabStorage {
  readonly sessionStorage: readonly SavedItem[];
  readonly site?: ReadTab['site'];
  readonly left: readonly string[];
}

/**
 * Reads localStorage, sessionStorage and databases. A sandboxed page without an origin has none.
 */
const readKept = async (
  { url, frames: { main } }: Tab,
  signal: AbortSignal,
): Promise<TabStorage> => {
  if (!/^https?:/.test(url)) return { sessionStorage: [], left: [] };
  const itemsOf = async (area: StorageArea): Promise<SavedItem[]> =>
    (await readStorage(main, { area }, signal)).map(([name, value]) => ({ name, value }));
  try {
    const [localStorage, sessionStorage] = await Promise.all([
      itemsOf('local'),
      itemsOf('session'),
    ]);
    const { databases, left } = await readDatabases(main, signal);
    const site = { origin: new URL(url).origin, localStorage, databases };
    return {
      sessionStorage,
      site,
      left: left.map(({ name, why }) => `database "${name.slice(0, 100)}": ${why}`),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { sessionStorage: [], left: [`storage: ${error.message.slice(0, 300)}`] };
  }
};

/**
 * Removes form fields that the redactor recognises as secrets, even if their type is not
 * `password`.
 */
const withoutSecrets = (
  state: FrameState,
  redactor: Redactor,
): { state: FrameState; left: string[] } => {
  const isSecret = ({ name, label, value }: FrameState['fields'][number]): boolean =>
    value !== undefined &&
    [name, label].some((word) => redactor.data({ name: word, value }).value !== value);
  const fields = state.fields.filter((field) => !isSecret(field));
  const secrets = state.passwords + state.fields.length - fields.length;
  const files = fields
    .filter((field) => field.files)
    .map(({ label, files = [] }) => `the file in "${label}" (${files.join(', ')})`);
  return {
    state: { ...state, fields, url: stripSecrets(state.url, redactor) },
    left: [
      ...listIf(secrets > 0, `${secrets} password${textIf(secrets > 1, 's')}`),
      ...files.map((file) => file.slice(0, 300)).slice(0, 20),
      ...listIf(state.more > 0, `${state.more} more fields`),
    ],
  };
};

/**
 * Storage of cross-origin frames is partitioned by the page and cannot be restored from outside.
 */
const foreignFrames = (tab: Tab): string[] => {
  const originOf = (url: string): string | undefined =>
    /^https?:/.test(url) ? new URL(url).origin : undefined;
  const own = originOf(tab.url);
  const others = new Set(tab.frames.all().map(({ url }) => originOf(url)));
  const foreign = [...others].filter((origin) => origin !== undefined && origin !== own);
  return listIf(
    foreign.length > 0,
    `storage of frames of ${foreign.slice(0, 5).join(', ')}`.slice(0, 500),
  );
};
