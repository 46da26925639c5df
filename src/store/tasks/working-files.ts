// What long work keeps while it goes on, line by line, so that cancelling, failing and being killed
// lose nothing of it.
import { join } from 'node:path';
import { appendLine } from '../files/append-line.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { linesForward } from '../files/lines-forward.ts';
import { openRegularFile } from '../../system/regular-file.ts';

export interface KeptFiles {
  /**
   * What was kept in a file, oldest first; nothing where there is no such file. A line that was
   * torn is left out.
   */
  entries<T>(file: string): AsyncIterable<T>;
}

export interface WorkingFiles extends KeptFiles {
  /** Keeps one more entry in a file (`pages.jsonl`); it has been written when this returns. */
  append(file: string, entry: unknown): void;
}

const NAME = /^[a-z][a-z0-9-]{0,40}\.jsonl$/;

/** Working files in a task's folder, beside its own. */
export const openWorkingFiles = (folder: string, taken: readonly string[]): WorkingFiles => {
  const sound = new Set<string>();
  const pathOf = (file: string): string => {
    if (!NAME.test(file) || taken.includes(file))
      throw new Error(`"${file}" cannot be the name of a working file`);
    return join(folder, file);
  };
  return {
    append: (file, entry) => {
      const path = pathOf(file);
      const suspect = !sound.delete(file);
      try {
        appendLine(path, lineOf(entry), { suspect });
        sound.add(file);
      } catch (error) {
        throw storageFailure('append to', path, error);
      }
    },
    entries: (file) => entriesOf(pathOf(file)),
  };
};

/** Working files of a call that is waited for: they end with it, so that memory is enough. */
export const createWorkingFiles = (): WorkingFiles => {
  const kept = new Map<string, string[]>();
  return {
    append: (file, entry) => {
      const lines = kept.get(file) ?? [];
      lines.push(lineOf(entry));
      kept.set(file, lines);
    },
    async *entries<T>(file: string) {
      for (const line of kept.get(file) ?? []) yield JSON.parse(line) as T;
    },
  };
};

const lineOf = (entry: unknown): string => {
  const line = JSON.stringify(entry) as string | undefined;
  if (line === undefined) throw new Error('only what JSON can say can be kept');
  return line;
};

async function* entriesOf<T>(path: string): AsyncGenerator<T> {
  await using file = await openRegularFile(path);
  if (!file) return;
  for await (const line of linesForward(file)) {
    const entry = parse(line);
    if (entry !== undefined) yield entry as T;
  }
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};
