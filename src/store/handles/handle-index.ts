// The index of a stored array: runs of items, so that any item is found without parsing the rest.
import type { HandleMeta } from './handle-files.ts';
import { PACKED_BYTES, type PayloadPiece } from './handle-payload.ts';
import { MAX_ITEM_BYTES } from '../files/page-content.ts';

/** Consecutive items that are read together. One comma separates two runs. */
export interface IndexRun {
  readonly first: number;
  readonly count: number;
  readonly start: number;
  readonly bytes: number;
}

type StoredIndex = NonNullable<HandleMeta['items']>;

/** Builds the index while a payload is written. */
export class IndexBuilder {
  #position = 0;
  #start = -1;
  #end = -1;
  #count = 0;
  readonly #runs: number[] = [];

  add({ bytes, items }: PayloadPiece): void {
    if (items > 0) {
      this.#end = this.#position + bytes;
      this.#runs.push(items, bytes);
      this.#count += items;
    }
    this.#position += bytes;
    // the items start after the first piece
    if (this.#start < 0) this.#start = this.#end = this.#position;
  }

  get sizeBytes(): number {
    return this.#position;
  }

  get itemCount(): number {
    return this.#count;
  }

  toStored(): StoredIndex {
    return { start: this.#start, end: this.#end, runs: this.#runs };
  }
}

/** Finds items in a stored array. */
export class ItemIndex {
  readonly #stored: StoredIndex;

  constructor(stored: StoredIndex) {
    this.#stored = stored;
  }

  /**
   * Yields runs, starting with the one that contains `item`. Skipping thousands of runs takes
   * microseconds.
   */
  *from(item: number): Generator<IndexRun> {
    const { start, runs } = this.#stored;
    let first = 0;
    let position = start;
    for (let i = 0; i + 1 < runs.length; i += 2) {
      const count = runs[i] ?? 0;
      const bytes = runs[i + 1] ?? 0;
      if (first + count > item) yield { first, count, start: position, bytes };
      first += count;
      position += bytes + 1;
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Finds item boundaries in a compact JSON array on disk, chunk by chunk. */
export class ItemScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #position = 0;
  #itemStart = 1;
  readonly #onItem: (start: number, end: number) => void;

  constructor(onItem: (start: number, end: number) => void) {
    this.#onItem = onItem;
  }

  feed(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (byte === QUOTE) this.#inString = false;
        else if (byte === BACKSLASH) this.#escaped = true;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#depth++;
      else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (--this.#depth === 0) this.#item(this.#position + i);
      } else if (byte === COMMA && this.#depth === 1) this.#item(this.#position + i);
    }
    this.#position += chunk.length;
  }

  #item(end: number): void {
    if (end > this.#itemStart) this.#onItem(this.#itemStart, end);
    this.#itemStart = end + 1;
  }
}

/** Packs scanned items into runs, with the same size limits as when a payload is written. */
export class RunPacker {
  readonly runs: number[] = [];
  #count = 0;
  #bytes = 0;
  itemCount = 0;
  end = 1;

  add(start: number, end: number): void {
    const bytes = end - start;
    if (bytes > MAX_ITEM_BYTES) this.#close();
    this.#count++;
    this.itemCount++;
    this.#bytes += bytes + 1;
    this.end = end;
    if (this.#bytes > PACKED_BYTES) this.#close();
  }

  #close(): void {
    if (this.#count === 0) return;
    this.runs.push(this.#count, this.#bytes - 1);
    this.#count = 0;
    this.#bytes = 0;
  }

  finish(): StoredIndex {
    this.#close();
    return { start: 1, end: this.end, runs: this.runs };
  }
}
