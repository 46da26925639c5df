// Measures the size of all files in a folder.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILES = 200_000;

/** Bytes of all files below the folder; 0 if it does not exist. */
export const measureFolder = async (folder: string): Promise<number> => {
  // A missing folder has no files.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries.slice(0, MAX_FILES)) {
    if (!entry.isFile()) continue;
    // A file may be deleted while it is measured.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
};
