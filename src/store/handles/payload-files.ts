// Stores payloads in files, one folder per day; the default of all handles.
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDay } from '../files/jsonl-log.ts';
import type { Swept } from '../files/sweeper.ts';
import { allMetas, findMeta, type HandleMeta, openOwnFile, payloadPath } from './handle-files.ts';
import type { BinaryPayload, Payload } from './handle-payload.ts';
import { sweepHandles } from './handle-sweep.ts';
import { writeHandle, writeMeta } from './handle-write.ts';
import type { PayloadBytes, PayloadStore, PayloadWriteOptions } from './payload-store.ts';

export class PayloadFiles implements PayloadStore {
  readonly #root: string;

  constructor(folder: string) {
    this.#root = folder;
  }

  write(payload: Payload | BinaryPayload, options: PayloadWriteOptions): Promise<HandleMeta> {
    return writeHandle(payload, { ...options, folder: this.#findDay(options.now) });
  }

  writeMeta(meta: HandleMeta): Promise<void> {
    return writeMeta(this.#findDay(Date.parse(meta.created_at)), meta);
  }

  async findMeta(handle: string): Promise<HandleMeta | undefined> {
    return (await findMeta(this.#root, handle))?.meta;
  }

  async openBytes(meta: HandleMeta): Promise<PayloadBytes | undefined> {
    const folder = this.#findDay(Date.parse(meta.created_at));
    const file = await openOwnFile(payloadPath(folder, meta.output_handle, meta.mime_type));
    return file && new FileBytes(file, (await file.stat()).size);
  }

  listMetas(): Promise<HandleMeta[]> {
    return allMetas(this.#root);
  }

  sweep(options: { readonly now: number; readonly maxTotalBytes: number }): Promise<Swept> {
    return sweepHandles(this.#root, options);
  }

  #findDay(now: number): string {
    return join(this.#root, formatDay(now));
  }
}

class FileBytes implements PayloadBytes {
  readonly #file: FileHandle;
  readonly sizeBytes: number;

  constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.sizeBytes = sizeBytes;
  }

  async read(buffer: Uint8Array, position: number): Promise<void> {
    let got = 0;
    while (got < buffer.length) {
      const { bytesRead } = await this.#file.read(buffer, got, buffer.length - got, position + got);
      if (bytesRead === 0)
        throw Object.assign(new Error('the file is shorter than it was'), { code: 'EIO' });
      got += bytesRead;
    }
  }

  async openFile(): Promise<number> {
    return this.#file.fd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
