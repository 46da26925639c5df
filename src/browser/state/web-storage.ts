// Reads and writes the web storage and the databases of a frame's origin, from an isolated world.
import { fail, type Failure } from '../../core/failure.ts';
import { quoteText } from '../../core/text.ts';
import type {
  DatabaseNames,
  DatabasesAnswer,
  SavedDatabase,
  StorageAnswer,
  StorageChange,
  StorageEntries,
  StorageRequest,
} from '../../page/state-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';

export type StorageArea = StorageRequest['area'];

export const readStorage = async (
  frame: Frame,
  request: StorageRequest,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(frame, await frame.call(inPage.storage.read, [request], signal));

/** Returns the removed entries. */
export const changeStorage = async (
  frame: Frame,
  change: StorageChange,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(frame, await frame.call(inPage.storage.change, [change], signal));

const requireEntries = (frame: Frame, answer: StorageAnswer): StorageEntries => {
  if (answer.problem === undefined) return answer.entries;
  throw answer.problem === 'full'
    ? storageFullFailure(answer.message)
    : noStorageFailure(frame.url);
};

const storageFullFailure = (message: string): Failure =>
  fail('value_rejected', `The storage of the page is full: ${quoteText(message)}.`, {
    hint: 'Remove entries first, or store less.',
  });

const noStorageFailure = (url: string): Failure =>
  fail('invalid_argument', `The page ${quoteText(url)} cannot store data: it has no origin.`, {
    hint: 'Open a web page first.',
  });

// Reads and writes the IndexedDB databases of a frame's origin, from an isolated world.

export type { SavedDatabase } from '../../page/state-answers.ts';

export const readDatabaseNames = (frame: Frame, signal: AbortSignal): Promise<DatabaseNames> =>
  frame.call(inPage.indexedDb.readNames, [], signal);

/** Reading loads all data into the page's memory; larger databases could crash the page. */
const MAX_BYTES = 64 * 1024 * 1024;

export const readDatabases = async (
  frame: Frame,
  signal: AbortSignal,
): Promise<DatabasesAnswer> => {
  const { usageBreakdown } = await frame.session.send(
    'Storage.getUsageAndQuota',
    { origin: new URL(frame.url).origin },
    signal,
  );
  const { usage = 0 } = usageBreakdown.find(({ storageType }) => storageType === 'indexeddb') ?? {};
  if (usage <= MAX_BYTES) return frame.call(inPage.indexedDb.read, [], signal);
  const { indexedDB } = await readDatabaseNames(frame, signal);
  return { databases: [], left: indexedDB.map((name) => ({ name, why: 'it is too large' })) };
};

/** Returns the databases that could not be written, with the reasons. */
export const writeDatabases = (
  frame: Frame,
  databases: readonly SavedDatabase[],
  signal: AbortSignal,
): Promise<DatabasesAnswer['left']> => frame.call(inPage.indexedDb.write, [databases], signal);

/** The tab shows the empty page until it is navigated elsewhere. */
export const runInEmptyPage = async <T>(
  tab: Tab,
  origin: string,
  work: (frame: Frame) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const empty = {
    action: 'fulfill',
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '',
  } as const;
  const handler = tab.interception.add({
    name: 'storage',
    patterns: [`${origin}/*`],
    onError: 'fail',
    handle: () => empty,
  });
  try {
    // A service worker of the site would answer before the interception handler.
    await Promise.all([
      handler.ready,
      tab.cdp.send('Network.setBypassServiceWorker', { bypass: true }, signal),
    ]);
    const navigated = tab.events.next('navigated', ({ url }) => url.startsWith(origin), signal);
    await Promise.all([navigated, tab.cdp.send('Page.navigate', { url: `${origin}/` }, signal)]);
    return await work(tab.frames.main);
  } finally {
    await handler.remove();
    // The tab may be closed.
    await tab.cdp.send('Network.setBypassServiceWorker', { bypass: false }).catch(() => {});
  }
};
