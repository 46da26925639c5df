// What this world remembers about its document from one call to the next; it survives a second evaluation of the scripts.

interface State {
  /** Names this document: a new one has another. */
  readonly document: string;
  nextId: number;
  readonly ids: WeakMap<Element, number>;
  readonly elements: Map<number, WeakRef<Element>>;
  /** When the map of elements is next freed of the dead. */
  sweepAt: number;
  readonly closedRoots: WeakMap<Element, ShadowRoot>;
  /** Elements that were found to have no closed root, with the size they had then. */
  readonly cleared: WeakMap<Element, string>;
  /** How many custom elements of a name were found without a closed root. */
  readonly clearedNames: Map<string, number>;
  suspects: Element[];
}

const random = (): string => Math.random().toString(36).slice(2, 10);

const create = (): State => ({
  document: random() + random(),
  nextId: 1,
  ids: new WeakMap(),
  elements: new Map(),
  sweepAt: 4096,
  closedRoots: new WeakMap(),
  cleared: new WeakMap(),
  clearedNames: new Map(),
  suspects: [],
});

const holder = globalThis as unknown as { __ocState?: State };
export const state: State = (holder.__ocState ??= create());
