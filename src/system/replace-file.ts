// Replaces a file atomically and durably: after a crash it has the old or the new content.
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../core/failure.ts';
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
