// Reads the lines of a file from the last to the first, with one chunk and one line in memory.
import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 64 * 1024;
/** Longer lines are not log entries and are not kept in memory. */
const MAX_LINE_BYTES = 1024 * 1024;
const NEWLINE = 10;

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
