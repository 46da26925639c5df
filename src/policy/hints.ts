// The hint rules in order of precedence; the first rule that returns a hint is used.
import { valueIf } from '../core/defined.ts';
import type { FailureCode, FailureDetails } from '../core/failure.ts';

// The type of a hint rule and of the finished call that it judges.

/** A finished call: its failure, its repetitions, and the state of its page and task. */
export interface FinishedCall {
  readonly failure?: { readonly code: FailureCode; readonly details: FailureDetails };
  /** How many times in a row this call got this reply, including this time. */
  readonly times: number;
  /** Whether the call acts, rather than reads. */
  readonly acts: boolean;
  /** Whether the page is a login page. */
  readonly login: boolean;
  /** Describes a budget of the task that is nearly or fully used. */
  readonly budget?: string;
}

interface HintRule {
  readonly name: string;
  /** Returns the hint line; undefined if the rule does not apply. */
  readonly hint: (happening: FinishedCall) => string | undefined;
}

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
      return 'if one of the elements in near is meant, use its ref';
    if (Array.isArray(options) && options.length > 0) return 'use one of the options';
    // An unknown ref does not appear later, so waiting is useless.
    if (typeof failure.details['ref'] === 'string') return undefined;
    return (
      'use [[wait]] if the page is still loading; ' +
      '[[find]] with other words lists similar elements'
    );
  },
};

/** Failures that a missing login can cause; a closed tab or a wrong argument is not one of them. */
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
    valueIf(
      failure && login && MISSED.has(failure.code),
      'this page requires a login: log in first, load a saved login ([[storage]]), or ask the user',
    ),
};

/** Number of equal calls in a row; a second equal call may be reasonable. */
const REPETITION = 3;

const sameCallRepeated: HintRule = {
  name: 'same_call_repeated',
  hint: ({ failure, times, acts }) => {
    if (times < REPETITION) return undefined;
    if (failure)
      return (
        `failed the same way ${times} times in a row: change the target or the method, or look ` +
        `at the page first`
      );
    // Repeating a key press or a click on "Next" is normal and may return equal receipts.
    if (acts) return undefined;
    return `the same result ${times} times in a row: act, use [[wait]], or make another call`;
  },
};

/** A ref whose element was removed: names its replacement, or the shortest way to get new refs. */
const staleRef: HintRule = {
  name: 'stale_ref',
  hint: ({ failure }) => {
    if (failure?.code !== 'stale_ref') return undefined;
    const { new_ref: newRef, reason } = failure.details;
    if (typeof newRef === 'string') return `repeat the call with ${newRef}`;
    return reason === 'navigated'
      ? 'the tab shows another page now: [[read]] returns its refs'
      : '[[sinceLast]] shows its replacement; words and CSS as targets still work after a re-render';
  },
};

/** Another element covers the target: names it, because it must be handled first. */
const covered: HintRule = {
  name: 'covered',
  hint: ({ failure }) => {
    if (failure?.code !== 'target_covered') return undefined;
    const cover = failure.details['cover'] as { ref?: unknown } | undefined;
    return typeof cover?.ref === 'string'
      ? `[[readRef]] (${cover.ref}) shows how to close the covering element; Escape often closes it`
      : 'close the covering element, or press Escape, then repeat the call';
  },
};

/** A dialog blocks the page until it is answered. */
const dialogOpen: HintRule = {
  name: 'dialog_open',
  hint: ({ failure }) =>
    valueIf(failure?.code === 'dialog_open', '[[accept]] or [[dismiss]], then repeat this call'),
};

/** A call failed while a budget of the task is nearly used up. */
const budgetNear: HintRule = {
  name: 'budget_near',
  hint: ({ failure, budget }) =>
    valueIf(failure && budget !== undefined, `${budget}: verify the work done, or finish the task`),
};

export const HINT_RULES: readonly HintRule[] = [
  dialogOpen, // blocks everything else
  sameCallRepeated, // previous hints did not help
  budgetNear, // more important than the advice for the failure
  staleRef,
  covered,
  loginWall, // before `nothingFound`, because the login is the cause
  nothingFound,
];

export interface Hint {
  readonly rule: string;
  readonly line: string;
}

export const hintFor = (happening: FinishedCall): Hint | undefined => {
  for (const { name, hint } of HINT_RULES) {
    const line = hint(happening);
    if (line !== undefined) return { rule: name, line };
  }
  return undefined;
};
