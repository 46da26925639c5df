// The transfer format of a walk, for both sides: one line per node, fields separated by tabs.

/** The kind of a line, as its first character. */
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
 * The fields after the kind, in this order; empty ones at the end are left out. Ids are relative to
 * the document's base.
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

/** The fields of the first line, in this order. */
export const HEADER = ['base', 'suspects', 'cut', 'modal', 'frames', 'title'] as const;

/** Separator line: the content after it is out of reach (modal dialog, inert or aria-hidden). */
export const BEHIND = 'B';

/** Prefix of the last line, which lists the ids of the elements in the viewport. */
export const IN_VIEW = 'V';

export interface WalkOptions {
  /** Walk only inside the element with this number. */
  readonly root?: number;
  /** Walk only inside the first element that matches. */
  readonly selector?: string;
  /** Include the URLs of links. */
  readonly urls?: boolean;
  /** Write a line for every element that has a role, also for paragraphs and emphasis. */
  readonly roles?: boolean;
  /** List the elements in the viewport if the output is longer than this. */
  readonly viewportAbove?: number;
  /** Include content behind a dialog, so that it is not reported as removed. */
  readonly behind?: boolean;
  /** The output is cut after this many characters. */
  readonly maxChars?: number;
  readonly maxMs?: number;
  readonly maxElements?: number;
}

/** A single element with its role and name. */
export interface WalkedElement {
  readonly id: number;
  readonly role: string;
  readonly name: string;
}

/** The element of a ref, as it is now. */
export interface IdentifiedElement extends WalkedElement {
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
}
