// The rules of hints in the order in which they are asked: the first that has something to say is
// the only one heard.
import type { FailureCode } from '../../core/failure.ts';
import type { Happening, HintRule } from './rule.ts';

const NOT_FOUND: ReadonlySet<FailureCode> = new Set([
  'element_not_found',
  'option_not_found',
] as const);

const nothingFound: HintRule = {
  name: 'nothing_found',
  hint: ({ failure }) => {
    if (!failure || !NOT_FOUND.has(failure.code)) return undefined;
    const { near, options } = failure.details;
    if (Array.isArray(near) && near.length > 0)
      return 'use a ref under near, if one of them is meant';
    if (Array.isArray(options) && options.length > 0) return 'use one of the options';
    // no waiting brings a ref that was never given
    if (typeof failure.details['ref'] === 'string') return undefined;
    return 'wait_for it if the page still loads; find with other words tells what is near';
  },
};

/** A tab that is gone, or an argument that is wrong, is so with a login too. */
const MISSED: ReadonlySet<FailureCode> = new Set([
  'element_not_found',
  'option_not_found',
  'target_hidden',
  'target_disabled',
  'key_not_found',
  'timeout',
] as const);

const loginWall: HintRule = {
  name: 'login_wall',
  hint: ({ failure, login }) =>
    failure && login && MISSED.has(failure.code)
      ? 'this page asks for a login: log in first, load a saved login (storage), or ask the user'
      : undefined,
};

/** The third time in a row; a second look may have its reasons. */
const REPETITION = 3;

const sameCallRepeated: HintRule = {
  name: 'same_call_repeated',
  hint: ({ failure, times, acts }) => {
    if (times < REPETITION) return undefined;
    if (failure)
      return `failed the same way ${times} times in a row: change the target or the way, or look at the page first`;
    // Pressing a key or "Next" again and again is work, and its receipts may well be alike.
    if (acts) return undefined;
    return `the same answer ${times} times in a row: act, wait_for a change, or ask something else`;
  },
};

/** A ref whose element is gone: the one that took its place, or the shortest way to current refs. */
const staleRef: HintRule = {
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

/** Something lies over the target: what it is, is the next thing to deal with. */
const covered: HintRule = {
  name: 'covered',
  hint: ({ failure }) => {
    if (failure?.code !== 'target_covered') return undefined;
    const cover = failure.details['cover'] as { ref?: unknown } | undefined;
    return typeof cover?.ref === 'string'
      ? `read_page {ref: "${cover.ref}"} shows how to close what covers it; press Escape closes many`
      : 'close what covers it, or press Escape, then repeat the call';
  },
};

/** A dialog blocks the page: nothing else works before it is answered. */
const dialogOpen: HintRule = {
  name: 'dialog_open',
  hint: ({ failure }) =>
    failure?.code === 'dialog_open'
      ? 'handle_dialog {accept: true} or {accept: false}, then repeat this call'
      : undefined,
};

/** Something went wrong while a budget of the task runs out: the next calls should count. */
const budgetNear: HintRule = {
  name: 'budget_near',
  hint: ({ failure, budget }) =>
    failure && budget !== undefined
      ? `${budget}: verify what is done, or finish the task`
      : undefined,
};

export const HINT_RULES: readonly HintRule[] = [
  dialogOpen, // nothing else can be done before
  sameCallRepeated, // what was advised before did not help
  budgetNear, // says more than the failure's own advice
  staleRef,
  covered,
  loginWall, // before "nothing found": the login is the reason for it
  nothingFound,
];

export interface Hint {
  readonly rule: string;
  readonly line: string;
}

export const hintFor = (happening: Happening): Hint | undefined => {
  for (const { name, hint } of HINT_RULES) {
    const line = hint(happening);
    if (line !== undefined) return { rule: name, line };
  }
  return undefined;
};
