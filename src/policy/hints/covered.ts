// Something lies over the target: what it is, is the next thing to deal with.
import type { HintRule } from './rule.ts';

export const covered: HintRule = {
  name: 'covered',
  hint: ({ failure }) => {
    if (failure?.code !== 'target_covered') return undefined;
    const cover = failure.details['cover'] as { ref?: unknown } | undefined;
    return typeof cover?.ref === 'string'
      ? `read_page {ref: "${cover.ref}"} shows how to close what covers it; press Escape closes many`
      : 'close what covers it, or press Escape, then repeat the call';
  },
};
