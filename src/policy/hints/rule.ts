// The type of a hint rule and of the finished call that it judges.
import type { FailureCode, FailureDetails } from '../../core/failure.ts';

/** A finished call: its failure, its repetitions, and the state of its page and task. */
export interface Happening {
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

export interface HintRule {
  readonly name: string;
  /** Returns the hint line; undefined if the rule does not apply. */
  readonly hint: (happening: Happening) => string | undefined;
}
