// The sweeper: every rule in its rhythm, and none that can spoil it for the others.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../core/log.ts';
import { evidencePath } from './evidence.ts';
import { SessionSnapshots } from './session-snapshots.ts';
import {
  downloadRetention,
  evidenceRetention,
  keepFiles,
  type RetentionRule,
  snapshotRetention,
  Sweeper,
  type Swept,
} from './sweeper.ts';

const logged: string[] = [];
const log = createLog({ level: 'info', write: (line) => logged.push(line) });
const rule = (name: string, sweep: () => Promise<Swept>, everyMs?: number): RetentionRule => ({
  name,
  sweep: vi.fn(sweep),
  ...(everyMs === undefined ? {} : { everyMs }),
});
const nothing = async (): Promise<Swept> => ({ files: 0, bytes: 0 });
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
  logged.length = 0;
});
afterEach(() => vi.useRealTimers());

it('sweeps for the first time when the start is over, then every hour', async () => {
  const journal = rule('journal', nothing);
  using _ = new Sweeper([journal], log);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(journal.sweep).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(journal.sweep).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(journal.sweep).toHaveBeenCalledTimes(3);
});

it('follows a rule that wants to be swept more often', async () => {
  const outputs = rule('outputs', nothing, 2_000);
  using _ = new Sweeper([outputs], log);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(vi.mocked(outputs.sweep).mock.calls.length).toBeGreaterThanOrEqual(1);
});

it('logs removed files and failures, and continues', async () => {
  const broken = rule('broken', () => Promise.reject(new Error('no permission')));
  const journal = rule('journal', async () => ({ files: 2, bytes: 99 }));
  using _ = new Sweeper([broken, journal], log);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(logged.join('')).toContain('deleting expired files failed: broken');
  expect(logged.join('')).toContain('deleted 2 expired files (99 bytes): journal');
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(broken.sweep).toHaveBeenCalledTimes(2);
});

it('stops when it is disposed', async () => {
  const journal = rule('journal', nothing);
  new Sweeper([journal], log)[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(journal.sweep).not.toHaveBeenCalled();
});

describe('keep files', () => {
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
});

const DAY_MS = 86_400_000;

it('keeps new files and files with other names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-sweep-'));
  const old = evidencePath(folder, 'https://Shop.example:8080/x', 1_700_000_000_000);
  const odd = evidencePath(folder, 'about:blank', 1_700_000_000_000);
  const young = evidencePath(folder, 'https://shop.example/', Date.now());
  const id = await new SessionSnapshots(folder).save({
    session: 'default',
    created_at: 1,
    memo: {},
    tabs: [],
    cookies: [],
    origins: [],
  });
  const snapshot = join(folder, `${id}.json`);
  const mine = join(folder, 'mine.tar.gz');
  for (const path of [old, odd, young, mine]) await writeFile(path, 'x');
  const before = new Date(Date.now() - 40 * DAY_MS);
  for (const path of [old, odd, mine, snapshot]) await utimes(path, before, before);
  expect(await evidenceRetention(folder, 30).sweep(Date.now())).toEqual({ files: 2, bytes: 2 });
  expect(await snapshotRetention(folder, 60).sweep(Date.now())).toMatchObject({ files: 0 });
  expect(await snapshotRetention(folder, 30).sweep(Date.now())).toMatchObject({ files: 1 });
  expect((await readdir(folder)).sort()).toEqual(['mine.tar.gz', basename(young)].sort());
  await rm(folder, { recursive: true });
});

it('removes old downloads of any name, but no folders', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-sweep-'));
  const [old, young] = [join(folder, 'report (1).csv'), join(folder, 'new.zip')];
  for (const path of [old, young]) await writeFile(path, 'x');
  await mkdir(join(folder, 'mine'));
  const before = new Date(Date.now() - 40 * DAY_MS);
  await utimes(old, before, before);
  await utimes(join(folder, 'mine'), before, before);
  expect(await downloadRetention(folder, 30).sweep(Date.now())).toEqual({ files: 1, bytes: 1 });
  expect((await readdir(folder)).sort()).toEqual(['mine', 'new.zip']);
  await rm(folder, { recursive: true });
});
