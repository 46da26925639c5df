// The tree of a page: the nodes that are readable or usable.

export type AxKind = 'text' | 'heading' | 'control' | 'group' | 'item' | 'image' | 'frame' | 'note';

export interface AxNode {
  readonly kind: AxKind;
  /** The ARIA role (Chrome's role if ARIA has none), the level of a heading, or row or item. */
  readonly role: string;
  /** The accessible name; for text and headings, the text itself. */
  readonly name: string;
  /** States, separated by spaces. */
  readonly states: string;
  readonly value: string;
  /** The address of a link, if it was requested. */
  readonly url: string;
  readonly inView: boolean;
  readonly children: readonly AxNode[];
}
