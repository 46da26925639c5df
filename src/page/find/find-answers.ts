// What find is asked and answers inside one frame: plain data for both sides. No DOM types here.

export interface FindSpec {
  readonly query?: string;
  /** A role, or a word that people use for one. */
  readonly role?: string;
  /** The label of a form field. */
  readonly label?: string;
  readonly testId?: string;
  readonly selector?: string;
  /** Words of the same row, card or list item. */
  readonly near?: string;
  /** How many hits to describe. */
  readonly limit: number;
}

/** Something around a hit that tells where it is. */
export interface ElementContext {
  /**
   * row, item, dialog, navigation …; `under` for a heading above it, `after` for a text before it.
   */
  readonly kind: string;
  readonly text: string;
}

export interface Hit {
  readonly id: number;
  readonly role: string;
  readonly name: string;
  readonly states: string;
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
  /** Nobody sees it now. */
  readonly hidden: boolean;
  /**
   * How well it fits: smaller numbers are better. First what stands where it was said to be, then
   * what is called so.
   */
  readonly rank: readonly [near: number, words: number];
  /** From the inside out. */
  readonly around: readonly ElementContext[];
}

/**
 * Why there is no hit: nothing fits; the words to be near are nowhere; they are there, but without
 * what was asked for.
 */
export type Missing = 'no_match' | 'near_nowhere' | 'near_without';

export interface FindAnswer {
  readonly problem?: undefined;
  readonly hits: readonly Hit[];
  /** How many fit, also those beyond the limit. */
  readonly total: number;
  /** How many of them are seen. */
  readonly seen: number;
  readonly missing?: Missing;
  /** What comes closest, where nothing fits. */
  readonly closest: readonly Hit[];
  /** Which roles there are and how many of each, where there is none of the role asked for. */
  readonly roles?: readonly (readonly [role: string, count: number])[];
  /** How many elements may hide a closed shadow root. */
  readonly suspects: number;
  /** The page is too large to be searched to its end. */
  readonly cut: boolean;
  /** The walk around the elements of the answer, which has the roles that a reading gives them. */
  readonly walk: string;
}

export type FindReply = FindAnswer | { readonly problem: 'bad_selector' };

export interface WaitOptions {
  readonly ms: number;
  /** Names the wait, for whoever ends it. */
  readonly wait: number;
  /**
   * Elements that may hide a closed shadow root end it; not for ever, some pages make new ones all
   * the time.
   */
  readonly suspicious: boolean;
}

/** Why a wait ended. */
export type FindWaited = 'found' | 'suspects' | 'time' | 'stopped';
