// A stored payload that is open for reading any byte range.
import type { HandleMeta } from './handle-files.ts';
import { ItemIndex } from './handle-index.ts';
import type { PayloadBytes } from './payload-store.ts';

const CHUNK_BYTES = 256 * 1024;

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
