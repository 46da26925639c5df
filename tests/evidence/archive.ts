// Reads an archive with the tools that everybody has: tar and sha256sum.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The names in the archive, as they are. */
const namesIn = (path: string): string[] =>
  execFileSync('tar', ['tzf', path], { encoding: 'utf8' }).trim().split('\n');

/** The one folder that everything is in. */
export const folderIn = (path: string): string => {
  const folders = new Set(namesIn(path).map((name) => name.split('/', 1)[0] ?? ''));
  if (folders.size !== 1)
    throw new Error(`the archive unpacks into several places: ${[...folders].join(', ')}`);
  return [...folders].join('');
};

/** The names in the archive's folder. */
export const listArchive = (path: string): string[] =>
  namesIn(path).map((name) => name.slice(folderIn(path).length + 1));

/** Where tar unpacked the archive's folder. */
export const unpackedFolder = (path: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-unpacked-'));
  execFileSync('tar', ['xzf', path, '-C', folder]);
  return join(folder, folderIn(path));
};

/** The files of an archive by name, unpacked by tar. */
export const unpack = (path: string): Map<string, Buffer> => {
  const folder = unpackedFolder(path);
  return new Map(listArchive(path).map((name) => [name, readFileSync(join(folder, name))]));
};

export const sha256sum = (input: string | Buffer): string =>
  (typeof input === 'string'
    ? execFileSync('sha256sum', [input], { encoding: 'utf8' })
    : execFileSync('sha256sum', { input, encoding: 'utf8' })
  ).slice(0, 64);
