// Private folders (0700) and files (0600) with atomic whole-file writes.
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../core/json.ts';
import { sleep } from '../core/time.ts';

export const makePrivateFolder = async (dir: string): Promise<string> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return dir;
};

/** Returns a unique path for a temporary file in the folder of `path`. */
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

/** Returns the content of a JSON file; undefined if it is missing or not valid JSON. */
export const loadJson = async (path: string): Promise<unknown> => {
  try {
    return parseJson(await readFile(path, 'utf8'));
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
 * Deletes a folder; retries because exiting processes may still write to it. Returns whether it
 * worked.
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

/** Writes and deletes a small file; throws if the folder is not writable. */
export const probeFolder = async (dir: string): Promise<void> => {
  await makePrivateFolder(dir);
  const probe = besides(join(dir, 'probe'));
  await savePrivateJson(probe, 'probe');
  await rm(probe);
};

/**
 * Whether users other than the owner can open the folder. Always false on Windows, where the user's
 * profile folder protects it.
 */
export const isOpenToOthers = async (dir: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(dir)).mode & 0o077) !== 0;
