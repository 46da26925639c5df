// Lists the handles of stored payloads by their file names, newest day first.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const HANDLE_FILE = /^(oh_[A-Z2-7]{12})\.meta\.json$/;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);

/** `folder`: the folder of all payloads, with one folder per day. */
export const listHandleNames = async (folder: string, limit: number): Promise<string[]> => {
  // A missing folder has no payloads.
  const days = (await readdir(folder).catch(() => [])).toSorted(compareTexts).toReversed();
  const found: string[] = [];
  for (const day of days) {
    if (found.length >= limit) break;
    const files = await readdir(join(folder, day)).catch(() => []);
    found.push(...files.flatMap((file) => HANDLE_FILE.exec(file)?.[1] ?? []));
  }
  return found.slice(0, limit);
};
