// Appends lines in one write each; reads the lines of a file forwards or backwards.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
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

// Reads the lines of a file from the last to the first, with one chunk and one line in memory.

const CHUNK_BYTES = 64 * 1024;
/** Longer lines are not log entries and are not kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Skips empty lines. Yields undefined for a line that is too long. */
export async function* linesBackwards(file: FileHandle): AsyncGenerator<string | undefined> {
  const line = new LineFromItsEnd();
  for await (const chunk of chunksBackwards(file)) {
    let end = chunk.length;
    for (
      let at = chunk.lastIndexOf(NEWLINE);
      at >= 0;
      at = chunk.subarray(0, end).lastIndexOf(NEWLINE)
    ) {
      line.prepend(chunk.subarray(at + 1, end));
      const text = line.take();
      if (text !== '') yield text;
      end = at;
    }
    line.prepend(chunk.subarray(0, end));
  }
  const text = line.take();
  if (text !== '') yield text;
}

async function* chunksBackwards(file: FileHandle): AsyncGenerator<Buffer> {
  let position = (await file.stat()).size;
  while (position > 0) {
    const length = Math.min(CHUNK_BYTES, position);
    position -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    yield buffer.subarray(0, bytesRead);
  }
}

class LineFromItsEnd {
  #parts: Buffer[] = [];
  #bytes = 0;

  prepend(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > MAX_LINE_BYTES) this.#parts = [];
    else if (part.length) this.#parts.push(part);
  }

  /** Returns the collected line and resets the buffer. */
  take(): string | undefined {
    const text =
      this.#bytes > MAX_LINE_BYTES
        ? undefined
        : Buffer.concat(this.#parts.toReversed()).toString('utf8').trim();
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}

// Reads the lines of a file from the first to the last, with one chunk and one line in memory.

const FORWARD_CHUNK_BYTES = 256 * 1024;

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
      Buffer.alloc(FORWARD_CHUNK_BYTES),
      0,
      FORWARD_CHUNK_BYTES,
      position,
    );
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
