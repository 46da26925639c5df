// Reads a payload in a worker thread through the file descriptor of the server.
import { readSync } from 'node:fs';

export interface Readable {
  /** File descriptor that is open in this process. */
  readonly fd: number;
  /** Offset of the payload in the file, followed by its size. */
  readonly base: number;
  readonly sizeBytes: number;
}

/** The bytes from `start` to `end`, or fewer if the payload is shorter. */
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
