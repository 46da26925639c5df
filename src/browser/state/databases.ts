// The databases (IndexedDB) of a frame's origin, through a script that the page does not see.
import type { DatabaseNames, DatabasesAnswer, SavedDatabase } from '../page-scripts/indexed-db-answers.ts';
import { ask, type LoadedScript } from '../read/ask.ts';
import type { Frame } from '../tabs/frames.ts';

export type { SavedDatabase } from '../page-scripts/indexed-db-answers.ts';

const source = (): LoadedScript => import('page-script:indexed-db');

export const readDatabaseNames = (frame: Frame, signal: AbortSignal): Promise<DatabaseNames> =>
  ask(frame, source, '__oc_indexed_db.names', {}, signal);

export const readDatabases = (frame: Frame, signal: AbortSignal): Promise<DatabasesAnswer> =>
  ask(frame, source, '__oc_indexed_db.read', {}, signal);

/** Returns what could not be put in, and why. */
export const writeDatabases = (frame: Frame, databases: readonly SavedDatabase[], signal: AbortSignal): Promise<DatabasesAnswer['left']> =>
  ask(frame, source, '__oc_indexed_db.write', { databases }, signal);
