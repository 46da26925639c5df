// Writes evidence bundles as .tar.gz files, which appear only when they are complete.
import { createHash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
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
