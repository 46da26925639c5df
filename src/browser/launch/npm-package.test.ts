// Tests of the tar reader: chunks of any size, unread files, truncated archives.
import { describe, expect, it } from 'vitest';
import { tarFiles } from './npm-package.ts';

const header = (name: string, size: number, type = '0', prefix = ''): Buffer => {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000755\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(type, 156);
  block.write('ustar\0', 257);
  block.write(prefix, 345);
  return block;
};
const file = (name: string, content: string, prefix = ''): Buffer => {
  const body = Buffer.from(content);
  return Buffer.concat([
    header(name, body.length, '0', prefix),
    body,
    Buffer.alloc((512 - (body.length % 512)) % 512),
  ]);
};
const END = Buffer.alloc(1024);

const inChunks = async function* (bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const read = async (bytes: Buffer, chunk = 100): Promise<Record<string, string>> => {
  const all: Record<string, string> = {};
  for await (const { name, content } of tarFiles(inChunks(bytes, chunk))) {
    all[name] = '';
    for await (const part of content) all[name] += part.toString();
  }
  return all;
};

describe('a tar archive', () => {
  it.each([1, 7, 512, 100_000])('is read with chunks of any size (%i)', async (chunk) => {
    const archive = Buffer.concat([
      file('a', 'hello'),
      file('empty', ''),
      file('b', 'x'.repeat(1500), 'deep/folder'),
      END,
    ]);
    expect(await read(archive, chunk)).toEqual({
      a: 'hello',
      empty: '',
      'deep/folder/b': 'x'.repeat(1500),
    });
  });

  it('yields only files: folders and links are skipped', async () => {
    expect(
      await read(
        Buffer.concat([header('dir/', 0, '5'), header('link', 0, '2'), file('a', 'x'), END]),
      ),
    ).toEqual({ a: 'x' });
  });

  it('continues after a file that was not read', async () => {
    const names: string[] = [];
    for await (const { name } of tarFiles(
      inChunks(Buffer.concat([file('a', 'x'.repeat(2000)), file('b', 'y'), END]), 64),
    ))
      names.push(name);
    expect(names).toEqual(['a', 'b']);
  });

  it('knows its modes', async () => {
    for await (const { mode } of tarFiles(inChunks(file('a', 'x'), 512))) expect(mode).toBe(0o755);
  });

  it('is refused when it ends in the middle of a file', async () => {
    await expect(read(file('a', 'x'.repeat(2000)).subarray(0, 1000))).rejects.toThrow(
      'middle of a file',
    );
  });
});
