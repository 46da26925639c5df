// Writes a payload and its sidecar crash-safely: either complete, or recognisable as leftovers.
import { closeSync, fsync, openSync, renameSync, write, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { fail } from '../../core/failure.ts';
import { isMissing } from '../../system/disk-error.ts';
import { ensureFolderNow, PRIVATE_FILE } from '../../system/private-files.ts';
import { metaPath, payloadPath, temporaryPath, type HandleMeta } from './handle-files.ts';
import { IndexBuilder } from './handle-index.ts';
import type { BinaryPayload, Payload, PayloadPiece } from './handle-payload.ts';
import type { PayloadWriteOptions, WrittenPayload } from './payload-store.ts';

/** Pieces are collected up to this size before they are written. */
const WRITE_BYTES = 1024 * 1024;

interface WriteOptions extends PayloadWriteOptions {
  readonly folder: string;
}

/**
 * The sidecar is renamed first and the payload last. So a payload with its final name is always
 * complete, and a sidecar without payload names its writer, which shows a sweep whether to wait.
 */
export const writeHandle = async (
  payload: Payload | BinaryPayload,
  options: WriteOptions,
): Promise<HandleMeta> => {
  const { folder, handle } = options;
  const body = payloadPath(folder, handle, payload.mimeType);
  const sidecar = metaPath(folder, handle);
  const [bodyPart, sidecarPart] = [body, sidecar].map((path) =>
    temporaryPath(folder, basename(path)),
  ) as [string, string];
  try {
    const meta = await writeBoth(payload, bodyPart, sidecarPart, options);
    renameSync(sidecarPart, sidecar);
    renameSync(bodyPart, body);
    return meta;
  } catch (error) {
    for (const path of [bodyPart, sidecarPart, sidecar])
      await rm(path, { force: true }).catch(() => {});
    throw error;
  }
};

const writeBoth = async (
  payload: Payload | BinaryPayload,
  bodyPart: string,
  sidecarPart: string,
  { folder, maxBytes, metaOf }: WriteOptions,
): Promise<HandleMeta> => {
  using body = NewFile.create(folder, bodyPart);
  const written =
    'bytes' in payload
      ? await writeBinary(body, payload, maxBytes)
      : await writePieces(body, payload, maxBytes);
  const meta = metaOf(written);
  // In parallel, because the disk needs the same time for both as for one.
  const synced = await Promise.allSettled([body.sync(), writeSidecar(folder, sidecarPart, meta)]);
  for (const outcome of synced) if (outcome.status === 'rejected') throw outcome.reason;
  return meta;
};

/** Writes only a sidecar, for a payload that is a part of another payload's file. */
export const writeMeta = async (folder: string, meta: HandleMeta): Promise<void> => {
  const path = metaPath(folder, meta.output_handle);
  const part = temporaryPath(folder, basename(path));
  try {
    await writeSidecar(folder, part, meta);
    renameSync(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
};

const writeSidecar = async (folder: string, path: string, meta: HandleMeta): Promise<void> => {
  using sidecar = NewFile.create(folder, path);
  sidecar.writeNow(JSON.stringify(meta));
  await sidecar.sync();
};

/**
 * A file that is being written. Short operations are synchronous; only slow disk operations are
 * awaited.
 */
class NewFile implements Disposable {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Creates the day folder if it is missing: for the first payload of a day, or after a sweep. */
  static create(folder: string, path: string): NewFile {
    for (let attempt = 1; ; attempt++) {
      try {
        return new NewFile(openSync(path, 'wx', PRIVATE_FILE));
      } catch (error) {
        if (!isMissing(error) || attempt === 3) throw error;
        ensureFolderNow(folder);
      }
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += (await writeSome(this.#fd, bytes, at)).bytesWritten;
  }

  writeNow(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#fd, bytes, at);
  }

  sync(): Promise<void> {
    return syncFile(this.#fd);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

const writeSome = promisify(write);
const syncFile = promisify(fsync);

const writeBinary = async (
  file: NewFile,
  { bytes }: BinaryPayload,
  maxBytes: number,
): Promise<WrittenPayload> => {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  await file.write(bytes);
  return { sizeBytes: bytes.length, itemCount: null };
};

const writePieces = async (
  file: NewFile,
  payload: Payload,
  maxBytes: number,
): Promise<WrittenPayload> => {
  const index = new IndexBuilder();
  for (const bytes of gatherPieces(payload.pieces(), index)) {
    if (index.sizeBytes > maxBytes) throw tooLarge(maxBytes);
    await file.write(bytes);
  }
  const { sizeBytes, itemCount } = index;
  return payload.items
    ? { sizeBytes, itemCount, items: { ...payload.items, ...index.toStored() } }
    : { sizeBytes, itemCount: null };
};

function* gatherPieces(pieces: Iterable<PayloadPiece>, index: IndexBuilder): Generator<Buffer> {
  let texts: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    index.add(piece);
    texts.push(piece.text);
    size += piece.bytes;
    if (size < WRITE_BYTES) continue;
    yield Buffer.from(texts.join(''));
    texts = [];
    size = 0;
  }
  if (size > 0) yield Buffer.from(texts.join(''));
}

const tooLarge = (maxBytes: number): Error =>
  fail(
    'storage_failed',
    `The payload is larger than the limit for all stored payloads (${maxBytes} bytes).`,
    {
      hint: 'Request less data, or start the server with a larger --output-store-max-bytes.',
      retryable: false,
    },
  );
