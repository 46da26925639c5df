// A retention rule for the files of one folder, by age and total size.
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../system/disk-error.ts';
import { isTemporary } from '../../system/replace-file.ts';
import type { RetentionRule, Swept } from './sweeper.ts';

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
