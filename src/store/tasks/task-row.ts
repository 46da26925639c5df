// Reads a task's row and its history synchronously, because listings read thousands of rows.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { getErrorCode, isMissing } from '../../system/disk-error.ts';
import { TaskEvent, TaskMeta } from './task-ledger.ts';

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
  return parseRow(bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0)), id);
};

export const parseRow = (text: string, id: string): TaskRow =>
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

// Reads a task's history from an offset: complete lines only, synchronously.

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/**
 * Calls `visit` for every event after byte `from` and returns the offset of the next event;
 * undefined if the file is missing or shorter. Skips invalid lines; an incomplete last line is read
 * next time.
 */
export const readHistory = (
  path: string,
  from: number,
  visit: (event: TaskEvent) => void,
): number | undefined => {
  let fd: number;
  try {
    fd = openSync(path, FOR_READING);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size < from) return undefined;
    return readOn(fd, from, visit);
  } finally {
    closeSync(fd);
  }
};

const readOn = (fd: number, from: number, visit: (event: TaskEvent) => void): number => {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let next = from;
  for (;;) {
    const bytes = chunk.subarray(0, readSync(fd, chunk, 0, CHUNK_BYTES, next));
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const event = line === '' ? undefined : parseEvent(line);
      if (event) visit(event);
    }
    if (bytes.length < CHUNK_BYTES) return next + end;
    next += end === 0 ? bytes.length : end; // a line of this length is not an event
  }
};

export const parseEvent = (line: string): TaskEvent | undefined =>
  attempt(() => TaskEvent.safeParse(JSON.parse(line)).data);
