// The form in which a walk travels: one line for each node, its fields separated by tabs. Both
// sides read it from here.

/** What a line is about; its first character. */
export const KINDS = {
  text: 'T',
  heading: 'H',
  control: 'C',
  group: 'G',
  item: 'I',
  image: 'M',
  frame: 'F',
  note: 'N',
} as const;

export type NodeKind = keyof typeof KINDS;

/**
 * The fields after the kind, in this order; empty ones at the end are left out. Ids are counted
 * from the document's base.
 */
export const FIELDS = [
  'depth',
  'id',
  'role',
  'name',
  'states',
  'value',
  'key',
  'url',
  'fingerprint',
] as const;

/** The first line of an answer, its fields in this order. */
export const HEADER = ['base', 'suspects', 'cut', 'modal', 'frames', 'title'] as const;

/**
 * The line after which the content comes that a modal dialog, inert or aria-hidden keeps out of
 * reach.
 */
export const BEHIND = 'B';

/** Stands before the numbers of the elements that are within the viewport, in the last line. */
export const IN_VIEW = 'V';

export interface WalkOptions {
  /** Walk only inside the element with this number. */
  readonly root?: number;
  /** Walk only inside the first element that matches. */
  readonly selector?: string;
  /** Bring the addresses of links too. */
  readonly urls?: boolean;
  /** Say which elements are within the viewport when the answer is longer than this. */
  readonly viewportAbove?: number;
  /** Bring what is out of reach behind a dialog too, so that it is not taken for removed. */
  readonly behind?: boolean;
  /** The answer ends here. */
  readonly maxChars?: number;
  readonly maxMs?: number;
  readonly maxElements?: number;
}

/** A single element in short. */
export interface WalkedElement {
  readonly id: number;
  readonly role: string;
  readonly name: string;
}

/** The element behind a ref, as it is now. */
export interface IdentifiedElement extends WalkedElement {
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
}
