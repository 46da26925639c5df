// Reads the entries that a running task appends to a working file, each one once.
import { openRegularFile } from '../../system/regular-file.ts';
import { parseJson } from '../../core/json.ts';

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

export class EntryTail {
  readonly #path: string;
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the complete entries since the last call; none if the file does not exist yet. */
  async readNew(): Promise<unknown[]> {
    await using file = await openRegularFile(this.#path);
    if (!file) return [];
    const found: unknown[] = [];
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) return found;
      this.#position += bytesRead;
      found.push(...this.#takeEntries(chunk.subarray(0, bytesRead)));
    }
  }

  #takeEntries(chunk: Buffer): unknown[] {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#rest = bytes.subarray(end);
    const lines = bytes.subarray(0, end).toString('utf8').split('\n');
    return lines.flatMap((line) => (line.trim() === '' ? [] : parseLine(line)));
  }
}

/** A line that a killed process did not complete is skipped. */
const parseLine = (line: string): unknown[] => {
  try {
    return [parseJson(line)];
  } catch {
    return [];
  }
};
