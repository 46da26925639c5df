// A bounded list in order of first sight: reading never drains it, the oldest give way, and what
// went is counted.

export interface RingItem {
  /** Grows with every item; an item's number is the cursor behind which the later ones stand. */
  readonly sequence: number;
  /** Memory that the item holds, roughly. */
  heldBytes: number;
}

/** What readers see of a ring. */
export interface Recording<T> extends Iterable<T> {
  readonly size: number;
  readonly heldBytes: number;
  /** How many were pushed out since the start. */
  readonly evicted: number;
  /** The number of the newest item: `since(cursor)` later gives what came after. */
  readonly cursor: number;
  /** Items after the cursor, oldest first. */
  since(cursor: number, limit?: number): T[];
  find(sequence: number): T | undefined;
}

export class Ring<T extends RingItem> implements Recording<T> {
  #items: T[] = [];
  #head = 0;
  #heldBytes = 0;
  #evicted = 0;
  #cursor = 0;

  constructor(
    private readonly limits: { readonly count: number; readonly bytes: number },
    private readonly onEvict: (item: T) => void = () => {},
  ) {}

  get size(): number {
    return this.#items.length - this.#head;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get evicted(): number {
    return this.#evicted;
  }

  get cursor(): number {
    return this.#cursor;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#cursor = item.sequence;
    this.#heldBytes += item.heldBytes;
    this.#shrink();
  }

  /**
   * Accounts for an item that got larger (or smaller) after it was pushed; one that was evicted
   * counts no more.
   */
  grow(item: T, bytes: number): void {
    if (this.find(item.sequence) !== item) return;
    item.heldBytes += bytes;
    this.#heldBytes += bytes;
    this.#shrink();
  }

  since(cursor: number, limit = Infinity): T[] {
    const from = this.#indexAfter(cursor);
    return this.#items.slice(from, Math.min(this.#items.length, from + limit));
  }

  find(sequence: number): T | undefined {
    const item = this.#items[this.#indexAfter(sequence - 1)];
    return item?.sequence === sequence ? item : undefined;
  }

  /** Newest first, for looking back. */
  *newestFirst(): Generator<T> {
    for (let index = this.#items.length - 1; index >= this.#head; index--)
      yield this.#items[index] as T;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.slice(this.#head)[Symbol.iterator]();
  }

  /**
   * The newest item always stays, however large: a list that says nothing of what just happened is
   * of no use.
   */
  #shrink(): void {
    while (this.size > 1 && (this.size > this.limits.count || this.#heldBytes > this.limits.bytes))
      this.#evictOldest();
    // Cutting off the evicted half at a time keeps a push cheap whatever the size.
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }

  #evictOldest(): void {
    const oldest = this.#items[this.#head] as T;
    (this.#items as (T | undefined)[])[this.#head++] = undefined;
    this.#heldBytes -= oldest.heldBytes;
    this.#evicted++;
    this.onEvict(oldest);
  }

  /**
   * Where the first item with a larger number stands (numbers may have gaps: several tabs can share
   * one counter).
   */
  #indexAfter(sequence: number): number {
    let low = this.#head;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle] as T).sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
