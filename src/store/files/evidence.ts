// Writes evidence bundles as .tar.gz files, which appear only when they are complete.
import { createHash, randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from '../../system/folders.ts';
import { renameOver, syncFolder } from '../../system/replace-file.ts';
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
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await ensureFolder(folder);
    const { bytes, sha256 } = await writePacked(temporary, packTar(entries, modifiedMs), signal);
    await renameOver(temporary, path);
    await syncFolder(folder);
    return { path, bytes, sha256 };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    if (signal.aborted) throw signal.reason;
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
};

const writePacked = async (
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Omit<Archive, 'path'>> => {
  const hash = createHash('sha256');
  let bytes = 0;
  await using file = await open(path, 'wx', PRIVATE_FILE);
  const toFile = async (packed: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of packed) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
  };
  await pipeline(Readable.from(content, { objectMode: true }), createGzip(), toFile, { signal });
  await file.sync();
  return { bytes, sha256: hash.digest('hex') };
};
