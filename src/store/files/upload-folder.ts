// Saves files that the user chose in the dashboard, so that Chrome can read them.
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { storageFailure } from '../../system/disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from '../../system/private-files.ts';

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
