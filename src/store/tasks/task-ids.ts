// Finds tasks by the first characters of their ids.
import { readdir } from 'node:fs/promises';
import { isMissing, storageFailure } from '../../system/disk-error.ts';

const TASK_ID = /^[0-9a-f]{16}$/;

/** The ids that start with these characters, oldest first; `folder` is the folder of all tasks. */
export const findTaskIds = async (folder: string, start: string): Promise<string[]> => {
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => TASK_ID.test(name) && name.startsWith(start))
      .toSorted((a, b) => (a < b ? -1 : 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw storageFailure('read', folder, error);
  }
};
