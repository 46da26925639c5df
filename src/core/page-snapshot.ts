// What a page was found to hold: a tree of the few nodes that matter to somebody who reads it and
// acts on it.

export type AxKind = 'text' | 'heading' | 'control' | 'group' | 'item' | 'image' | 'frame' | 'note';

export interface AxNode {
  readonly kind: AxKind;
  /** The ARIA role (or Chrome's word where ARIA has none); the level of a heading; row or item. */
  readonly role: string;
  /** The accessible name; of text and headings the text itself. */
  readonly name: string;
  /** States in words, separated by spaces. */
  readonly states: string;
  readonly value: string;
  /** The address of a link, where it was asked for. */
  readonly url: string;
  readonly inView: boolean;
  readonly children: readonly AxNode[];
}
