// Files that a task appends to while it runs, so that a cancelled or killed task keeps its data.
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { parseJson } from '../../core/json.ts';
import { TimeSlices } from '../../core/time-slices.ts';
import { appendLine } from '../files/append-line.ts';
import type { PayloadWriter } from '../files/payload-writer.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { linesForward } from '../files/lines-forward.ts';
import { openRegularFile } from '../../system/regular-file.ts';

export interface KeptFiles {
  /** Entries of a file, oldest first; none if the file is missing. Skips incomplete lines. */
  entries<T>(file: string): AsyncIterable<T>;
}

export interface WorkingFiles extends KeptFiles {
  /** Appends an entry without its secrets to a file such as `pages.jsonl`, synchronously. */
  append(file: string, entry: unknown): void;
  /** As `append`, for an entry that may be large. Throws the reason of an aborted signal. */
  appendLarge(file: string, entry: unknown, signal?: AbortSignal): Promise<void>;
}

const NAME = /^[a-z][a-z0-9-]{0,40}\.jsonl$/;

type WriteEntry = (file: string, entry: unknown) => void;

const appendWith = (
  writer: PayloadWriter,
  write: WriteEntry,
): Pick<WorkingFiles, 'append' | 'appendLarge'> => ({
  append: (file, entry) => write(file, writer.clean(entry)),
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
