// Writes a payload and its sidecar so that a crash at any moment leaves a complete handle or files that a sweep knows as left over.
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { fail } from '../core/failure.ts';
import { isMissing } from './disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from './folders.ts';
import { metaPath, payloadPath, temporaryPath, type HandleMeta } from './handle-files.ts';
import { IndexBuilder } from './handle-index.ts';
import type { BinaryPayload, Payload, Piece } from './handle-payload.ts';

/** Pieces are gathered up to this size before they are written. */
const WRITE_BYTES = 1024 * 1024;

/** What is known only when the whole payload has passed by. */
export interface Written {
  readonly sizeBytes: number;
  readonly itemCount: number | null;
  readonly items?: NonNullable<HandleMeta['items']>;
}

interface WriteOptions {
  readonly folder: string;
  readonly handle: string;
  readonly maxBytes: number;
  readonly metaOf: (written: Written) => HandleMeta;
}

/**
 * The sidecar gets its final name first and the payload last: a payload under its final name is always complete, and a
 * sidecar without a payload names its writer, so that a sweep can tell "not yet" from "never".
 */
export const writeHandle = async (payload: Payload | BinaryPayload, options: WriteOptions): Promise<HandleMeta> => {
  const { folder, handle } = options;
  const body = payloadPath(folder, handle, payload.mimeType);
  const sidecar = metaPath(folder, handle);
  const [bodyPart, sidecarPart] = [body, sidecar].map((path) => temporaryPath(folder, basename(path))) as [string, string];
  try {
    const meta = await writeBoth(payload, bodyPart, sidecarPart, options);
    await rename(sidecarPart, sidecar);
    await rename(bodyPart, body);
    return meta;
  } catch (error) {
    await Promise.all([bodyPart, sidecarPart, sidecar].map((path) => rm(path, { force: true }).catch(() => {})));
    throw error;
  }
};

const writeBoth = async (
  payload: Payload | BinaryPayload,
  bodyPart: string,
  sidecarPart: string,
  { folder, maxBytes, metaOf }: WriteOptions,
): Promise<HandleMeta> => {
  await using file = await createFile(folder, bodyPart);
  const written = 'bytes' in payload ? await writeBinary(file, payload, maxBytes) : await writePieces(file, payload, maxBytes);
  const meta = metaOf(written);
  // Side by side, because the disk does both in the time of one.
  await Promise.all([file.sync(), writeSidecar(folder, sidecarPart, meta)]);
  return meta;
};

/** A sidecar alone: for a payload that is part of another one's file. */
export const writeMeta = async (folder: string, meta: HandleMeta): Promise<void> => {
  const sidecar = metaPath(folder, meta.output_handle);
  const part = temporaryPath(folder, basename(sidecar));
  try {
    await writeSidecar(folder, part, meta);
    await rename(part, sidecar);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
};

const writeSidecar = async (folder: string, path: string, meta: HandleMeta): Promise<void> => {
  await using file = await createFile(folder, path);
  await file.writeFile(JSON.stringify(meta));
  await file.sync();
};

/** The folder of a day is made when it is missing: at the day's first payload, and after a sweep took it away. */
const createFile = async (folder: string, path: string): Promise<FileHandle> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open(path, 'wx', PRIVATE_FILE);
    } catch (error) {
      if (!isMissing(error) || attempt === 3) throw error;
      await ensureFolder(folder);
    }
  }
};

const writeBinary = async (file: FileHandle, { bytes }: BinaryPayload, maxBytes: number): Promise<Written> => {
  if (bytes.length > maxBytes) throw tooLarge(maxBytes);
  await writeAll(file, bytes);
  return { sizeBytes: bytes.length, itemCount: null };
};

const writePieces = async (file: FileHandle, payload: Payload, maxBytes: number): Promise<Written> => {
  const index = new IndexBuilder();
  for (const bytes of gathered(payload.pieces(), index)) {
    if (index.sizeBytes > maxBytes) throw tooLarge(maxBytes);
    await writeAll(file, bytes);
  }
  const { sizeBytes, itemCount } = index;
  return payload.items ? { sizeBytes, itemCount, items: { ...payload.items, ...index.toStored() } } : { sizeBytes, itemCount: null };
};

/** In as few calls as the system allows; writeFile would cut it into small ones. */
const writeAll = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
};

function* gathered(pieces: Iterable<Piece>, index: IndexBuilder): Generator<Buffer> {
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
  fail('storage_failed', `The payload is larger than all stored payloads together may be (${maxBytes} bytes).`, {
    hint: 'Ask for less, or start the server with a larger --output-store-max-bytes.',
    retryable: false,
  });
