// What tools left in the home folder goes when it is old, and nothing else does.
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { downloadRetention, evidenceRetention, snapshotRetention } from './artifact-sweep.ts';
import { evidencePath } from './evidence.ts';
import { SessionSnapshots } from './session-snapshots.ts';

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
