// Folders and files that only their owner may look into: 0700 and 0600 (on Windows, what the user's
// profile says).
import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Makes the folder and its parents where they are missing; what exists is left as its owner set it.
 */
export const ensureFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
};

export const ensureFolderNow = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
};
