// The state of the page around an action, read for those who want it in the same reply.
import { ensureReading, readAgain, type TreeReading } from '../read/read-tree.ts';
import type { Tab } from '../tabs/tab.ts';

export type AfterState = 'none' | 'ax' | 'diff';

const OPTIONS = { maxTokens: 10_000 };

/** Before an action whose changes are wanted: something must be there to compare with. */
export const readBefore = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<void> => {
  if (wanted === 'diff' && !tab.dialog) await ensureReading(tab, OPTIONS, signal);
};

/**
 * Nothing where nothing was asked for, and where the page cannot be read: it is held up by a
 * dialog, or gone.
 */
export const readAfter = async (
  tab: Tab,
  wanted: AfterState,
  signal: AbortSignal,
): Promise<TreeReading | undefined> =>
  wanted === 'none' || tab.dialog || tab.closed ? undefined : readAgain(tab, OPTIONS, signal);
