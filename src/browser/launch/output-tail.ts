// The last lines that a child process wrote, kept small however much it writes.
import type { Readable } from 'node:stream';

const KEEP_BYTES = 8 * 1024;

/**
 * Drains the stream for good (a full pipe would stop the child) and returns how to read its tail.
 */
export const collectTail = (stream: Readable): (() => string) => {
  let kept = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk.subarray(-KEEP_BYTES)]).subarray(-KEEP_BYTES);
  });
  stream.on('error', () => {});
  return () => kept.toString('utf8');
};
