// Reads a stored payload: any byte range, or one page of bytes, text or items.
import { fail } from '../../core/failure.ts';
import { cutToBytes, isInsideCharacter, textIf } from '../../core/text.ts';
import { cutText, ItemPage, MAX_ITEM_BYTES, PAGE_BYTES, pick } from '../files/page-content.ts';
import type { MissingKey } from '../workers/query.ts';
import { describeHandle, type Descriptor } from './handle-descriptor.ts';
import { type HandleMeta, isTextual } from './handle-files.ts';
import { type IndexRun, ItemIndex, ItemScanner } from './handle-index.ts';
import type { PayloadBytes } from './payload-store.ts';

const CHUNK_BYTES = 256 * 1024;

/** A stored payload that is open for reading any byte range. */
export class OpenPayload implements AsyncDisposable {
  readonly meta: HandleMeta;
  readonly #bytes: PayloadBytes;
  /** Offset of the payload in the stored bytes. */
  readonly base: number;

  constructor(meta: HandleMeta, bytes: PayloadBytes) {
    this.meta = meta;
    this.#bytes = bytes;
    this.base = meta.part?.start ?? 0;
  }

  get sizeBytes(): number {
    return this.meta.size_bytes;
  }

  /** A file descriptor of the stored bytes, for a worker thread of this process. */
  openFile(): Promise<number> {
    return this.#bytes.openFile();
  }

  /** Index of the items; undefined if the payload cannot be addressed by item. */
  get index(): ItemIndex | undefined {
    return this.meta.items && new ItemIndex(this.meta.items);
  }

  /** The bytes from `start` to `end`, or fewer if the payload is shorter. */
  async read(start: number, end: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(end, this.sizeBytes) - start);
    const buffer = Buffer.allocUnsafe(length);
    await this.#bytes.read(buffer, this.base + start);
    return buffer;
  }

  async *chunks(start = 0, end = this.sizeBytes): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += CHUNK_BYTES)
      yield await this.read(at, Math.min(at + CHUNK_BYTES, end));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bytes[Symbol.asyncDispose]();
  }
}

export interface PayloadPage {
  /** The requested offset, moved back to the start of a character for text. */
  readonly offset: number;
  readonly returned: number;
  readonly total: number;
  readonly content: unknown;
  /** The object around the items; only in the first page. */
  readonly envelope?: unknown;
  readonly missing?: MissingKey | undefined;
}

/**
 * Bytes of a page before base64 encoding. A multiple of three, so that pages have no padding and can
 * be concatenated.
 */
const BASE64_BYTES = (PAGE_BYTES / 4) * 3;

export const bytesPage = async (
  payload: OpenPayload,
  offset: number,
  limit: number,
): Promise<PayloadPage> => {
  const bytes = await payload.read(offset, offset + Math.min(limit, BASE64_BYTES));
  return {
    offset,
    returned: bytes.length,
    total: payload.sizeBytes,
    content: bytes.toString('base64'),
  };
};

export const textPage = async (
  payload: OpenPayload,
  offset: number,
  limit: number,
): Promise<PayloadPage> => {
  if (!isTextual(payload.meta.mime_type)) throw wrongFormat('text', payload.meta);
  const total = payload.sizeBytes;
  if (offset >= total) return { offset, returned: 0, total, content: '' };
  const before = Math.min(offset, 3);
  const bytes = await payload.read(offset - before, offset + Math.min(limit, PAGE_BYTES) + 1);
  return {
    ...cutText(bytes, before, limit, total - offset),
    offset: offset - isInsideCharacter(bytes, before),
    total,
  };
};

/** Creates handles for items that are larger than a page. */
export interface References {
  /** For a part of the payload. */
  part(payload: OpenPayload, start: number, end: number): Promise<HandleMeta>;
  /** For a value that is not stored yet. */
  value(value: unknown, sourceTool: string): Promise<HandleMeta>;
}

interface ItemsOptions {
  readonly offset: number;
  readonly limit: number;
  readonly fields?: readonly string[] | undefined;
}

/**
 * Maximum bytes scanned for one page; selecting few fields of many items would otherwise read
 * everything.
 */
const SCANNED_BYTES = 8 * 1024 * 1024;
/** Larger items are not parsed to select fields. */
const PARSED_ITEM_BYTES = 8 * 1024 * 1024;
const REFERENCE_PREVIEW_BYTES = 512;

export const itemsPage = async (
  payload: OpenPayload,
  options: ItemsOptions,
  references: References,
): Promise<PayloadPage> => {
  const { index } = payload;
  if (!index) throw wrongFormat('items', payload.meta);
  const filler = new PageFiller(payload, options, references);
  let scanned = 0;
  for (const run of index.from(options.offset)) {
    if ((scanned += run.bytes) > SCANNED_BYTES && filler.content.length > 0) break;
    if (!(await filler.take(run))) break;
  }
  const envelope = options.offset === 0 ? await readEnvelope(payload, references) : {};
  return {
    offset: options.offset,
    returned: filler.content.length,
    total: payload.meta.item_count ?? 0,
    content: filler.content,
    ...envelope,
  };
};

