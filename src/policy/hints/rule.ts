// What a hint is made from, and what a rule is: one file each, looked through in order, at most one
// line comes of it.
import type { FailureCode, FailureDetails } from '../../core/failure.ts';

/**
 * A call that ended: what failed, how often it came in a row, and what is known about where it
 * happened.
 */
export interface Happening {
  readonly failure?: { readonly code: FailureCode; readonly details: FailureDetails };
  /** How many times in a row this same call got this same answer, this time included. */
  readonly times: number;
  /** Whether the call was meant to change something. */
  readonly acts: boolean;
  /** The page is a login page. */
  readonly login: boolean;
  /** A budget of the task that is nearly used up or passed, in words. */
  readonly budget?: string;
}

export interface HintRule {
  readonly name: string;
  /** The line, or nothing when the rule has nothing to say. */
  readonly hint: (happening: Happening) => string | undefined;
}
