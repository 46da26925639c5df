// The daemon's log: lines with their time in one file, which is put aside when it is full; the one
// before it is kept.
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
import { every } from '../../core/time.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolderNow, PRIVATE_FILE } from '../../system/folders.ts';

const MAX_BYTES = 1024 * 1024;
/** What is read from the end of the log, at most. */
const TAIL_BYTES = 256 * 1024;

export interface OpenLog {
  /** For the standard streams of a child process. */
  readonly fd: number;
  /** Where what is written from now on begins. */
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
 * A full file is copied and emptied rather than renamed: Node itself writes its last words to the
 * stream that it was started with, and they must not go to a file that nobody looks at.
 */
const putAside = (path: string, fd: number): void => {
  if (fstatSync(fd).size < MAX_BYTES) return;
  copyFileSync(path, `${path}.1`);
  ftruncateSync(fd, 0);
};

/** Returns what takes text of whole lines. A log that cannot be written is no reason to fail. */
export const createLogWriter = (path: string): ((text: string) => void) => {
  const { fd } = openDaemonLog(path);
  return (text) => {
    try {
      const time = new Date().toISOString();
      const lines = text.split('\n').filter((line) => line !== '');
      writeSync(fd, lines.map((line) => `${time} ${line}\n`).join(''));
      putAside(path, fd);
    } catch {
      // nowhere left to say it
    }
  };
};

/** The last lines, from `from` on where it is given; none when there is no log. */
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
    // the first line may have been cut
    return begin > from ? text.slice(text.indexOf('\n') + 1) : text;
  } catch (error) {
    if (isMissing(error)) return '';
    throw storageFailure('read', path, error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

/** Where the system tells of changes, asking by the clock is only for what it may have missed. */
const LOOK_MS = 500;

/** Hands on what is written from now on, until the signal aborts. */
export const followDaemonLog = async (
  path: string,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  let read = sizeOf(path);
  const look = (): void => {
    const size = sizeOf(path);
    if (size < read) read = 0; // put aside meanwhile
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

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const watchFolder = (folder: string, look: () => void): FSWatcher | undefined => {
  try {
    const watcher = watch(folder, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined; // the clock will do
  }
};
