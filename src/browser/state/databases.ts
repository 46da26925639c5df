// Reads and writes the IndexedDB databases of a frame's origin, from an isolated world.
import type {
  DatabaseNames,
  DatabasesAnswer,
  SavedDatabase,
} from '../../page/indexed-db-answers.ts';
import { callFrames, type LoadedScript } from '../read/call-page.ts';
import type { Frame } from '../tabs/frames.ts';

export type { SavedDatabase } from '../../page/indexed-db-answers.ts';

const source = (): LoadedScript => import('page-script:indexed-db');

export const readDatabaseNames = (frame: Frame, signal: AbortSignal): Promise<DatabaseNames> =>
  callFrames(frame, source, '__oc_indexed_db.names', {}, signal);

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
  if (usage <= MAX_BYTES) return callFrames(frame, source, '__oc_indexed_db.read', {}, signal);
  const { indexedDB } = await readDatabaseNames(frame, signal);
  return { databases: [], left: indexedDB.map((name) => ({ name, why: 'it is too large' })) };
};

/** Returns the databases that could not be written, with the reasons. */
export const writeDatabases = (
  frame: Frame,
  databases: readonly SavedDatabase[],
  signal: AbortSignal,
): Promise<DatabasesAnswer['left']> =>
  callFrames(frame, source, '__oc_indexed_db.write', { databases }, signal);
