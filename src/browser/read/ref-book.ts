// The refs of one tab: short names for elements of all its frames, each given once and never again.

/** A document, known by its frame's id and its loader's; a frame is the document that it shows. */
export interface ShownDocument {
  readonly id: string;
  readonly loaderId: string;
}

/**
 * What an element was when its ref was last shown: enough to tell it from another, and to find it
 * again.
 */
export interface ElementIdentity {
  readonly role: string;
  readonly name: string;
  /** Its tag where that is unusual, and the id or test id that its author gave it. */
  readonly key: string;
  /** Computed in the page by one function, see page-scripts/fingerprint.ts. */
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

/** A run of neighbours that was folded: where it starts, and how far it goes. */
export interface RangeEntry {
  readonly kind: 'range';
  readonly ref: string;
  readonly frameId: string;
  readonly loaderId: string;
  readonly range: FoldedRange;
}

export interface FoldedRange {
  /** The element in which all this stands; absent for the whole page. */
  readonly scope?: number;
  /** The last element before the range that has a number; absent for the start of the scope. */
  readonly anchor?: number;
  /** How many nodes after the anchor the range starts. */
  readonly skip: number;
  /** How many neighbours it holds; absent where it goes on to the end. */
  readonly count?: number;
  /** Where in the first text it starts. */
  readonly offset?: number;
}

export type RefEntry = ElementEntry | RangeEntry;

/** Beyond this, refs of documents that are gone are forgotten first, then the oldest. */
const MAX_ENTRIES = 100_000;

export class RefBook {
  #next = 1;
  readonly #entries = new Map<string, RefEntry>();
  readonly #byElement = new Map<number, string>();
  /** The loader of the newest document in each frame. */
  readonly #shown = new Map<string, string>();

  /** The ref of an element, new if it has none; what it is now becomes what it was. */
  refOf(
    document: ShownDocument,
    id: number,
    identity: Omit<ElementIdentity, 'key'> & { readonly key?: string },
  ): string {
    const ref = this.#byElement.get(id) ?? this.#create();
    const before = this.#entries.get(ref);
    const { role, name, fingerprint, beside } = identity;
    const key = identity.key ?? (before?.kind === 'element' ? before.key : '');
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

  /** The ref that an element has already. */
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

  /** Whether a ref of this number was ever given. */
  hasGiven(ref: string): boolean {
    const number = Number(/^e(\d+)$/.exec(ref)?.[1]);
    return number > 0 && number < this.#next;
  }

  /** Forgets the oldest that pass, until a tenth is free. */
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
