// Files of the user: loads one that a command names, and saves those chosen in the dashboard.
import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fail } from '../../core/failure.ts';
import { storageFailure } from '../../system/disk-error.ts';
import {
  ensureFolder,
  openRegularFile,
  PRIVATE_FILE,
  Unreadable,
} from '../../system/private-files.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

export const loadUserFile = async (path: string): Promise<string> => {
  const file = await openRegularFile(path, MAX_FILE_BYTES).catch((error: unknown) => {
    if (error instanceof Unreadable)
      throw fail('invalid_argument', `${path} cannot be read: ${error.message}.`);
    throw storageFailure('read', path, error);
  });
  if (!file)
    throw fail('invalid_argument', `The file ${path} does not exist.`, { argument: 'file' });
  try {
    return decodeText(await file.readFile(), path);
  } finally {
    await file.close();
  }
};

/** Removes the byte order mark; throws if the bytes are not UTF-8. */
const decodeText = (bytes: Uint8Array, path: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fail('invalid_argument', `The file ${path} is not text in UTF-8.`, {
      argument: 'file',
      hint: 'Save it with the encoding UTF-8.',
    });
  }
};

export const deleteUserFile = (path: string): Promise<void> => rm(path, { force: true });

interface NamedData {
  readonly name: string;
  readonly data: Uint8Array;
}

/** Returns the paths; the retention of downloads removes the folder later. */
export const saveUploads = async (
  folder: string,
  files: readonly NamedData[],
): Promise<string[]> => {
  try {
    await ensureFolder(folder);
    const paths = files.map(({ name }, at) => join(folder, cleanName(name, at)));
    await Promise.all(
      files.map(({ data }, at) =>
        writeFile(paths[at] ?? '', data, { mode: PRIVATE_FILE, flag: 'wx' }),
      ),
    );
    return paths;
  } catch (error) {
    throw storageFailure('write', folder, error);
  }
};

/** The last part of the name without characters that file systems reject. */
const cleanName = (name: string, at: number): string => {
  const last = basename(name.replaceAll('\\', '/')).replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return /^\.*$/.test(last) ? `file-${at + 1}` : last.slice(-120);
};
