// Private folders: created with their parents, and errors instead of endless attempts.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ensureFolder, ensureFolderNow } from './private-files.ts';

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

it('creates a folder with its parents, only for the owner', async () => {
  const path = join(makeFolder(), 'a', 'b', 'c');
  await ensureFolder(path);
  await ensureFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
});

it('fails if a file has the name of the folder or of a parent', () => {
  const file = join(makeFolder(), 'file');
  writeFileSync(file, '');
  expect(() => ensureFolderNow(file)).toThrow(/EEXIST/);
  expect(() => ensureFolderNow(join(file, 'inner'))).toThrow(/EEXIST|ENOTDIR/);
});

it.runIf(process.platform === 'linux')(
  'fails at once for a new folder in /proc, where the recursive option of Node never returns',
  () => {
    expect(() => ensureFolderNow('/proc/openchrome/inner')).toThrow(/ENOENT|EACCES/);
  },
);
