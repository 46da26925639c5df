// Keeps the last lines of a child process's output.
import type { Readable } from 'node:stream';

const KEEP_BYTES = 8 * 1024;

/**
 * Reads the stream to its end (a full pipe would block the child) and returns a getter for its
 * tail.
 */
export const collectTail = (stream: Readable): (() => string) => {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-KEEP_BYTES)]).subarray(-KEEP_BYTES);
  });
  stream.on('error', () => {});
  return () => kept.toString('utf8');
};
