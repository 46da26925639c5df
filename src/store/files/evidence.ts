// Writes and reads evidence bundles, .tar.gz files that appear only when they are complete.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { fail, Failure } from '../../core/failure.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { replaceFileBy } from '../../system/replace-file.ts';
import { packTar, type TarEntry } from './tar.ts';

export interface Archive {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Builds a new file name from the host of the page and the capture time. */
export const evidencePath = (folder: string, url: string, at: number): string => {
  const host = URL.canParse(url) ? new URL(url).host : '';
  const words = host
    .toLowerCase()
    .replace(/[^a-z\d.]+/g, '-')
    .slice(0, 60)
    .replace(/^[-.]+|[-.]+$/g, '');
  const time = new Date(at).toISOString().replace(/[-:.]/g, '');
  return join(folder, `${words || 'page'}-${time}-${randomBytes(2).toString('hex')}.tar.gz`);
};

/**
 * Writes entries while later ones are captured. If the work fails, the incomplete file is removed.
 */
export const saveArchive = async (
  path: string,
  entries: AsyncIterable<TarEntry>,
  { modifiedMs, signal }: { readonly modifiedMs: number; readonly signal: AbortSignal },
): Promise<Archive> => {
  try {
    const archive = packTar(entries, modifiedMs);
    const written = await replaceFileBy(path, (file) => writePacked(file, archive, signal));
    return { path, ...written };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

const writePacked = async (
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Omit<Archive, 'path'>> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const toFile = async (packed: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of packed) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
  };
  await pipeline(Readable.from(content, { objectMode: true }), createGzip(), toFile, { signal });
  return { bytes, sha256: hash.digest('hex') };
};

/** Larger contents are only hashed. */
const KEPT_BYTES = 4_000_000;
/** A compressed file can unpack to far more than its own size. */
const MAX_UNPACKED_BYTES = 4_000_000_000;
const MAX_ENTRIES = 10_000;

/** A file of an archive. The content is undefined if the file is large. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly content?: Buffer | undefined;
}

/** Reads the files of an archive in order, and keeps at most one of them in memory. */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(storageFailure('read', path, error)));
  const entries = Readable.toWeb(file.pipe(unpacked)).pipeThrough(createTarDecoder());
  let [total, count] = [0, 0];
  try {
    for await (const { header, body } of entries) {
      const read = await readEntry(body, MAX_UNPACKED_BYTES - total);
      total += read.bytes;
      if (++count > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`);
      yield { name: header.name, ...read };
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw fail('invalid_argument', `${path} is not a complete .tar.gz archive: ${reason}`, {
      argument: 'file',
    });
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

const readEntry = async (
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Omit<ArchivedFile, 'name'>> => {
  const hash = createHash('sha256');
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('it unpacks to more than 4 GB');
    if (bytes <= KEPT_BYTES) kept.push(chunk);
  }
  const content = bytes <= KEPT_BYTES ? Buffer.concat(kept) : undefined;
  return { bytes, sha256: hash.digest('hex'), content };
};
