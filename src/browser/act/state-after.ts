// Reads the page before and after an action, for callers that want the state in the same reply.
import { ensureReading, readAgain, type TreeReading } from '../read/read-tree.ts';
import type { Tab } from '../tabs/tab.ts';

export type AfterState = 'none' | 'ax' | 'diff';

const OPTIONS = { maxTokens: 10_000 };

/** Reads the page before the action if the caller wants a diff afterwards. */
export const readBefore = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<void> => {
  if (wanted === 'diff' && !tab.dialog) await ensureReading(tab, OPTIONS, signal);
};

/** Returns undefined if no state is wanted, a dialog is open, or the tab is closed. */
export const readAfter = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<TreeReading | undefined> =>
  wanted === 'none' || tab.dialog || tab.closed ? undefined : readAgain(tab, OPTIONS, signal);
