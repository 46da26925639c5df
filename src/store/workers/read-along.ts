// Reads the payload that the server has open, from the worker's side.
import { readSync } from 'node:fs';

export interface Readable {
  /** Open in the same process. */
  readonly fd: number;
  /** Where the payload begins in the file, and how long it is. */
  readonly base: number;
  readonly sizeBytes: number;
}

/** The bytes from `start` to `end`, less where the payload is shorter. */
export const readBytes = (
  { fd, base, sizeBytes }: Readable,
  start: number,
  end: number,
): Buffer => {
  const length = Math.max(0, Math.min(end, sizeBytes) - start);
  const bytes = Buffer.allocUnsafe(length);
  for (let got = 0; got < length;) {
    const read = readSync(fd, bytes, got, length - got, base + start + got);
    if (read === 0) throw new Error('the file is shorter than it was');
    got += read;
  }
  return bytes;
};
