// Fills one page of a fetch (64 KiB) with whole characters or items. Pure; workers use it too.
import { isInsideCharacter } from '../../core/text.ts';

/** Maximum size of one page of a fetch. */
export const PAGE_BYTES = 64 * 1024;
/** A larger item does not fit into a page together with its brackets. */
export const MAX_ITEM_BYTES = PAGE_BYTES - 2;
/** Each reference to a large item creates a file. */
const MAX_REFERENCES = 16;
/** Space reserved for a reference with its preview. */
const REFERENCE_BYTES = 4000;

/**
 * Cuts `bytes` between characters, starting at the character that contains `from`. Returns at most
 * `limit` bytes and nothing after `from + rest`.
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

/** Collects items until the page is full. */
export class ItemPage {
  readonly content: unknown[] = [];
  #bytes = 2;
  #references = 0;

  /** Returns whether an item of this size fits. */
  has(bytes: number): boolean {
    return this.#bytes + bytes + 1 <= PAGE_BYTES + (this.content.length > 0 ? 0 : 1);
  }

  /** Returns false if the item does not fit. */
  add(item: unknown, bytes: number): boolean {
    if (!this.has(bytes)) return false;
    this.#bytes += bytes + (this.content.length > 0 ? 1 : 0);
    this.content.push(item);
    return true;
  }

  /** Whether another reference to a large item fits. */
  get takesReference(): boolean {
    return this.#references < MAX_REFERENCES && this.#bytes + REFERENCE_BYTES < PAGE_BYTES;
  }

  addReference(reference: unknown): void {
    this.#references++;
    this.add(reference, REFERENCE_BYTES);
  }
}

/** Keeps only the given fields of an object; other values are returned unchanged. */
export const pick = (item: unknown, fields: readonly string[] | undefined): unknown => {
  if (!fields || typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const object = item as Record<string, unknown>;
  return Object.fromEntries(
    fields.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  );
};
