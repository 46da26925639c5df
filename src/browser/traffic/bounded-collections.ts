// Collections with a limit: a list that evicts its oldest items, a map, and short shared texts.
import { valueIf } from '../../core/defined.ts';
import { attempt } from '../../core/attempt.ts';

export interface RingItem {
  /** Increases with every item; use it as a cursor to get later items. */
  readonly sequence: number;
  /** Approximate memory size of the item. */
  heldBytes: number;
}

/** The read-only view of a ring. */
export interface Recording<T> extends Iterable<T> {
  readonly size: number;
  readonly heldBytes: number;
  /** Number of items evicted since the start. */
  readonly evicted: number;
  /** The sequence of the newest item; pass it to `since` to get later items. */
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

  /** Updates the size of an item after it was pushed; ignores evicted items. */
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
    return valueIf(item?.sequence === sequence, item);
  }

  /** Iterates from the newest to the oldest item. */
  *newestFirst(): Generator<T> {
    for (let index = this.#items.length - 1; index >= this.#head; index--)
      yield this.#items[index] as T;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.slice(this.#head)[Symbol.iterator]();
  }

  /** Never evicts the newest item, even if it exceeds the limit alone. */
  #shrink(): void {
    while (this.size > 1 && (this.size > this.limits.count || this.#heldBytes > this.limits.bytes))
      this.#evictOldest();
    // Evicted items are removed in halves of the array, which keeps a push cheap.
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
   * Index of the first item with a larger sequence. Sequences may have gaps, because tabs can
   * share a counter.
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

/** A map with a maximum size that evicts its oldest entries. */
export class BoundedMap<K, V> extends Map<K, V> {
  constructor(private readonly limit: number) {
    super();
  }

  override set(key: K, value: V): this {
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.limit) break;
      this.delete(oldest);
    }
    return this;
  }
}

// Keeps texts from the page small: truncates at a limit and shares repeated values.

/** The first `limit` UTF-16 units of a text, without splitting a surrogate pair. */
export const clip = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  // Copy the text: a slice would keep the whole original in memory.
  return copyText(text.slice(0, cutsPair ? limit - 1 : limit));
};

const copyText = (text: string): string => Buffer.from(text).toString();

/** Decoded size of a base64 text. */
export const base64Bytes = (base64: string): number => {
  return Math.floor((base64.length * 3) / 4) - countPadding(base64);
};

const countPadding = (base64: string): number => {
  if (base64.endsWith('==')) return 2;
  return base64.endsWith('=') ? 1 : 0;
};

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as text; undefined if they are not valid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined =>
  attempt(() => strictUtf8.decode(bytes));

/** Long enough for large cookie headers. */
const MAX_SHARED_LENGTH = 8 * 1024;
const MAX_SHARED_TOTAL = 512 * 1024;

/** Keeps one copy of values that every request repeats (user agent, cookies, server …). */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  #total = 0;

  share(text: string): string {
    if (text.length > MAX_SHARED_LENGTH) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#total += text.length;
    if (this.#total > MAX_SHARED_TOTAL) {
      this.#texts.clear();
      this.#total = text.length;
    }
    this.#texts.set(text, text);
    return text;
  }

  /** Shares the values in place: the object was just parsed from a CDP message. */
  shareValues<T extends Record<string, string>>(values: T): T {
    for (const name in values)
      (values as Record<string, string>)[name] = this.share(values[name] as string);
    return values;
  }
}
