// A ref whose element is gone: the one that took its place, or the shortest way to current refs.
import type { HintRule } from './rule.ts';

export const staleRef: HintRule = {
  name: 'stale_ref',
  hint: ({ failure }) => {
    if (failure?.code !== 'stale_ref') return undefined;
    const { new_ref: newRef, reason } = failure.details;
    if (typeof newRef === 'string') return `repeat the call with ${newRef}`;
    return reason === 'navigated'
      ? 'this is another page now: read_page gives its refs'
      : 'read_page {since: "last"} shows what took its place; query and selector targets outlive a redraw';
  },
};
