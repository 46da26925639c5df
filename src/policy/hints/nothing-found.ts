// Nothing fits the target: it may not be there yet, or be called otherwise.
import type { FailureCode } from '../../core/failure.ts';
import type { HintRule } from './rule.ts';

const NOT_FOUND: ReadonlySet<FailureCode> = new Set(['element_not_found', 'option_not_found'] as const);

export const nothingFound: HintRule = {
  name: 'nothing_found',
  hint: ({ failure }) => {
    if (!failure || !NOT_FOUND.has(failure.code)) return undefined;
    const { near, options } = failure.details;
    if (Array.isArray(near) && near.length > 0) return 'use a ref under near, if one of them is meant';
    if (Array.isArray(options) && options.length > 0) return 'use one of the options';
    if (typeof failure.details['ref'] === 'string') return undefined; // no waiting brings a ref that was never given
    return 'wait_for it if the page still loads; find with other words tells what is near';
  },
};
