// Replaces a file atomically and durably; moves a file to a name that no other file has.
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { Failure } from '../core/failure.ts';
import { cutToBytes } from '../core/text.ts';
import { sleep } from '../core/time.ts';
import { getErrorCode, storageFailure } from './disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from './private-files.ts';

/** Returns a unique path for a temporary file or folder next to `path`. */
export const buildTemporaryPath = (path: string): string =>
  join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);

/** Whether a file name is that of a temporary file that a crash left; a sweep removes these. */
export const isTemporary = (name: string): boolean => /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);

interface ReplaceOptions {
  /** Runs directly before the rename. */
  readonly before?: () => void;
  /** Runs directly after the rename. */
  readonly after?: () => void;
  readonly mode?: number;
  /** False skips the sync of the disk, for files that are useless after a power failure. */
  readonly durable?: boolean;
}

export const replaceFile = (
  path: string,
  content: string | Uint8Array,
  options: ReplaceOptions = {},
): Promise<void> => replaceFileBy(path, (file) => file.writeFile(content), options);

/** Like `replaceFile`, with a callback that writes the content; returns its result. */
export const replaceFileBy = async <T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  { before, after, mode = PRIVATE_FILE, durable = true }: ReplaceOptions = {},
): Promise<T> => {
  const folder = dirname(path);
  const temporary = buildTemporaryPath(path);
  try {
    await ensureFolder(folder);
    const result = await writeNew(temporary, write, { mode, durable });
    before?.();
    await renameOver(temporary, path);
    after?.();
    if (durable) await syncFolder(folder);
    return result;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error instanceof Failure ? error : storageFailure('write', path, error);
  }
};

/** Writes a new file and syncs it. The name is durable only after `syncFolder`. */
export const writeDurably = (path: string, content: string | Uint8Array): Promise<void> =>
  writeNew(path, (file) => file.writeFile(content), { mode: PRIVATE_FILE, durable: true });

const writeNew = async <T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  { mode, durable }: { readonly mode: number; readonly durable: boolean },
): Promise<T> => {
  await using file = await open(path, 'wx', mode);
  const result = await write(file);
  if (durable) await file.sync();
  return result;
};

/** Retries on Windows, which refuses to replace a file that is open in another process. */
export const renameOver = async (from: string, to: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return renameSync(from, to);
    } catch (error) {
      const held =
        process.platform === 'win32' &&
        ['EPERM', 'EACCES', 'EBUSY'].includes(getErrorCode(error) ?? '');
      if (!held || attempt === 8) throw error;
      await sleep(10 * attempt);
    }
  }
};

/** Makes new names in the folder durable. Ignores errors: some file systems cannot sync folders. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
};

// Moves a file to a name that no other file in the folder has: `name (1).ext`.

/** Characters that are not allowed in file names on some system, and control characters. */
const FORBIDDEN = /[\p{Cc}<>:"/\\|?*]/gu;
const MAX_STEM_BYTES = 180;
const MAX_EXTENSION_BYTES = 40;
const MAX_ATTEMPTS = 10_000;

/** A name without folders that is visible and valid on every system. */
export const toFileName = (name: string): string => {
  const { name: stem, ext } = parse(name.replace(FORBIDDEN, '_').replace(/^[.\s]+/, '_'));
  return cutToBytes(stem, MAX_STEM_BYTES) + cutToBytes(ext, MAX_EXTENSION_BYTES) || 'download';
};

/** Returns the new path. Never replaces a file. */
export const moveToFreeName = (from: string, folder: string, wanted: string): string => {
  const { name, ext } = parse(toFileName(wanted));
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const path = join(folder, i === 0 ? `${name}${ext}` : `${name} (${i})${ext}`);
    if (isMoved(from, path)) return path;
  }
  return from;
};

/** False if the path is taken. */
const isMoved = (from: string, path: string): boolean => {
  try {
    linkSync(from, path);
    unlinkSync(from);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    if (getErrorCode(error) === 'ENOENT') throw error;
  }
  // The file system has no links.
  if (statSync(path, { throwIfNoEntry: false })) return false;
  renameSync(from, path);
  return true;
};
