// Serialises a payload as pieces of text, each with the number of whole items that it contains.
import { isUtf8 } from 'node:buffer';
import { listDefined } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { cutToCharacters } from '../../core/text.ts';
import { MAX_ITEM_BYTES } from '../files/page-content.ts';

/** Items are packed into pieces of this size, so that finding one item reads one piece. */
export const PACKED_BYTES = 32 * 1024;
const TEXT_PIECE_CHARS = 1024 * 1024;

export interface PayloadPiece {
  readonly text: string;
  readonly bytes: number;
  /** Number of whole items, joined by commas; 0 for the text around and between items. */
  readonly items: number;
}

export interface Payload {
  readonly mimeType: string;
  /**
   * Present if the payload can be addressed by item. `key` names the array, unless the payload is
   * the array itself.
   */
  readonly items?: { readonly key?: string };
  pieces(): Iterable<PayloadPiece>;
}

/** A binary payload. Its MIME type is textual only if the bytes are valid UTF-8. */
export interface BinaryPayload {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export const binaryPayload = (bytes: Uint8Array, mimeType: string): BinaryPayload => {
  const textual = mimeType === 'application/json' || mimeType.startsWith('text/');
  return { bytes, mimeType: textual && !isUtf8(bytes) ? 'application/octet-stream' : mimeType };
};

const around = (text: string): PayloadPiece => ({ text, bytes: Buffer.byteLength(text), items: 0 });

export const textPayload = (text: string, mimeType = 'text/markdown'): Payload => ({
  mimeType,
  pieces: () => piecesOfText(cutToCharacters(text)),
});

function* piecesOfText(text: string): Generator<PayloadPiece> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + TEXT_PIECE_CHARS, text.length);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to--;
    yield around(text.slice(from, to));
    from = to;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/**
 * The same bytes as JSON.stringify. The items are the array under `itemsKey`, or `value` if it is
 * an array.
 */
export const jsonPayload = (value: unknown, itemsKey?: string): Payload => {
  const items = findItems(value, itemsKey);
  if (!items) {
    let whole: PayloadPiece | undefined; // cache, because pieces() may be called again
    return {
      mimeType: 'application/json',
      pieces: () => [(whole ??= around(JSON.stringify(value) ?? 'null'))],
    };
  }
  const key = Array.isArray(value) ? undefined : itemsKey;
  return {
    mimeType: 'application/json',
    items: defined({ key }),
    pieces: () => piecesAround(value as object, items, key),
  };
};

const findItems = (value: unknown, key: string | undefined): readonly unknown[] | undefined => {
  if (Array.isArray(value)) return value;
  const items: unknown =
    key !== undefined && typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return Array.isArray(items) ? items : undefined;
};

function* piecesAround(
  value: object,
  items: readonly unknown[],
  key: string | undefined,
): Generator<PayloadPiece> {
  const [before, after] = key === undefined ? ['[', ']'] : wrapping(value, key);
  yield around(before);
  let first = true;
  for (const piece of packed(items)) {
    if (!first) yield COMMA;
    yield piece;
    first = false;
  }
  yield around(after);
}

const COMMA = around(',');

/** The text of the object before and after its items. */
const wrapping = (value: object, key: string): [before: string, after: string] => {
  const entries = Object.entries(value);
  const at = entries.findIndex(([name]) => name === key);
  const before = entries.slice(0, at).flatMap(member);
  const after = entries.slice(at + 1).flatMap(member);
  return [
    `{${[...before, `${JSON.stringify(key)}:[`].join(',')}`,
    `]${after.map((text) => `,${text}`).join('')}}`,
  ];
};

const member = ([name, value]: [string, unknown]): string[] => {
  const text = JSON.stringify(value) as string | undefined;
  return listDefined(ifDefined(text, (text) => `${JSON.stringify(name)}:${text}`));
};

/**
 * Serialises several items at a time, for speed. An item larger than a page gets its own piece, so
 * that reading its neighbours does not read it.
 */
function* packed(items: readonly unknown[]): Generator<PayloadPiece> {
  let step = 1;
  for (let from = 0; from < items.length;) {
    const some = items.slice(from, from + step);
    const text = JSON.stringify(some).slice(1, -1);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_ITEM_BYTES && some.length > 1) {
      step = some.length >> 1; // too large: retry with half of the items
      continue;
    }
    yield { text, bytes, items: some.length };
    from += some.length;
    step = Math.max(1, Math.floor((some.length * PACKED_BYTES) / (bytes + 1)));
  }
}
