// A JSON file: saved as a whole or not at all, and set aside when it cannot be read.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JsonFile, type SetAside } from './json-file.ts';

const Settings = z.object({ name: z.string(), count: z.number().default(0) });

let folder: string;
let found: SetAside[];
const file = (
  over: { version?: number; maxBytes?: number } = {},
): JsonFile<z.output<typeof Settings>> =>
  new JsonFile({
    path: join(folder, 'deep', 'settings.json'),
    schema: Settings,
    version: 2,
    onSetAside: (it) => found.push(it),
    ...over,
  });
const plant = async (content: string | Buffer): Promise<void> => {
  await mkdir(join(folder, 'deep'), { recursive: true });
  await writeFile(file().path, content);
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-json-'));
  found = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('saving and loading', () => {
  it('returns the saved value', async () => {
    await file().save({ name: 'žluť 🐎', count: 3 });
    expect(await file().load()).toEqual({ name: 'žluť 🐎', count: 3 });
  });

  it('returns undefined if nothing was saved', async () => {
    expect(await file().load()).toBeUndefined();
    expect(found).toEqual([]);
  });

  it('creates a file and folder only for the owner, and leaves no temporary file', async () => {
    await file().save({ name: 'a', count: 1 });
    await file().save({ name: 'b', count: 2 });
    expect((await stat(join(folder, 'deep'))).mode & 0o777).toBe(0o700);
    expect((await stat(file().path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'deep'))).toEqual(['settings.json']);
  });

  it('shows readers a whole file while many writers replace it', async () => {
    await file().save({ name: 'first', count: 0 });
    const writing = new AbortController();
    const seen = (async () => {
      const names = new Set<string | undefined>();
      while (!writing.signal.aborted) names.add((await file().load())?.name);
      return names;
    })();
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => file().save({ name: 'x'.repeat(20_000) + i, count: i })),
    );
    writing.abort();
    expect([...(await seen)].every((name) => name === 'first' || name?.startsWith('xxx'))).toBe(
      true,
    );
    expect(found).toEqual([]);
  });
});

describe('what cannot be read', () => {
  it.each([
    ['torn', '{"version":2,"name":"a'],
    ['empty', ''],
    ['binary', Buffer.from([0xff, 0x00, 0xfe])],
    ['of another kind', '[1,2,3]'],
    ['without a version', '{"name":"a"}'],
    ['of an old version', '{"version":1,"name":"a"}'],
    ['of a wrong shape', '{"version":2,"name":{"toString":1}}'],
    ['with a prototype in it', '{"version":2,"__proto__":{"name":"polluted"}}'],
  ])('is set aside and reported when it is %s', async (_, content) => {
    await plant(content);
    expect(await file().load()).toBeUndefined();
    expect(found).toHaveLength(1);
    expect(found[0]?.movedTo).toMatch(/settings\.json\.corrupt-\d+$/);
    expect(await readFile(found[0]?.movedTo ?? '')).toEqual(Buffer.from(content));
    await file().save({ name: 'new', count: 1 });
    expect(await file().load()).toEqual({ name: 'new', count: 1 });
  });

  it('is set aside without being read when it is larger than any of ours', async () => {
    await plant(`{"version":2,"name":"${'x'.repeat(5_000)}"}`);
    expect(await file({ maxBytes: 4_096 }).load()).toBeUndefined();
    expect(found[0]?.reason).toBe('it is 5023 bytes long');
  });

  it('is set aside if it is a folder or a named pipe', async () => {
    await mkdir(file().path, { recursive: true });
    expect(await file().load()).toBeUndefined();
    if (process.platform !== 'win32') {
      await promisify(execFile)('mkfifo', [file().path]);
      expect(await file().load()).toBeUndefined();
    }
    expect(found.map(({ reason }) => reason)).toContain('it is not a regular file');
  });

  it('is left in place when a newer version wrote it', async () => {
    await plant('{"version":3,"name":"a"}');
    await expect(file().load()).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await readFile(file().path, 'utf8')).toBe('{"version":3,"name":"a"}');
  });
});

describe('a folder that cannot be written', () => {
  it('is a failure with the reason, and keeps the old content', async () => {
    await writeFile(join(folder, 'deep'), 'a file');
    await expect(file().save({ name: 'a', count: 1 })).rejects.toMatchObject({
      code: 'storage_failed',
      details: { os_code: expect.stringMatching(/ENOTDIR|EEXIST/) },
    });
  });
});
