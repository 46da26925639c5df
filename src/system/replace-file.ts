// Replaces a whole file so that a reader sees the old one or the new one, also after a crash or a
// power cut.
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sleep } from '../core/time.ts';
import { getErrorCode, storageFailure } from './disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from './folders.ts';

/** What a crash may leave behind: never read by anyone, removed by a sweep. */
export const isTemporary = (name: string): boolean => /^\..+\.[0-9a-f]{12}\.tmp$/.test(name);

/**
 * What is done in one breath with the replacement: nobody who sees the new file finds these undone.
 */
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

/** Writes a new file; its bytes survive a power cut, its name only once the folder is synced. */
export const writeDurably = async (path: string, content: string | Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', PRIVATE_FILE);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * Happens at once, but for Windows, which refuses to replace a file that a virus scanner or a
 * reader holds for a moment.
 */
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

/** The new name itself must survive a power cut; not every file system lets a folder be synced. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
};
