// Creates private folders (0700) and defines the mode of private files (0600).
import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';

export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Creates the folder and its missing parents; does not change the mode of existing folders. */
export const ensureFolder = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
};

export const ensureFolderNow = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
};
