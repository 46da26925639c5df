// Files that a task appends to while it runs, so that a cancelled or killed task keeps its data.
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { parseJson } from '../../core/json.ts';
import { TimeSlices } from '../../core/time.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { openRegularFile } from '../../system/private-files.ts';
import { appendLine, linesForward } from '../files/line-files.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';

export interface KeptFiles {
  /** Entries of a file, oldest first; none if the file is missing. Skips incomplete lines. */
  entries<T>(file: string): AsyncIterable<T>;
}

/** Reads the entries that a running task appends, each one once. */
export interface NewEntries {
  /** The complete entries since the last call. */
  readNew(): Promise<unknown[]>;
}

export interface WorkingFiles extends KeptFiles {
  /**
   * Appends an entry without its secrets to a file such as `pages.jsonl`. Entries are stored in the
   * order of the calls; on disk, before `append` returns.
   */
  append(file: string, entry: unknown): Promise<void>;
  /** As `append`, for an entry that may be large. Throws the reason of an aborted signal. */
  appendLarge(file: string, entry: unknown, signal?: AbortSignal): Promise<void>;
}

const NAME = /^[a-z][a-z0-9-]{0,40}\.jsonl$/;

type WriteEntry = (file: string, entry: unknown) => void;

const appendWith = (
  writer: PayloadWriter,
  write: WriteEntry,
): Pick<WorkingFiles, 'append' | 'appendLarge'> => ({
  append: async (file, entry) => write(file, writer.clean(entry)),
  appendLarge: async (file, entry, signal) => {
    const clean = await writer.cleanLarge(entry, signal);
    signal?.throwIfAborted();
    write(file, clean);
  },
});

/** Working files in the folder of a task. `taken` lists reserved names. */
export const openWorkingFiles = (
  folder: string,
  taken: readonly string[],
  writer: PayloadWriter,
): WorkingFiles => {
  const sound = new Set<string>();
  const pathOf = (file: string): string => {
    if (!NAME.test(file) || taken.includes(file))
      throw new Error(`"${file}" cannot be the name of a working file`);
    return join(folder, file);
  };
  const write: WriteEntry = (file, entry) => {
    const path = pathOf(file);
    const suspect = !sound.delete(file);
    try {
      appendLine(path, toLine(entry), { suspect });
      sound.add(file);
    } catch (error) {
      throw storageFailure('append to', path, error);
    }
  };
  return {
    ...appendWith(writer, write),
    entries: (file) => readEntries(pathOf(file)),
  };
};

/** Working files in memory, for a call without a task; they are dropped when the call ends. */
export const createWorkingFiles = (writer: PayloadWriter): WorkingFiles => {
  const kept = new Map<string, string[]>();
  const write: WriteEntry = (file, entry) => {
    const lines = kept.get(file) ?? [];
    lines.push(toLine(entry));
    kept.set(file, lines);
  };
  return {
    ...appendWith(writer, write),
    async *entries<T>(file: string) {
      const slices = new TimeSlices();
      for (const line of kept.get(file) ?? []) {
        if (slices.isOver) await slices.pause();
        yield JSON.parse(line) as T;
      }
    },
  };
};

const toLine = (entry: unknown): string => {
  const line = JSON.stringify(entry) as string | undefined;
  if (line === undefined) throw new Error('only JSON values can be stored');
  return line;
};

async function* readEntries<T>(path: string): AsyncGenerator<T> {
  await using file = await openRegularFile(path);
  if (!file) return;
  const slices = new TimeSlices();
  for await (const line of linesForward(file)) {
    if (slices.isOver) await slices.pause();
    const entry = parse(line);
    if (entry !== undefined) yield entry as T;
  }
}

const parse = (line: string): unknown => attempt(() => parseJson(line));

// Reads the entries that a running task appends to a working file, each one once.

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;

export class EntryTail implements NewEntries {
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
  return attempt(() => [parseJson(line)], []);
};
