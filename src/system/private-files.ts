// Private folders (0700) and files (0600); opens regular files only, up to a size limit.
import { valueIf } from '../core/defined.ts';
import { randomBytes } from 'node:crypto';
import { constants, mkdirSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseJson } from '../core/json.ts';
import { sleep } from '../core/time.ts';
import { isMissing } from './disk-error.ts';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates the folder and its missing parents; does not change the mode of existing folders. */
export const ensureFolder = async (path: string): Promise<void> => ensureFolderNow(path);

/**
 * Creates a folder and its parents. The recursive option of Node is not used, because it never
 * returns for a new folder in /proc.
 */
export const ensureFolderNow = (path: string, mode = PRIVATE_FOLDER): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) ensureFolderNow(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // another process created it in the meantime
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
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
  await ensureFolder(dir);
  const probe = join(dir, `.probe.${randomBytes(6).toString('hex')}.tmp`);
  await writeFile(probe, 'probe', { mode: PRIVATE_FILE, flag: 'wx' });
  await rm(probe);
};

/**
 * Whether users other than the owner can open the folder. Always false on Windows, where the user's
 * profile folder protects it.
 */
export const isOpenToOthers = async (dir: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(dir)).mode & 0o077) !== 0;

// Opens regular files only: rejects folders, named pipes and files over a size limit.

/** Without O_NONBLOCK (missing on Windows), opening a named pipe would block forever. */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The path is not a regular file or is too large. This is not a disk error. */
export class Unreadable extends Error {}

/** Returns undefined if the file does not exist. */
export const openRegularFile = async (
  path: string,
  maxBytes = Infinity,
): Promise<FileHandle | undefined> => {
  const found = await ignoreMissing(stat(path));
  if (found === undefined) return undefined;
  // opening a named pipe would wake its writer
  if (!found.isFile()) throw new Unreadable(NOT_A_FILE);
  const file = await ignoreMissing(open(path, FOR_READING));
  if (file === undefined) return undefined;
  const problem = findProblem(await file.stat(), maxBytes);
  if (problem === undefined) return file;
  await file.close();
  throw new Unreadable(problem);
};

const ignoreMissing = <T>(promise: Promise<T>): Promise<T | undefined> =>
  promise.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });

const NOT_A_FILE = 'it is not a regular file';

const findProblem = (stat: Stats, maxBytes: number): string | undefined => {
  if (!stat.isFile()) return NOT_A_FILE;
  return valueIf(stat.size > maxBytes, `it is ${stat.size} bytes long`);
};
