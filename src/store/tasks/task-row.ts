// Reads a task's row synchronously, because listings read thousands of rows.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { getErrorCode } from '../../system/disk-error.ts';
import { TaskMeta } from './task-meta.ts';

export const META_FILE = 'meta.json';

const MAX_BYTES = 1024 * 1024;
/**
 * Without O_NONBLOCK (missing on Windows), opening a named pipe in place of the file would block
 * forever.
 */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type TaskRow = { readonly meta: TaskMeta } | { readonly unreadable: string };

/**
 * Undefined if the task does not exist. A task folder is always created with its row, so a folder
 * without a row is unreadable.
 */
export const readRow = (folder: string, id: string): TaskRow | undefined => {
  let fd: number;
  try {
    fd = openSync(join(folder, META_FILE), FOR_READING);
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' && !isFolder(folder)
      ? undefined
      : { unreadable: `it could not be opened (${getErrorCode(error)})` };
  }
  try {
    return readOpen(fd, id);
  } catch (error) {
    return { unreadable: `it could not be read (${getErrorCode(error)})` };
  } finally {
    closeSync(fd);
  }
};

const isFolder = (path: string): boolean =>
  attempt(() => {
    closeSync(openSync(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)));
    return true;
  }, false);

const readOpen = (fd: number, id: string): TaskRow => {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return { unreadable: 'it is not a regular file' };
  if (stat.size > MAX_BYTES) return { unreadable: `it is ${stat.size} bytes long` };
  const bytes = Buffer.allocUnsafe(stat.size);
  return parse(bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0)), id);
};

const parse = (text: string, id: string): TaskRow =>
  attempt(
    () => {
      const parsed = TaskMeta.safeParse(JSON.parse(text));
      if (!parsed.success)
        return {
          unreadable: parsed.error.issues
            .map(({ path, message }) => `${path.join('.')}: ${message}`)
            .join('; '),
        };
      return parsed.data.task_id === id
        ? { meta: parsed.data }
        : { unreadable: 'it is the row of another task' };
    },
    { unreadable: 'it is not JSON' },
  );
