// Arguments and results of find in one frame. No DOM types.

export interface FindSpec {
  readonly query?: string;
  /** A role or a common word for one. */
  readonly role?: string;
  /** The label of a form field. */
  readonly label?: string;
  readonly testId?: string;
  readonly selector?: string;
  /** Text of the same row, card or list item. */
  readonly near?: string;
  /** Maximum number of hits to describe. */
  readonly limit: number;
}

/** One entry of a hit's context: an ancestor, or a heading or text before it. */
export interface ElementContext {
  /** row, item, dialog, navigation …; `under`: a heading above; `after`: a text before. */
  readonly kind: string;
  readonly text: string;
}

export interface Hit {
  readonly id: number;
  readonly role: string;
  readonly name: string;
  readonly states: string;
  readonly fingerprint: string;
  /** Other text in the same row, card or list item. */
  readonly beside: string;
  /** The element is hidden, inert, or covered by a modal dialog. */
  readonly hidden: boolean;
  /** Smaller is better. Compared first by proximity to the `near` words, then by match quality. */
  readonly rank: readonly [near: number, words: number];
  /** Context, innermost first. */
  readonly around: readonly ElementContext[];
}

/**
 * no_match: no element matches. near_nowhere: the `near` words are not on the page. near_without:
 * the `near` words are there, but no matching element is beside them.
 */
export type Missing = 'no_match' | 'near_nowhere' | 'near_without';

export interface FindAnswer {
  readonly problem?: undefined;
  readonly hits: readonly Hit[];
  /** Number of matches, including those beyond the limit. */
  readonly total: number;
  /** Number of visible elements among `hits`. */
  readonly seen: number;
  readonly missing?: Missing;
  /** The most similar elements if `hits` is empty, else an empty array. */
  readonly closest: readonly Hit[];
  /** Roles on the page with their counts, if no element has the requested role. */
  readonly roles?: readonly (readonly [role: string, count: number])[];
  /** Number of elements that may have a closed shadow root. */
  readonly suspects: number;
  /** The search timed out before the end of the page. */
  readonly cut: boolean;
  /** Encoded walk of the page around the elements; contains the roles that a page read shows. */
  readonly walk: string;
}

export type FindReply = FindAnswer | { readonly problem: 'bad_selector' };

export interface WaitOptions {
  readonly ms: number;
  /** Id of the wait; `findStop` takes it. */
  readonly wait: number;
  /**
   * End the wait if an element may have a closed shadow root. Off after a few rounds, because some
   * pages keep creating such elements.
   */
  readonly suspicious: boolean;
}

/** Why a wait ended. */
export type FindWaited = 'found' | 'suspects' | 'time' | 'stopped';
