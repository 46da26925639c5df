// The daemon's log: bounded however much is written, and read from its end.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLogWriter, followDaemonLog, openDaemonLog, tailDaemonLog } from './daemon-log.ts';

const makePath = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'home', 'daemon.log');
};

it('has a line with a time for every written line, readable only by its owner', async () => {
  const path = await makePath();
  const write = createLogWriter(path);
  write('one\ntwo\n');
  write('three');
  const lines = tailDaemonLog(path, { lines: 10 });
  expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual(['one', 'two', 'three']);
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z one$/);
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it('stays small: a full file is renamed, and the last lines of an inherited stream are still written', async () => {
  const path = await makePath();
  const inherited = openDaemonLog(path);
  const write = createLogWriter(path);
  for (let i = 0; i < 3000; i++) write(`${i} ${'x'.repeat(1000)}`);
  writeSync(inherited.fd, 'last words\n');
  inherited.close();
  const sizes = await Promise.all([path, `${path}.1`].map(async (file) => (await stat(file)).size));
  for (const size of sizes) expect(size).toBeLessThan(1024 * 1024 + 2000);
  expect(tailDaemonLog(path, { lines: 1 })).toEqual(['last words']);
});

it('is read from an offset, and is empty if it does not exist', async () => {
  const path = await makePath();
  expect(tailDaemonLog(path, { lines: 5 })).toEqual([]);
  createLogWriter(path)('before');
  const { size, close } = openDaemonLog(path);
  close();
  createLogWriter(path)('after');
  expect(tailDaemonLog(path, { lines: 5, from: size })).toEqual([expect.stringContaining('after')]);
  expect(tailDaemonLog(path, { lines: 5, from: 1_000_000 })).toHaveLength(2); // emptied meanwhile
});

it('is followed in whole lines, also when it was emptied', async () => {
  const path = await makePath();
  const write = createLogWriter(path);
  write('old');
  const told: string[] = [];
  const stop = new AbortController();
  const following = followDaemonLog(path, (text) => told.push(...text.split('\n')), stop.signal);
  following.catch(() => {});
  write('new');
  await expect.poll(() => told).toEqual([expect.stringMatching(/ new$/)]);
  await writeFile(path, '');
  await expect
    .poll(async () => (write('again'), told.some((line) => line.endsWith('again'))))
    .toBe(true);
  expect((await readFile(path, 'utf8')).length).toBeGreaterThan(0);
  stop.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});
