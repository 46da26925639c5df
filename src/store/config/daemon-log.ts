// The daemon's log file: lines with timestamps, and one older file when the size limit is reached.
import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  type FSWatcher,
  openSync,
  readSync,
  statSync,
  watch,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { every } from '../../core/time.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolderNow, PRIVATE_FILE } from '../../system/private-files.ts';

const MAX_BYTES = 1024 * 1024;
/** Maximum number of bytes that are read from the end of the log. */
const TAIL_BYTES = 256 * 1024;

export interface OpenLog {
  /** File descriptor for the standard streams of a child process. */
  readonly fd: number;
  /** File size now, which is the offset of the next line. */
  readonly size: number;
  close(): void;
}

export const openDaemonLog = (path: string): OpenLog => {
  try {
    ensureFolderNow(dirname(path));
    const fd = openSync(path, 'a', PRIVATE_FILE);
    putAside(path, fd);
    return { fd, size: fstatSync(fd).size, close: () => closeSync(fd) };
  } catch (error) {
    throw storageFailure('open', path, error);
  }
};

/**
 * A full file is copied and truncated, not renamed: Node writes fatal errors to the stream that it
 * was started with, and they must appear in the current log file.
 */
const putAside = (path: string, fd: number): void => {
  if (fstatSync(fd).size < MAX_BYTES) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(fd, 0);
};

/** Returns a function that appends complete lines. Write errors are ignored. */
export const createLogWriter = (path: string): ((text: string) => void) => {
  const { fd } = openDaemonLog(path);
  return (text) => {
    try {
      const time = new Date().toISOString();
      const lines = text.split('\n').filter((line) => line !== '');
      writeSync(fd, lines.map((line) => `${time} ${line}\n`).join(''));
      putAside(path, fd);
    } catch {
      // write errors of the log cannot be logged
    }
  };
};

/** The last lines of the log, after byte `from`; an empty list if the file is missing. */
export const tailDaemonLog = (
  path: string,
  { lines, from = 0 }: { readonly lines: number; readonly from?: number },
): string[] => {
  const text = readEnd(path, from);
  const all = text.split('\n').filter((line) => line !== '');
  return all.slice(-lines);
};

const readEnd = (path: string, from: number): string => {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const { size } = fstatSync(fd);
    const begin = Math.max(from <= size ? from : 0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - begin));
    readSync(fd, bytes, 0, bytes.length, begin);
    const text = bytes.toString('utf8');
    // the first line may be incomplete
    return begin > from ? text.slice(text.indexOf('\n') + 1) : text;
  } catch (error) {
    if (isMissing(error)) return '';
    throw storageFailure('read', path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** Poll interval, in case the file watcher misses a change. */
const LOOK_MS = 500;

/** Passes new complete lines to `onText` until the signal aborts. */
export const followDaemonLog = async (
  path: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  let read = readSize(path);
  const look = (): void => {
    const size = readSize(path);
    if (size < read) read = 0; // the log was truncated
    if (size === read) return;
    const text = readEnd(path, read);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    read += Buffer.byteLength(whole);
    if (whole !== '') onText(whole.trimEnd());
  };
  const watcher = watchFolder(dirname(path), look);
  using _clock = every(LOOK_MS, look);
  try {
    await new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
  } finally {
    watcher?.close();
  }
};

const readSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const watchFolder = (folder: string, look: () => void): FSWatcher | undefined => {
  // polling is enough
  return attempt(() => {
    const watcher = watch(folder, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  });
};
