// Reads the lines of a file from the first to the last, with one chunk and one line in memory.
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

/** Yields complete lines only: text after the last newline is incomplete. Skips empty lines. */
export async function* linesForward(file: FileHandle): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of chunksForward(file)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = Buffer.concat([...begun, chunk.subarray(start, end)]).toString('utf8');
      begun = [];
      start = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
}

async function* chunksForward(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(CHUNK_BYTES),
      0,
      CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
