// A stored payload that is open for reading any byte range.
import type { FileHandle } from 'node:fs/promises';
import type { HandleMeta } from './handle-files.ts';
import { ItemIndex } from './handle-index.ts';

const CHUNK_BYTES = 256 * 1024;

export class OpenPayload implements AsyncDisposable {
  readonly meta: HandleMeta;
  readonly #file: FileHandle;
  /** Offset of the payload in the file. */
  readonly base: number;

  constructor(meta: HandleMeta, file: FileHandle) {
    this.meta = meta;
    this.#file = file;
    this.base = meta.part?.start ?? 0;
  }

  get sizeBytes(): number {
    return this.meta.size_bytes;
  }

  /** File descriptor for a worker thread of this process. */
  get fd(): number {
    return this.#file.fd;
  }

  /** Index of the items; undefined if the payload cannot be addressed by item. */
  get index(): ItemIndex | undefined {
    return this.meta.items && new ItemIndex(this.meta.items);
  }

  /** The bytes from `start` to `end`, or fewer if the payload is shorter. */
  async read(start: number, end: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(end, this.sizeBytes) - start);
    const buffer = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const { bytesRead } = await this.#file.read(
        buffer,
        got,
        length - got,
        this.base + start + got,
      );
      if (bytesRead === 0)
        throw Object.assign(new Error('the file is shorter than it was'), { code: 'EIO' });
      got += bytesRead;
    }
    return buffer;
  }

  async *chunks(start = 0, end = this.sizeBytes): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += CHUNK_BYTES)
      yield await this.read(at, Math.min(at + CHUNK_BYTES, end));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