class PageFiller {
  readonly #page = new ItemPage();
  readonly #payload: OpenPayload;
  readonly #options: ItemsOptions;
  readonly #references: References;

  constructor(payload: OpenPayload, options: ItemsOptions, references: References) {
    this.#payload = payload;
    this.#options = options;
    this.#references = references;
  }

  get content(): readonly unknown[] {
    return this.#page.content;
  }

  /** Adds the items of a run. Returns false when the page is full. */
  async take(run: IndexRun): Promise<boolean> {
    const { limit, fields } = this.#options;
    if (this.content.length >= limit) return false;
    if (run.count === 1 && run.bytes > (fields ? PARSED_ITEM_BYTES : MAX_ITEM_BYTES))
      return this.#addPart(run);
    const bytes = await this.#payload.read(run.start, run.start + run.bytes);
    return fields ? this.#addFields(run, bytes, fields) : this.#addItems(run, bytes);
  }

  /** Finds item boundaries in the bytes, so that only the returned items are parsed. */
  #addItems(run: IndexRun, bytes: Buffer): boolean {
    const { offset, limit } = this.#options;
    const ends = itemEnds(bytes);
    for (let i = Math.max(0, offset - run.first); i < run.count; i++) {
      if (this.content.length >= limit) return false;
      const start = i === 0 ? 0 : (ends[i - 1] ?? 0) + 1;
      const end = ends[i] ?? bytes.length;
      if (!this.#page.has(end - start)) return false;
      this.#page.add(JSON.parse(bytes.toString('utf8', start, end)), end - start);
    }
    return true;
  }

  async #addFields(run: IndexRun, bytes: Buffer, fields: readonly string[]): Promise<boolean> {
    const { offset, limit } = this.#options;
    const items = JSON.parse(`[${bytes.toString('utf8')}]`) as unknown[];
    for (const item of items.slice(Math.max(0, offset - run.first))) {
      if (this.content.length >= limit || !(await this.#addPicked(pick(item, fields))))
        return false;
    }
    return true;
  }

  async #addPicked(item: unknown): Promise<boolean> {
    const text = JSON.stringify(item);
    const bytes = Buffer.byteLength(text);
    if (bytes <= MAX_ITEM_BYTES) return this.#page.add(item, bytes);
    if (!this.#page.takesReference) return false;
    this.#page.addReference(
      referenceTo(await this.#references.value(item, this.#payload.meta.source_tool), text),
    );
    return true;
  }

  async #addPart({ start, bytes }: IndexRun): Promise<boolean> {
    if (!this.#page.takesReference) return false;
    const beginning = await this.#payload.read(start, start + REFERENCE_PREVIEW_BYTES);
    const meta = await this.#references.part(this.#payload, start, start + bytes);
    this.#page.addReference(
      referenceTo(meta, cutText(beginning, 0, beginning.length - 3, bytes).content),
    );
    return true;
  }
}

/** End offsets of the items of a run. */
const itemEnds = (bytes: Buffer): number[] => {
  const ends: number[] = [];
  const scanner = new ItemScanner((_, end) => ends.push(end - 1));
  scanner.feed(OPEN_ARRAY);
  scanner.feed(bytes);
  ends.push(bytes.length);
  return ends;
};

const OPEN_ARRAY = Buffer.from('[');

/** The descriptor that replaces an item that is larger than a page. */
export const referenceTo = (meta: HandleMeta, beginning: string): Descriptor =>
  describeHandle(meta, cutToBytes(beginning, REFERENCE_PREVIEW_BYTES));

/** The object without its items; empty if the payload is an array. */
const readEnvelope = async (
  payload: OpenPayload,
  references: References,
): Promise<{ envelope?: unknown }> => {
  const { items, source_tool: sourceTool } = payload.meta;
  if (items?.key === undefined) return {};
  const around = await Promise.all([
    payload.read(0, items.start),
    payload.read(items.end, payload.sizeBytes),
  ]);
  const { [items.key]: _, ...envelope } = JSON.parse(
    Buffer.concat(around).toString('utf8'),
  ) as Record<string, unknown>;
  const text = JSON.stringify(envelope);
  if (Buffer.byteLength(text) <= PAGE_BYTES) return { envelope };
  return { envelope: referenceTo(await references.value(envelope, sourceTool), text) };
};

export const wrongFormat = (
  wanted: string,
  { mime_type: mimeType, item_count: itemCount }: HandleMeta,
): Error =>
  fail(
    'invalid_format_for_payload',
    `A payload of type ${mimeType}${textIf(itemCount === null, ' without items')} cannot be ` +
      `returned as ${wanted}.`,
    {
      mime_type: mimeType,
      item_count: itemCount,
    },
  );
