// The last reading of each part of a tab, for those who ask what has changed since.
import type { Tab } from '../tabs/tab.ts';
import type { Snapshot } from './snapshot.ts';

/** Whole trees are kept: a few parts of a page are enough. */
const MAX_PARTS = 4;

const readings = new WeakMap<Tab, Map<string, Snapshot>>();

/** Whether the whole page, as it is shown now, was read before. */
export const wasRead = (tab: Tab, part: string): boolean => readings.get(tab)?.get(part)?.loaderId === tab.frames.main.loaderId;

/** Keeps a reading as the last of its part; returns the one before, if it was of the same document. */
export const keepReading = (snapshot: Snapshot, part: string): Snapshot | undefined => {
  const { tab, loaderId } = snapshot;
  let parts = readings.get(tab);
  if (!parts) readings.set(tab, (parts = new Map()));
  const before = parts.get(part);
  parts.delete(part);
  parts.set(part, snapshot);
  for (const old of parts.keys()) if (parts.size > MAX_PARTS) parts.delete(old);
  return before?.loaderId === loaderId ? before : undefined;
};
