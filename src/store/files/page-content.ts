// What fits into one page of a fetch: whole characters, whole items, never more than 64 KiB. Pure,
// for worker threads too.
import { isInsideCharacter } from '../../core/text.ts';

/** What one page of a fetch may hold. */
export const PAGE_BYTES = 64 * 1024;
/** An item above this does not fit into a page together with the brackets around it. */
export const MAX_ITEM_BYTES = PAGE_BYTES - 2;
/** References to large items cost a file each. */
const MAX_REFERENCES = 16;
/** What a reference takes of a page, with its preview, whatever is in it. */
const REFERENCE_BYTES = 4000;

/**
 * Whole characters of `bytes`, from the one that `from` lies in, at most `limit` bytes of them and
 * of the `rest` behind `from`.
 */
export const cutText = (
  bytes: Buffer,
  from: number,
  limit: number,
  rest: number,
): { returned: number; content: string } => {
  const start = from - isInsideCharacter(bytes, from);
  let end = Math.min(start + Math.min(limit, PAGE_BYTES), from + rest);
  if (end < bytes.length) end -= isInsideCharacter(bytes, end);
  return { returned: end - start, content: bytes.toString('utf8', start, end) };
};

/** Gathers items until the page is full. */
export class ItemPage {
  readonly content: unknown[] = [];
  #bytes = 2;
  #references = 0;

  /** Whether there is room for an item of this size. */
  has(bytes: number): boolean {
    return this.#bytes + bytes + 1 <= PAGE_BYTES + (this.content.length > 0 ? 0 : 1);
  }

  /** Whether there was room for it. */
  add(item: unknown, bytes: number): boolean {
    if (!this.has(bytes)) return false;
    this.#bytes += bytes + (this.content.length > 0 ? 1 : 0);
    this.content.push(item);
    return true;
  }

  /** Whether there is room for a reference to an item that is too large. */
  get takesReference(): boolean {
    return this.#references < MAX_REFERENCES && this.#bytes + REFERENCE_BYTES < PAGE_BYTES;
  }

  addReference(reference: unknown): void {
    this.#references++;
    this.add(reference, REFERENCE_BYTES);
  }
}

/** Keeps only these fields of an item; an item without fields stays what it is. */
export const pick = (item: unknown, fields: readonly string[] | undefined): unknown => {
  if (!fields || typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const object = item as Record<string, unknown>;
  return Object.fromEntries(
    fields.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
};
