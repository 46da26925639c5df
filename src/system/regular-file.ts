// Opens files that may be anything: a folder, a named pipe or a giant in place of what we wrote is
// refused, not read.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { isMissing } from './disk-error.ts';

/** Without O_NONBLOCK (which Windows lacks) a named pipe would hold the open for ever. */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Something stands there that is no file of ours: the content is at fault, not the disk. */
export class Unreadable extends Error {}

/** Nothing when there is no such file. */
export const openRegularFile = async (
  path: string,
  maxBytes = Infinity,
): Promise<FileHandle | undefined> => {
  const file = await open(path, FOR_READING).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const stat = await file?.stat();
  const wrong =
    stat && !stat.isFile()
      ? 'it is not a regular file'
      : stat && stat.size > maxBytes
        ? `it is ${stat.size} bytes long`
        : undefined;
  if (wrong === undefined) return file;
  await file?.close();
  throw new Unreadable(wrong);
};
