// The refs of one tab: short names for the elements of all its frames. A ref is never reused.

/** A document, identified by its frame id and loader id. A Frame has the same two properties. */
export interface ShownDocument {
  readonly id: string;
  readonly loaderId: string;
}

/**
 * The properties of an element when its ref was last shown, to identify it and to find it again.
 */
export interface ElementIdentity {
  readonly role: string;
  readonly name: string;
  /** Its tag if unusual, and its id or test id. */
  readonly key: string;
  /** Computed in the page by page/fingerprint.ts. */
  readonly fingerprint: string;
  /** The other words of its row, card or list item. */
  readonly beside: string;
}

export interface ElementEntry extends ElementIdentity {
  readonly kind: 'element';
  readonly ref: string;
  readonly frameId: string;
  readonly loaderId: string;
  readonly id: number;
}

/** A folded range of siblings. */
export interface RangeEntry {
  readonly kind: 'range';
  readonly ref: string;
  readonly frameId: string;
  readonly loaderId: string;
  readonly range: FoldedRange;
}

export interface FoldedRange {
  /** The element that contains the range; absent for the whole page. */
  readonly scope?: number;
  /** The last element before the range that has an id; absent for the start of the scope. */
  readonly anchor?: number;
  /** Number of nodes between the anchor and the start of the range. */
  readonly skip: number;
  /** Number of siblings; absent if the range extends to the end. */
  readonly count?: number;
  /** Start offset in the first text. */
  readonly offset?: number;
}

export type RefEntry = ElementEntry | RangeEntry;

/** Above this limit, refs of replaced documents are removed first, then the oldest refs. */
const MAX_ENTRIES = 100_000;

export class RefBook {
  #next = 1;
  readonly #entries = new Map<string, RefEntry>();
  readonly #byElement = new Map<number, string>();
  /** The loader id of the newest document in each frame. */
  readonly #shown = new Map<string, string>();

  /**
   * Returns the ref of an element; assigns one if it has none, and updates its recorded identity.
   */
  refOf(
    document: ShownDocument,
    id: number,
    identity: Omit<ElementIdentity, 'key'> & { readonly key?: string },
  ): string {
    const ref = this.#byElement.get(id) ?? this.#create();
    const before = this.#entries.get(ref);
    const { role, name, fingerprint, beside } = identity;
    const { key = before?.kind === 'element' ? before.key : '' } = identity;
    this.#byElement.set(id, ref);
    this.#shown.set(document.id, document.loaderId);
    this.#entries.set(ref, {
      kind: 'element',
      ref,
      frameId: document.id,
      loaderId: document.loaderId,
      id,
      role,
      name,
      key,
      fingerprint,
      beside,
    });
    if (!before) this.#forget();
    return ref;
  }

  /** The existing ref of an element. */
  given(id: number): string | undefined {
    return this.#byElement.get(id);
  }

  refOfRange(document: ShownDocument, range: FoldedRange): string {
    const ref = this.#create();
    this.#entries.set(ref, {
      kind: 'range',
      ref,
      frameId: document.id,
      loaderId: document.loaderId,
      range,
    });
    this.#forget();
    return ref;
  }

  find(ref: string): RefEntry | undefined {
    return this.#entries.get(ref);
  }

  /** Whether this ref was ever assigned. */
  hasGiven(ref: string): boolean {
    const number = Number(/^e(\d+)$/.exec(ref)?.[1]);
    return number > 0 && number < this.#next;
  }

  /** Removes the oldest entries that pass the test, until a tenth of the capacity is free. */
  #drop(test: (entry: RefEntry) => boolean): void {
    for (const [ref, entry] of this.#entries) {
      if (this.#entries.size <= MAX_ENTRIES * 0.9) return;
      if (!test(entry)) continue;
      this.#entries.delete(ref);
      if (entry.kind === 'element') this.#byElement.delete(entry.id);
    }
  }

  #create(): string {
    return `e${this.#next++}`;
  }

  #forget(): void {
    if (this.#entries.size <= MAX_ENTRIES) return;
    this.#drop(({ frameId, loaderId }) => this.#shown.get(frameId) !== loaderId);
    this.#drop(() => true);
  }
}
