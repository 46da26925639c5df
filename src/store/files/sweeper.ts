// Retention: rules by age and total size, applied to every store at regular intervals.
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../core/defined.ts';
import type { Log } from '../../core/log.ts';
import { after, every } from '../../core/time.ts';
import { isMissing } from '../../system/disk-error.ts';
import { isTemporary } from '../../system/replace-file.ts';
import { findLogDay } from './jsonl-log.ts';

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** The retention rule of one store. */
export interface RetentionRule {
  readonly name: string;
  /** Default: one hour. */
  readonly everyMs?: number;
  /** Removes expired files. Other processes may sweep the same folder at the same time. */
  sweep(now: number): Promise<Swept>;
}

/** The first sweep is delayed, so that it does not slow down the start and the first calls. */
const FIRST_AFTER_MS = 30_000;
const EVERY_MS = 60 * 60_000;

export class Sweeper implements Disposable {
  readonly #log: Log;
  readonly #timers: readonly Disposable[];

  constructor(rules: readonly RetentionRule[], log: Log) {
    this.#log = log;
    this.#timers = rules.flatMap((rule) => {
      const { everyMs = EVERY_MS } = rule;
      const sweep = (): Promise<void> => this.#sweep(rule);
      return [after(Math.min(FIRST_AFTER_MS, everyMs), () => void sweep()), every(everyMs, sweep)];
    });
  }

  /** Logs a failure. The rule runs again at its next interval. */
  async #sweep(rule: RetentionRule): Promise<void> {
    try {
      const { files, bytes } = await rule.sweep(Date.now());
      if (files > 0)
        this.#log.info(`deleted ${files} expired files (${bytes} bytes): ${rule.name}`);
    } catch (error) {
      this.#log.warn(`deleting expired files failed: ${rule.name}`, error);
    }
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }
}

// A retention rule for the files of one folder, by age and total size.

/** A temporary file of this age is left over from a process that died. */
const TEMPORARY_MS = 60 * 60 * 1000;

interface KeepFilesOptions {
  readonly name: string;
  readonly folder: string;
  /** Whether the file belongs to this store; other files are not touched. */
  readonly owns: (file: string) => boolean;
  /** Also applies to the files of these direct subfolders, and removes empty ones. */
  readonly subfolders?: (name: string) => boolean;
  readonly maxAgeMs: number;
  readonly maxTotalBytes: number;
}

interface KeptFile {
  readonly path: string;
  readonly modifiedMs: number;
  readonly bytes: number;
}

export const keepFiles = ({
  name,
  folder,
  owns,
  subfolders,
  maxAgeMs,
  maxTotalBytes,
}: KeepFilesOptions): RetentionRule => ({
  name,
  sweep: async (now) => {
    const folders = subfolders ? [folder, ...(await listFolders(folder, subfolders))] : [folder];
    const found = await Promise.all(
      folders.map(async (one) => {
        const files = await filesIn(one);
        return [
          await lookAt(one, files.filter(isTemporary)),
          await lookAt(one, files.filter(owns)),
        ];
      }),
    );
    const left = found.flatMap(([temporary = []]) => temporary);
    const kept = found
      .flatMap(([, owned = []]) => owned)
      .sort((a, b) => b.modifiedMs - a.modifiedMs);
    let total = 0;
    const overdue = kept.filter(
      ({ modifiedMs, bytes }) => (total += bytes) > maxTotalBytes || modifiedMs < now - maxAgeMs,
    );
    const swept = await removeAll([
      ...overdue,
      ...left.filter(({ modifiedMs }) => modifiedMs < now - TEMPORARY_MS),
    ]);
    // fails for a folder that still has files
    for (const one of folders.slice(1)) await rmdir(one).catch(() => {});
    return swept;
  },
});

const listFolders = async (
  folder: string,
  accepts: (name: string) => boolean,
): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // missing
  return entries
    .filter((one) => one.isDirectory() && accepts(one.name))
    .map((one) => join(folder, one.name));
};

const filesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

const lookAt = async (folder: string, files: readonly string[]): Promise<KeptFile[]> => {
  const found: KeptFile[] = [];
  for (const file of files) {
    const path = join(folder, file);
    const stats = await stat(path).catch(() => undefined); // missing: another process swept it
    if (stats?.isFile()) found.push({ path, modifiedMs: stats.mtimeMs, bytes: stats.size });
  }
  return found;
};

const removeAll = async (files: readonly KeptFile[]): Promise<Swept> => {
  for (const { path } of files) await rm(path, { force: true });
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
};

/**
 * A rule whose code is loaded only if the folder has files: a server that has not loaded its engine
 * must not load the schemas of the stores.
 */
export const loadRule = (
  { name, folder, everyMs }: Pick<RetentionRule, 'name' | 'everyMs'> & { readonly folder: string },
  load: () => Promise<RetentionRule['sweep']>,
): RetentionRule => ({
  ...defined({ name, everyMs }),
  sweep: async (now) => {
    if ((await filesIn(folder)).length === 0) return { files: 0, bytes: 0 };
    const sweep = await load();
    return sweep(now);
  },
});

// Retention rules for the journal, network captures, evidence bundles, saved sessions and downloads
// in the home folder. They need no schemas.

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const DAY_MS = 86_400_000;

/** Matches generated names only, so that bundles that a user renamed are kept. */
const EVIDENCE_FILE = /^[a-z\d.-]+-\d{8}T\d{9}Z-[\da-f]{4}\.tar\.gz$/;
const SNAPSHOT_FILE = /^snap_[\da-f]{16}\.json(?:\.corrupt-\d+)?$/;

/** The downloads of a session with its own storage; other folders are the user's. */
const SESSION_FOLDER = /^session-[\w-]{1,40}-[\dA-Fa-f]{8}$/;

/** The beginning of the names of the journal's files. */
export const JOURNAL_NAME = 'journal';

export const journalRetention = (folder: string): RetentionRule =>
  keepFiles({
    name: 'journal',
    folder,
    owns: (file) => findLogDay(JOURNAL_NAME, file) !== undefined,
    maxAgeMs: 7 * DAY_MS,
    maxTotalBytes: 256 * MIB,
  });

/** Readers accept captures of a day by default, and older ones on request. */
export const networkCacheRetention = (folder: string): RetentionRule =>
  keepFiles({
    name: 'network captures',
    folder,
    owns: (file) => /^browser_.*\.json(?:\.corrupt-\d+)?$/.test(file),
    maxAgeMs: 7 * DAY_MS,
    maxTotalBytes: 256 * MIB,
  });

export const evidenceRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'evidence bundles',
    folder,
    owns: (file) => EVIDENCE_FILE.test(file),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: 2 * GIB,
  });

export const snapshotRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'saved sessions',
    folder,
    owns: (file) => SNAPSHOT_FILE.test(file),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: GIB,
  });

/** Applies to every file in the folder, because pages choose the names of downloads. */
export const downloadRetention = (folder: string, keepDays: number): RetentionRule =>
  keepFiles({
    name: 'downloads',
    folder,
    owns: () => true,
    subfolders: (name) => SESSION_FOLDER.test(name),
    maxAgeMs: keepDays * DAY_MS,
    maxTotalBytes: 4 * GIB,
  });

// Measures the size of all files in a folder.

const MAX_FILES = 200_000;

/** Bytes of all files below the folder; 0 if it does not exist. */
export const measureFolder = async (folder: string): Promise<number> => {
  // A missing folder has no files.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries.slice(0, MAX_FILES)) {
    if (!entry.isFile()) continue;
    // A file may be deleted while it is measured.
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += found?.size ?? 0;
  }
  return bytes;
};
