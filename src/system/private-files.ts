// Folders and files that only the user may read: 0700 and 0600, whole-file writes atomic.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../core/time.ts';

export const makePrivateFolder = async (dir: string): Promise<string> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return dir;
};

/** A name beside `path` that nobody else uses. */
export const besides = (path: string): string =>
  `${path}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;

export const savePrivateJson = async (path: string, value: unknown): Promise<void> => {
  const draft = besides(path);
  try {
    await writeFile(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};

/** What a JSON file holds; undefined if it is missing or cannot be read as JSON. */
export const loadJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch {
    return undefined;
  }
};

const REMOVE_ATTEMPTS = 12;

/** Removes a file if it exists; a file that cannot be removed is left to the sweeper. */
export const removeFile = async (path: string): Promise<void> => {
  await rm(path, { force: true }).catch(() => {});
};

/**
 * Deletes a folder that processes on their way out may still write into; says whether it is gone.
 */
export const removeFolder = async (dir: string): Promise<boolean> => {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    try {
      await rm(dir, { recursive: true, force: true });
      return true;
    } catch {
      await sleep(25 * (attempt + 1));
    }
  }
  return false;
};

/** Writes and deletes a small file, to see whether that is possible at all. */
export const probeFolder = async (dir: string): Promise<void> => {
  await makePrivateFolder(dir);
  const probe = besides(join(dir, 'probe'));
  await savePrivateJson(probe, 'probe');
  await rm(probe);
};

/**
 * Whether others than the user can look into it; on Windows the user's own profile folder sees to
 * that.
 */
export const isOpenToOthers = async (dir: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(dir)).mode & 0o077) !== 0;
