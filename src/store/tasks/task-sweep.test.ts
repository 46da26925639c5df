// Which tasks are swept away, and which never are.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTaskIds } from '../../core/ids.ts';
import { keepTasks } from './task-sweep.ts';
import { readRow } from './task-row.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = 1_900_000_000_000;

let folder = '';
let now = NOW;
const nextId = createTaskIds(() => now);

const task = async (status: string, endedAt = now, bytes = 0, kind = 'k'): Promise<string> => {
  const id = nextId();
  const meta = {
    task_id: id,
    kind,
    status,
    session: 's',
    pid: 1,
    process_started_at: 1,
    created_at: endedAt,
    ended_at: endedAt,
    args_summary: {},
  };
  await mkdir(join(folder, id));
  await writeFile(join(folder, id, 'meta.json'), status === 'TORN' ? '{' : JSON.stringify(meta));
  await writeFile(join(folder, id, 'result.json'), 'x'.repeat(bytes));
  return id;
};

const sweep = async (
  limits: { maxTasks?: number; maxTotalBytes?: number } = {},
): Promise<{ files: number; left: string[] }> => {
  const ids = async (): Promise<string[]> =>
    (await readdir(folder))
      .filter((name) => !name.startsWith('.'))
      .sort()
      .toReversed();
  const rule = keepTasks({
    folder,
    ids,
    row: (id) => readRow(join(folder, id), id),
    maxAgeMs: 30 * DAY_MS,
    maxTasks: 100,
    maxTotalBytes: 1e9,
    ...limits,
  });
  return { files: (await rule.sweep(NOW)).files, left: (await readdir(folder)).sort() };
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-sweep-'));
  now = NOW;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the sweep of tasks', () => {
  it('removes tasks that ended too long ago', async () => {
    await task('COMPLETED', NOW - 31 * DAY_MS);
    await task('FAILED', NOW - 31 * DAY_MS);
    const young = await task('CANCELLED', NOW - 29 * DAY_MS);
    expect(await sweep()).toEqual({ files: 4, left: [young] });
  });

  it('takes the oldest when there are too many', async () => {
    const ids = [];
    for (let i = 0; i < 6; i++) ids.push(await task('COMPLETED'));
    expect((await sweep({ maxTasks: 4 })).left).toEqual(ids.slice(2));
  });

  it('takes the oldest when they are too large together', async () => {
    await task('COMPLETED', NOW, 100);
    const [kept, newest] = [
      await task('COMPLETED', NOW, 5_000),
      await task('COMPLETED', NOW, 4_000),
    ];
    expect((await sweep({ maxTotalBytes: 9_400 })).left).toEqual([kept, newest]);
  });

  it('never takes what still runs or cannot be read', async () => {
    const old = NOW - 90 * DAY_MS;
    const ids = [await task('RUNNING', old), await task('PENDING', old), await task('TORN', old)];
    expect(await sweep({ maxTasks: 0, maxTotalBytes: 0 })).toEqual({ files: 0, left: ids });
  });

  it('removes envelopes that were unused for the retention time of finished tasks', async () => {
    const touched = async (daysAgo: number): Promise<string> => {
      const id = await task('RUNNING', NOW - 90 * DAY_MS, 0, 'browser_task');
      const time = new Date(NOW - daysAgo * DAY_MS);
      for (const name of await readdir(join(folder, id)))
        await utimes(join(folder, id, name), time, time);
      return id;
    };
    await touched(31);
    const used = await touched(29);
    expect(await sweep({ maxTasks: 0, maxTotalBytes: 0 })).toEqual({ files: 2, left: [used] });
  });

  it('removes incomplete folders after a crash, once they are old', async () => {
    await mkdir(join(folder, '.0123456789ab.tmp'));
    await mkdir(join(folder, '.ba9876543210.tmp'));
    await utimes(join(folder, '.0123456789ab.tmp'), new Date(NOW - DAY_MS), new Date(NOW - DAY_MS));
    await utimes(join(folder, '.ba9876543210.tmp'), new Date(NOW), new Date(NOW));
    expect((await sweep()).left).toEqual(['.ba9876543210.tmp']);
  });

  it('does nothing without tasks', async () => {
    await rm(folder, { recursive: true });
    const rule = keepTasks({
      folder,
      ids: async () => [],
      row: () => undefined,
      maxAgeMs: 1,
      maxTasks: 1,
      maxTotalBytes: 1,
    });
    expect(await rule.sweep(NOW)).toEqual({ files: 0, bytes: 0 });
  });
});
