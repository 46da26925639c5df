// The usual retention rule: by age, then by size, and never more than what belongs to the store.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepFiles } from './keep-files.ts';
import type { RetentionRule } from './sweeper.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const MINUTE = 60_000;

let folder: string;
const rule = (): RetentionRule =>
  keepFiles({
    name: 'things',
    folder,
    owns: (file) => file.endsWith('.thing'),
    maxAgeMs: 100 * MINUTE,
    maxTotalBytes: 1_000,
  });
const plant = async (name: string, ageMinutes: number, bytes = 10): Promise<void> => {
  await writeFile(join(folder, name), 'x'.repeat(bytes));
  const at = new Date(NOW - ageMinutes * MINUTE);
  await utimes(join(folder, name), at, at);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-keep-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('removes files that are too old', async () => {
  await plant('new.thing', 1);
  await plant('old.thing', 101);
  expect(await rule().sweep(NOW)).toEqual({ files: 1, bytes: 10 });
  expect(await readdir(folder)).toEqual(['new.thing']);
});

it('removes the oldest until the rest is below the limit', async () => {
  await plant('a.thing', 1, 400);
  await plant('b.thing', 2, 400);
  await plant('c.thing', 3, 400);
  await plant('d.thing', 4, 100);
  expect(await rule().sweep(NOW)).toEqual({ files: 2, bytes: 500 });
  expect((await readdir(folder)).sort()).toEqual(['a.thing', 'b.thing']);
});

it('keeps files and folders that do not belong to the store', async () => {
  await plant('letter.txt', 1_000);
  await mkdir(join(folder, 'folder.thing'));
  expect(await rule().sweep(NOW)).toEqual({ files: 0, bytes: 0 });
  expect((await readdir(folder)).sort()).toEqual(['folder.thing', 'letter.txt']);
});

it('removes files of a writer that died an hour ago, and keeps those of an active one', async () => {
  await plant('.a.thing.0123456789ab.tmp', 61);
  await plant('.b.thing.0123456789ab.tmp', 1);
  await plant('.hidden', 1_000);
  expect(await rule().sweep(NOW)).toEqual({ files: 1, bytes: 10 });
  expect((await readdir(folder)).sort()).toEqual(['.b.thing.0123456789ab.tmp', '.hidden']);
});
