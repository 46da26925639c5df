// Reads a task's history onward from where a reader stopped: whole lines only, at once, so that
// nothing happens in between.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isMissing } from '../../system/disk-error.ts';
import { TaskEvent } from './task-meta.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
/**
 * Without O_NONBLOCK (which Windows lacks) a named pipe in place of the file would hold the open
 * for ever.
 */
const FOR_READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Tells `visit` every event from the byte `from` on, and returns where the next one will begin;
 * nothing when the file is shorter than that, or not there. Lines that cannot be read are passed
 * over; one that lacks its end is left for the next time.
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
    next += end === 0 ? bytes.length : end; // a line as long as that is none of ours
  }
};

export const parseEvent = (line: string): TaskEvent | undefined => {
  try {
    return TaskEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};
