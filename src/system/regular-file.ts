// Opens regular files only: rejects folders, named pipes and files over a size limit.
import { constants, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isMissing } from './disk-error.ts';

/** Without O_NONBLOCK (missing on Windows), opening a named pipe would block forever. */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The path is not a regular file or is too large. This is not a disk error. */
export class Unreadable extends Error {}

/** Returns undefined if the file does not exist. */
export const openRegularFile = async (
  path: string,
  maxBytes = Infinity,
): Promise<FileHandle | undefined> => {
  const file = await open(path, FOR_READING).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  const problem = findProblem(await file.stat(), maxBytes);
  if (problem === undefined) return file;
  await file.close();
  throw new Unreadable(problem);
};

const findProblem = (stat: Stats, maxBytes: number): string | undefined => {
  if (!stat.isFile()) return 'it is not a regular file';
  return stat.size > maxBytes ? `it is ${stat.size} bytes long` : undefined;
};
