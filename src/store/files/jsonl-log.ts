// An append-only log of JSON lines: one write for one line, files by day, and a reader that skips
// what a crash tore.
import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { appendLine } from './append-line.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolderNow } from '../../system/folders.ts';
import { linesBackwards } from './lines-backwards.ts';
import { openRegularFile } from '../../system/regular-file.ts';

interface JsonlLogOptions<T> {
  readonly folder: string;
  /** `journal` gives journal-2026-11-15.jsonl. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** A file that grew beyond this is continued in a new one. */
  readonly maxFileBytes?: number;
  readonly now?: () => number;
}

/** What a reader had to leave out. */
export interface Gaps {
  /** Lines that could not be read: torn by a crash, or not ours. */
  torn: number;
  /** Files that could not be read at all. */
  readonly unreadable: string[];
}

export class JsonlLog<T> {
  readonly #options: JsonlLogOptions<T>;
  readonly #now: () => number;
  #file: string | undefined;
  /** The last line may lack its end, so that the next one must not be glued to it. */
  #suspect = true;

  constructor(options: JsonlLogOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Appends synchronously: it takes microseconds, and what was appended survives the end of this
   * process, however it comes.
   */
  append(entry: T): void {
    const file = join(
      this.#options.folder,
      `${this.#options.name}-${formatDay(this.#now())}.jsonl`,
    );
    const line = JSON.stringify(entry);
    try {
      if (file !== this.#file) this.#begin(file);
      this.#writeInFolder(file, line);
    } catch (error) {
      this.#file = undefined; // whatever it was, begin anew next time
      throw storageFailure('append to', file, error);
    }
  }

  /**
   * The entries from the newest to the oldest: reading costs what is taken, not what the log holds.
   */
  async *newestFirst(gaps: Gaps = { torn: 0, unreadable: [] }): AsyncGenerator<T> {
    for (const name of (await this.files()).toReversed()) {
      try {
        await using file = await openRegularFile(join(this.#options.folder, name));
        if (!file) continue; // swept meanwhile
        for await (const line of linesBackwards(file)) {
          const entry = line === undefined ? undefined : this.#parse(line);
          if (entry === undefined) gaps.torn++;
          else yield entry;
        }
      } catch {
        gaps.unreadable.push(name);
      }
    }
  }

  /** The log's files, oldest first. */
  async files(): Promise<string[]> {
    const names = await readdir(this.#options.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw storageFailure('read', this.#options.folder, error);
    });
    return names.filter((name) => this.dayOfFile(name) !== undefined).sort();
  }

  /** The day that a file of this log is about; nothing for a file of another kind. */
  dayOfFile(name: string): string | undefined {
    const prefix = `${this.#options.name}-`;
    const match = name.startsWith(prefix)
      ? /^(\d{4}-\d{2}-\d{2})(?:-\d{13})?\.jsonl$/.exec(name.slice(prefix.length))
      : null;
    return match?.[1];
  }

  #begin(file: string): void {
    ensureFolderNow(this.#options.folder);
    this.#file = file;
    this.#suspect = true;
  }

  #writeInFolder(file: string, line: string): void {
    try {
      this.#write(file, line);
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#begin(file); // somebody cleaned the folder away under us
      this.#write(file, line);
    }
  }

  #write(file: string, line: string): void {
    const suspect = this.#suspect;
    this.#suspect = true; // until the line is known to be written as a whole
    const size = appendLine(file, line, { suspect });
    this.#suspect = false;
    if (size > (this.#options.maxFileBytes ?? Infinity)) this.#continueElsewhere(file);
  }

  /** `-` sorts before `.`: the full parts of a day stand before the file that still grows. */
  #continueElsewhere(file: string): void {
    try {
      renameSync(file, file.replace(/\.jsonl$/, `-${this.#now()}.jsonl`));
    } catch (error) {
      if (!isMissing(error)) throw error; // missing: another process was faster
    }
  }

  #parse(line: string): T | undefined {
    try {
      return this.#options.schema.safeParse(JSON.parse(line)).data;
    } catch {
      return undefined;
    }
  }
}

/** Days are UTC: they have no seams and are the same for every process. */
export const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
