// Archives are the same bytes for the same content, and what tar reads is what was written.
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { packTar, type TarEntry } from './evidence.ts';

const bytesOf = async (entries: readonly TarEntry[]): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of packTar(entries, Date.UTC(2026, 0, 2, 3, 4, 5))) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const ENTRIES: readonly TarEntry[] = [
  { name: 'empty.txt', content: Buffer.alloc(0) },
  { name: 'folder/one-block.bin', content: Buffer.alloc(512, 7) },
  { name: 'odd.txt', content: Buffer.from('grüße\n') },
];

it('is read by tar, with sizes, times and modes', async () => {
  const listing = execFileSync('tar', ['tvf', '-'], {
    input: await bytesOf(ENTRIES),
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  });
  expect(
    listing
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)),
  ).toEqual([
    ['-rw-------', '0/0', '0', '2026-01-02', '03:04', 'empty.txt'],
    ['-rw-------', '0/0', '512', '2026-01-02', '03:04', 'folder/one-block.bin'],
    ['-rw-------', '0/0', '8', '2026-01-02', '03:04', 'odd.txt'],
  ]);
  expect(
    execFileSync('tar', ['xOf', '-', 'odd.txt'], {
      input: await bytesOf(ENTRIES),
      encoding: 'utf8',
    }),
  ).toBe('grüße\n');
});

it('is the same every time', async () => {
  expect((await bytesOf(ENTRIES)).equals(await bytesOf(ENTRIES))).toBe(true);
});

it('rejects names that an archive cannot contain', async () => {
  for (const name of ['', 'with blank', 'x'.repeat(101), 'ü'])
    await expect(bytesOf([{ name, content: Buffer.alloc(1) }])).rejects.toThrow('name');
});
