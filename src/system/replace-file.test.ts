// Tests of free-name.ts.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moveToFreeName, toFileName } from './replace-file.ts';

it('never replaces a file, and counts up in the name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-free-name-'));
  const texts = ['one', 'two', 'three'];
  const paths = texts.map((text, i) => {
    writeFileSync(join(folder, `id-${i}`), text);
    return moveToFreeName(join(folder, `id-${i}`), folder, 'a.tar.gz');
  });
  expect(readdirSync(folder).toSorted()).toEqual(['a.tar (1).gz', 'a.tar (2).gz', 'a.tar.gz']);
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(texts);
});

it.each([
  ['report.csv', 'report.csv'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['..\\..\\x.exe', '__.._x.exe'],
  ['.bashrc', '_bashrc'],
  ['a\u0000\nb.txt', 'a__b.txt'],
  ['', 'download'],
])('makes %j a name without folders', (given, name) => {
  expect(toFileName(given)).toBe(name);
});
