// Reads an archive with the tools that everybody has: tar and sha256sum.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const listArchive = (path: string): string[] => execFileSync('tar', ['tzf', path], { encoding: 'utf8' }).trim().split('\n');

/** The files of an archive by name, unpacked by tar. */
export const unpack = (path: string): Map<string, Buffer> => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-unpacked-'));
  execFileSync('tar', ['xzf', path, '-C', folder]);
  return new Map(listArchive(path).map((name) => [name, readFileSync(join(folder, name))]));
};

export const sha256sum = (input: string | Buffer): string =>
  (typeof input === 'string'
    ? execFileSync('sha256sum', [input], { encoding: 'utf8' })
    : execFileSync('sha256sum', { input, encoding: 'utf8' })
  ).slice(0, 64);
