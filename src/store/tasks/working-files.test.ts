// What long work keeps: the same on disk and in memory, whole lines only, under names that lead
// nowhere else.
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PayloadWriter } from '../files/payload-writer.ts';
import { createWorkingFiles, openWorkingFiles, type KeptFiles } from './working-files.ts';

let folder = '';
const writer: PayloadWriter = {
  clean: (data) => data,
  cleanLarge: async (data) => data,
  cleanText: (text) => text,
  cleanLargeText: async (text) => text,
  forOrigins: () => writer,
};
const entriesOf = async (files: KeptFiles, file: string): Promise<unknown[]> => {
  const found: unknown[] = [];
  for await (const entry of files.entries(file)) found.push(entry);
  return found;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-working-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['on disk', () => openWorkingFiles(folder, ['events.jsonl'], writer)],
  ['in memory', () => createWorkingFiles(writer)],
])('working files %s', (_, open) => {
  it('return the appended lines in order', async () => {
    const files = open();
    const entries = [{ n: 1 }, 'two', [3], null, { text: 'line\nbreak “ü” 漢\u2028' }];
    for (const entry of entries) await files.append('pages.jsonl', entry);
    await files.append('frontier.jsonl', { url: 'x' });
    expect(await entriesOf(files, 'pages.jsonl')).toEqual(entries);
    expect(await entriesOf(files, 'frontier.jsonl')).toEqual([{ url: 'x' }]);
    expect(await entriesOf(files, 'nothing.jsonl')).toEqual([]);
  });

  it('reject values that JSON cannot represent', async () => {
    await expect(open().append('pages.jsonl', undefined)).rejects.toThrow('JSON');
  });
});

describe('working files on disk', () => {
  it('are readable only by their owner, and accept lines of any length', async () => {
    const files = openWorkingFiles(folder, [], writer);
    const long = { content: '漢'.repeat(1_000_000) };
    await files.append('pages.jsonl', long);
    await files.append('pages.jsonl', { n: 2 });
    expect(await entriesOf(files, 'pages.jsonl')).toEqual([long, { n: 2 }]);
    if (process.platform !== 'win32')
      expect((await stat(join(folder, 'pages.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('leave out a line that a crash tore, and do not glue the next one to it', async () => {
    await openWorkingFiles(folder, [], writer).append('pages.jsonl', { n: 1 });
    await appendFile(join(folder, 'pages.jsonl'), '{"n": 2, "con');
    const later = openWorkingFiles(folder, [], writer);
    expect(await entriesOf(later, 'pages.jsonl')).toEqual([{ n: 1 }]);
    await later.append('pages.jsonl', { n: 3 });
    expect(await entriesOf(later, 'pages.jsonl')).toEqual([{ n: 1 }, { n: 3 }]);
    expect(await readFile(join(folder, 'pages.jsonl'), 'utf8')).toContain('\n{"n":3}\n');
  });

  it.each([
    '../pages.jsonl',
    'meta.json',
    'events.jsonl',
    'Pages.jsonl',
    'a/b.jsonl',
    'pages.jsonl.tmp',
    '',
  ])('refuse the name "%s"', async (name) => {
    const files = openWorkingFiles(folder, ['events.jsonl'], writer);
    await expect(files.append(name, {})).rejects.toThrow('working file');
  });
});
