// The retention rule for tasks: removes finished ones by age, number and total size.
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RetentionRule, Swept } from '../files/sweeper.ts';
import { ENVELOPE_KIND } from './task-ledger.ts';
import { findTaskIds } from './task-ids.ts';
import { readRow, type TaskRow } from './task-row.ts';

const ACTIVE_STATUSES = new Set<string>(['PENDING', 'RUNNING']);

/** A draft or partly removed folder of this age is left over from a process that died. */
const LEFT_MS = 60 * 60 * 1000;

const LEFT = /^\.[0-9a-f]{12}\.tmp$/;

interface KeepTasksOptions {
  readonly folder: string;
  readonly ids: () => Promise<string[]>;
  readonly row: (id: string) => TaskRow | undefined;
  readonly maxAgeMs: number;
  readonly maxTasks: number;
  readonly maxTotalBytes: number;
}

/** Limits on age, number and total size of finished tasks. */
export const taskRetention = (folder: string): RetentionRule =>
  keepTasks({
    folder,
    ids: async () => (await findTaskIds(folder, '')).toReversed(),
    row: (id) => readRow(join(folder, id), id),
    maxAgeMs: 30 * 24 * 60 * 60 * 1000,
    maxTasks: 10_000,
    maxTotalBytes: 8 * 1024 ** 3,
  });

export const keepTasks = ({
  folder,
  ids,
  row,
  maxAgeMs,
  maxTasks,
  maxTotalBytes,
}: KeepTasksOptions): RetentionRule => ({
  name: 'tasks',
  sweep: async (now) => {
    let [files, bytes, total] = [0, 0, 0];
    const remove = async (path: string, size: Swept): Promise<void> => {
      await removeFolder(folder, path);
      files += size.files;
      bytes += size.bytes;
    };
    for (const [place, id] of (await ids()).entries()) {
      const path = join(folder, id);
      const size = await measureFolder(path);
      total += size.bytes;
      const found = row(id);
      const ended = findEndTime(found);
      if (ended === undefined) {
        // Running or unreadable tasks are kept, except abandoned envelopes.
        if (isHostsOwn(found) && size.touchedMs < now - maxAgeMs) await remove(path, size);
        continue;
      }
      if (place >= maxTasks || ended < now - maxAgeMs || total > maxTotalBytes)
        await remove(path, size);
    }
    for (const path of await leftovers(folder, now)) await remove(path, await measureFolder(path));
    return { files, bytes };
  },
});

const findEndTime = (row: TaskRow | undefined): number | undefined => {
  if (!row || 'unreadable' in row) return undefined;
  const { status, ended_at: endedAt, created_at: createdAt } = row.meta;
  return ACTIVE_STATUSES.has(status) ? undefined : (endedAt ?? createdAt);
};

/** Only the host ends an envelope, and some hosts never do. */
const isHostsOwn = (row: TaskRow | undefined): boolean =>
  row !== undefined && 'meta' in row && row.meta.kind === ENVELOPE_KIND;

interface TaskFolder extends Swept {
  /** Time of the last write in the folder; Infinity for an empty folder, which counts as recent. */
  readonly touchedMs: number;
}

const measureFolder = async (folder: string): Promise<TaskFolder> => {
  const names = await readdir(folder).catch(() => []);
  const stats = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  const found = stats.flatMap((stats) => stats ?? []);
  return {
    files: names.length,
    bytes: found.reduce((sum, { size }) => sum + size, 0),
    touchedMs: found.length === 0 ? Infinity : Math.max(...found.map(({ mtimeMs }) => mtimeMs)),
  };
};

/** Renames the folder first, so that no reader sees a partly removed task. */
const removeFolder = async (root: string, path: string): Promise<void> => {
  const aside = join(root, `.${randomBytes(6).toString('hex')}.tmp`);
  const moved = await rename(path, aside).then(
    () => true,
    () => false, // another process has already removed it
  );
  if (moved) await rm(aside, { recursive: true, force: true });
};

const leftovers = async (root: string, now: number): Promise<string[]> => {
  const paths = (await readdir(root).catch(() => []))
    .filter((name) => LEFT.test(name))
    .map((name) => join(root, name));
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, i) => (stats[i]?.mtimeMs ?? now) < now - LEFT_MS);
};
