// State of this JavaScript world for its document, kept if the page scripts are evaluated again.
import { isConnected, ownerDocument } from './safe-dom.ts';

interface State {
  /** The first id of this document. It is random, so ids of two documents almost never collide. */
  readonly base: number;
  /** Identifies this document; a new document has another value. */
  readonly document: string;
  nextId: number;
  readonly ids: WeakMap<Element, number>;
  readonly elements: Map<number, WeakRef<Element>>;
  /** Size of `elements` at which collected elements are removed from it. */
  sweepAt: number;
  readonly closedRoots: WeakMap<Element, ShadowRoot>;
  hasClosedRoots: boolean;
  /** Elements without a closed root, with the size that they had when they were checked. */
  readonly cleared: WeakMap<Element, string>;
  /** Number of checked custom elements without a closed root, by tag. */
  readonly clearedNames: Map<string, number>;
  /** Fingerprints of the DOM as it is now, by element (kept-fingerprints.ts). */
  readonly fingerprints: Map<Element, string>;
  suspects: Element[];
  /** Frame elements of the last walk. */
  frames: Element[];
}

/** The lower 32 of the 53 bits number the elements; the upper bits identify the document. */
const randomBase = (): number => (1 + Math.floor(Math.random() * 2 ** 20)) * 2 ** 32;

const create = (base = randomBase()): State => ({
  base,
  document: base.toString(36),
  nextId: base + 1,
  ids: new WeakMap(),
  elements: new Map(),
  sweepAt: 4096,
  closedRoots: new WeakMap(),
  hasClosedRoots: false,
  cleared: new WeakMap(),
  clearedNames: new Map(),
  fingerprints: new Map(),
  suspects: [],
  frames: [],
});

declare global {
  var __ocState: State | undefined;
}

export const state: State = (globalThis.__ocState ??= create());

// Assigns ids to elements; an element keeps its id, and no id is used twice.

export const assignId = (element: Element): number => {
  const known = state.ids.get(element);
  if (known !== undefined) return known;
  const id = state.nextId++;
  state.ids.set(element, id);
  state.elements.set(id, new WeakRef(element));
  if (state.elements.size > state.sweepAt) sweep();
  return id;
};

/** The element with this id, if it still exists, attached or detached. */
export const findElement = (id: number): Element | undefined => state.elements.get(id)?.deref();

/** Whether the element is still in this document. */
export const isHere = (element: Element): boolean =>
  isConnected(element) && ownerDocument(element) === document;

const sweep = (): void => {
  for (const [id, ref] of state.elements) if (ref.deref() === undefined) state.elements.delete(id);
  state.sweepAt = Math.max(4096, state.elements.size * 2);
};
