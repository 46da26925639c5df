// Reads and writes the IndexedDB databases of a frame's origin, from an isolated world.
import type { DatabaseNames, DatabasesAnswer, SavedDatabase } from '../../page/state-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';

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
