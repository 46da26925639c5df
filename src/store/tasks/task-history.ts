// Reads a task's history from an offset: complete lines only, synchronously.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { attempt } from '../../core/attempt.ts';
import { isMissing } from '../../system/disk-error.ts';
import { TaskEvent } from './task-meta.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
/**
 * Without O_NONBLOCK (missing on Windows), opening a named pipe in place of the file would block
 * forever.
 */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

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
