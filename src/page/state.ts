// What this world remembers about its document from one call to the next; it survives a second
// evaluation of the scripts.

export interface State {
  /**
   * The first number of this document: another document starts elsewhere, so that no number is ever
   * met twice.
   */
  readonly base: number;
  /** Names this document: a new one has another. */
  readonly document: string;
  nextId: number;
  readonly ids: WeakMap<Element, number>;
  readonly elements: Map<number, WeakRef<Element>>;
  /** When the map of elements is next freed of the dead. */
  sweepAt: number;
  readonly closedRoots: WeakMap<Element, ShadowRoot>;
  hasClosedRoots: boolean;
  /** Elements that were found to have no closed root, with the size they had then. */
  readonly cleared: WeakMap<Element, string>;
  /** How many custom elements of a name were found without a closed root. */
  readonly clearedNames: Map<string, number>;
  suspects: Element[];
  /** Elements that show other documents, of the last walk. */
  frames: Element[];
}

/**
 * Of the 53 bits of a number 32 count the elements of a document, the others tell documents apart.
 */
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
  suspects: [],
  frames: [],
});

const holder = globalThis as unknown as { __ocState?: State };
export const state: State = (holder.__ocState ??= create());
