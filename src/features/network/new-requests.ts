// Waits until a listing has at least one request, or until the time limit.
import { Deadline } from '../../core/time.ts';
import type { NetworkContext } from './network-context.ts';
import { select, type Selection } from './select.ts';

export const waitForNews = async (
  { session, signal, workers }: NetworkContext,
  selection: Selection,
  maxMs: number,
): Promise<void> => {
  const { traffic } = session;
  using limit = new Deadline(maxMs, undefined, signal);
  for (;;) {
    const { cursor } = traffic;
    const { kept } = await select(traffic.requests(), selection, { workers, signal });
    if (kept.length > 0) return;
    if (traffic.cursor !== cursor) continue; // changed during the selection
    try {
      await traffic.events.next('changed', undefined, limit.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return; // time limit reached: the listing explains why it is empty
    }
  }
};
