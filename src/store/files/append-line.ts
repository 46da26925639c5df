// Appends a line in one write, so that lines of several processes never mix.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { textIf } from '../../core/text.ts';
import { PRIVATE_FILE } from '../../system/private-files.ts';

const NEWLINE = 10;

interface AppendOptions {
  /** The last line may lack its newline; then one is added first. */
  readonly suspect: boolean;
}

/**
 * Synchronous, because it takes microseconds and the line then survives a crash of this process.
 * Returns the file size.
 */
export const appendLine = (file: string, line: string, { suspect }: AppendOptions): number => {
  const fd = openSync(file, 'a+', PRIVATE_FILE);
  try {
    const bytes = Buffer.from(`${textIf(suspect && !endsWithNewline(fd), '\n')}${line}\n`);
    if (writeSync(fd, bytes) < bytes.length)
      throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    return fstatSync(fd).size;
  } finally {
    closeSync(fd);
  }
};

const endsWithNewline = (fd: number): boolean => {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EISDIR' });
  if (stat.size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, stat.size - 1);
  return last[0] === NEWLINE;
};
