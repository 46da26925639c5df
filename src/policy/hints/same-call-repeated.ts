// The same call with the same answer over and over: it will not become another one by itself.
import type { HintRule } from './rule.ts';

/** The third time in a row; a second look may have its reasons. */
const REPETITION = 3;

export const sameCallRepeated: HintRule = {
  name: 'same_call_repeated',
  hint: ({ failure, times, acts }) => {
    if (times < REPETITION) return undefined;
    if (failure) return `failed the same way ${times} times in a row: change the target or the way, or look at the page first`;
    // Pressing a key or "Next" again and again is work, and its receipts may well be alike.
    if (acts) return undefined;
    return `the same answer ${times} times in a row: act, wait_for a change, or ask something else`;
  },
};
