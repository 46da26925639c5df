// An append-only log of JSON lines with one or more files per day.
import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { attempt } from '../../core/attempt.ts';
import { ifDefined } from '../../core/defined.ts';
import { appendLine, linesBackwards } from './line-files.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolderNow, openRegularFile } from '../../system/private-files.ts';

interface JsonlLogOptions<T> {
  readonly folder: string;
  /** `journal` gives journal-2026-11-15.jsonl. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** A file that is larger than this is renamed, and a new file is started. */
  readonly maxFileBytes?: number;
  readonly now?: () => number;
}

/** Entries that a reader had to skip. */
export interface Gaps {
  /** Lines that could not be parsed, for example after a crash. */
  torn: number;
  /** Files that could not be opened or read. */
  readonly unreadable: string[];
}

export class JsonlLog<T> {
  readonly #options: JsonlLogOptions<T>;
  readonly #now: () => number;
  #file: string | undefined;
  /** The last line may lack its newline. */
  #suspect = true;

  constructor(options: JsonlLogOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Synchronous, because it takes microseconds and the line then survives a crash of this process.
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
      this.#file = undefined; // the next append checks the folder and the last line again
      throw storageFailure('append to', file, error);
    }
  }

  /**
   * Yields entries from the newest to the oldest. Only the parts that the caller consumes are read.
   */
  async *newestFirst(gaps: Gaps = { torn: 0, unreadable: [] }): AsyncGenerator<T> {
    for (const name of (await this.files()).toReversed()) {
      try {
        await using file = await openRegularFile(join(this.#options.folder, name));
        if (!file) continue; // removed by a sweep
        for await (const line of linesBackwards(file)) {
          const entry = ifDefined(line, (line) => this.#parse(line));
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
    return names.filter((name) => findLogDay(this.#options.name, name) !== undefined).sort();
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
      this.#begin(file); // the folder was removed while the log was open
      this.#write(file, line);
    }
  }

  #write(file: string, line: string): void {
    const suspect = this.#suspect;
    this.#suspect = true; // until the whole line is known to be written
    const size = appendLine(file, line, { suspect });
    this.#suspect = false;
    if (size > (this.#options.maxFileBytes ?? Infinity)) this.#continueElsewhere(file);
  }

  /** `-` sorts before `.`, so the full files of a day sort before the current one. */
  #continueElsewhere(file: string): void {
    try {
      renameSync(file, file.replace(/\.jsonl$/, `-${this.#now()}.jsonl`));
    } catch (error) {
      if (!isMissing(error)) throw error; // missing: another process has already renamed it
    }
  }

  #parse(line: string): T | undefined {
    return attempt(() => this.#options.schema.safeParse(JSON.parse(line)).data);
  }
}

/** Days are in UTC, so that every process uses the same day without gaps. */
export const formatDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day in the name of a file of the log `name`; undefined for other files. */
export const findLogDay = (name: string, file: string): string | undefined => {
  const prefix = `${name}-`;
  const match = file.startsWith(prefix)
    ? /^(\d{4}-\d{2}-\d{2})(?:-\d{13})?\.jsonl$/.exec(file.slice(prefix.length))
    : null;
  return match?.[1];
};
