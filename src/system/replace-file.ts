// Replaces a file atomically and durably: after a crash it has the old or the new content.
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sleep } from '../core/time.ts';
import { getErrorCode, storageFailure } from './disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from './folders.ts';

/** Whether a file name is that of a temporary file that a crash left; a sweep removes these. */
export const isTemporary = (name: string): boolean => /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);

/** Callbacks that run directly before and after the rename. */
interface AtOnce {
  readonly before?: () => void;
  readonly after?: () => void;
}

export const replaceFile = async (
  path: string,
  content: string | Uint8Array,
  { before, after }: AtOnce = {},
): Promise<void> => {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await ensureFolder(folder);
    await writeDurably(temporary, content);
    before?.();
    await renameOver(temporary, path);
    after?.();
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw storageFailure('write', path, error);
  }
};

/** Writes a new file and syncs it. The name is durable only after `syncFolder`. */
export const writeDurably = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
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
