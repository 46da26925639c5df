// Retention of payloads: which handles can be fetched, and which files a sweep keeps.
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { jsonPayload, textPayload } from '../../src/store/handles/handle-payload.ts';
import { HOUR_MS, TestStore } from './store.ts';

const opened: TestStore[] = [];
const open = async (options = {}): Promise<TestStore> => {
  const store = await TestStore.create(options);
  opened.push(store);
  return store;
};
afterEach(async () => {
  for (const store of opened.splice(0)) await store.remove();
});

const put = async (store: TestStore, text = 'payload'): Promise<string> =>
  (await store.handles.store(textPayload(text), 'read_page')).output_handle;
const day = (): string => new Date().toISOString().slice(0, 10);

const notFound = { code: 'output_handle_not_found' };

describe('a stored payload', () => {
  it('has a handle, a sidecar without paths, and files that only the owner may read', async () => {
    const store = await open();
    const { output_handle: handle } = await store.handles.store(jsonPayload([1, 2, 3]), 'crawl');
    expect(handle).toMatch(/^oh_[A-Z2-7]{12}$/);
    expect((await store.files()).sort()).toEqual([`${handle}.json`, `${handle}.meta.json`]);
    const folder = join(store.folder, day());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, `${handle}.json`))).mode & 0o777).toBe(0o600);
    const sidecar = await readFile(join(folder, `${handle}.meta.json`), 'utf8');
    expect((await stat(join(folder, `${handle}.meta.json`))).mode & 0o777).toBe(0o600);
    expect(sidecar).not.toContain(store.folder);
  });

  it('is recorded in the journal', async () => {
    const store = await open();
    const handle = await put(store);
    expect(store.created).toEqual([
      {
        event: 'output_handle_created',
        handle,
        source_tool: 'read_page',
        size_bytes: 7,
        mime_type: 'text/markdown',
        ts: expect.any(Number) as number,
      },
    ]);
  });

  it('is stored even when the journal fails', async () => {
    const store = await open();
    const failing = store.reopened();
    failing.created.push = () => {
      throw new Error('disk full');
    };
    expect(await failing.fetch(await put(failing))).toMatchObject({ content: 'payload' });
  });

  it('survives a restart', async () => {
    const store = await open();
    const handle = await put(store);
    expect(await store.reopened().fetch(handle)).toMatchObject({ content: 'payload' });
  });

  it('can be redeemed until its time is over, and is then swept', async () => {
    let now = Date.now();
    const store = await open({ ttlMs: HOUR_MS, now: () => now });
    const handle = await put(store);
    now += HOUR_MS - 1;
    expect(await store.fetch(handle)).toMatchObject({ content: 'payload' });
    await store.sweep(now);
    expect(await store.files()).toHaveLength(2);
    now += 1;
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
    expect(await store.sweep(now)).toMatchObject({ files: 2 });
    expect(await store.files()).toEqual([]);
  });

  it('with no lifetime cannot be fetched, and is deleted by the next sweep', async () => {
    const store = await open({ ttlMs: 0 });
    const handle = await put(store);
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
    await store.sweep();
    expect(await store.files()).toEqual([]);
  });

  it('makes way for newer ones when all together are too large, the oldest first', async () => {
    let now = Date.now();
    const store = await open({ maxTotalBytes: 10_000, now: () => now++ });
    const handles: string[] = [];
    for (let i = 0; i < 8; i++) handles.push(await put(store, 'x'.repeat(2000)));
    const alive = await Promise.all(
      handles.map((handle) =>
        store.fetch(handle).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(alive).toEqual([false, false, false, false, true, true, true, true]);
  });

  it('that is larger than all may be together is refused, and leaves nothing', async () => {
    const store = await open({ maxTotalBytes: 1000 });
    await expect(put(store, 'x'.repeat(2000))).rejects.toMatchObject({ code: 'storage_failed' });
    expect(await store.files()).toEqual([]);
  });

  it('takes the parts that were made of it along', async () => {
    let now = Date.now();
    const store = await open({ ttlMs: HOUR_MS, now: () => now });
    const { output_handle: handle } = await store.handles.store(
      jsonPayload(['x'.repeat(100_000)]),
      'crawl',
    );
    const [part] = (await store.fetch(handle)).content as [{ output_handle: string }];
    expect((await store.fetch(part.output_handle)).total).toBe(100_002);
    now += HOUR_MS;
    await expect(store.fetch(part.output_handle)).rejects.toMatchObject(notFound);
    await store.sweep(now);
    expect(await store.files()).toEqual([]);
  });
});

describe('a handle is refused', () => {
  it.each([
    ['unknown', 'oh_AAAAAAAAAAAA'],
    ['malformed', 'oh_DEADBEEF0000'],
    ['a way out', '../../../etc/passwd'],
    ['a way out in disguise', 'oh_AAAAAAAAAAA/../x'],
    ['NUL', 'oh_AAAAAAAAAAAA\0.json'],
    ['empty', ''],
    ['too long', `oh_${'A'.repeat(5000)}`],
    ['with a line behind it', 'oh_AAAAAAAAAAAA\n'],
  ])('when it is %s', async (_, handle) => {
    const store = await open();
    await put(store);
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
  });

  it('if the payload is a symbolic link', async () => {
    const store = await open();
    const handle = await put(store);
    const file = join(store.folder, day(), `${handle}.md`);
    const secret = join(store.folder, 'secret');
    await writeFile(secret, 'payload');
    await rename(file, `${file}.moved`);
    await symlink(secret, file);
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
  });

  it('if the sidecar or the folder of the day is a symbolic link', async () => {
    const store = await open();
    const handle = await put(store);
    const folder = join(store.folder, day());
    await rename(folder, join(store.folder, 'elsewhere'));
    await symlink(join(store.folder, 'elsewhere'), folder);
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
    await store.sweep(Date.now() + 100 * HOUR_MS);
    // a sweep does not follow it either
    expect(await readdir(join(store.folder, 'elsewhere'))).toHaveLength(2);

    const other = await open();
    const linked = await put(other);
    const sidecar = join(other.folder, day(), `${linked}.meta.json`);
    await rename(sidecar, join(other.folder, 'meta'));
    await symlink(join(other.folder, 'meta'), sidecar);
    await expect(other.fetch(linked)).rejects.toMatchObject(notFound);
  });

  it.skipIf(process.getuid?.() !== 0)("when the files are another user's", async () => {
    const store = await open();
    const handle = await put(store);
    await chown(join(store.folder, day(), `${handle}.md`), 65_534, 65_534);
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
  });

  it('when its payload is shorter than it was, or something else', async () => {
    const store = await open();
    const handle = await put(store, 'twelve bytes');
    const file = join(store.folder, day(), `${handle}.md`);
    await writeFile(file, 'torn');
    await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
    const { output_handle: items } = await store.handles.store(jsonPayload([1, 2]), 'test');
    await writeFile(join(store.folder, day(), `${items}.json`), '{{{{{');
    await expect(store.fetch(items)).rejects.toMatchObject(notFound);
  });

  it.each(['', '{', '{"version":1}', 'null', '\0\0\0'])(
    'when its sidecar is %j',
    async (content) => {
      const store = await open();
      const handle = await put(store);
      await writeFile(join(store.folder, day(), `${handle}.meta.json`), content);
      await expect(store.fetch(handle)).rejects.toMatchObject(notFound);
    },
  );

  it('when its sidecar speaks of another one', async () => {
    const store = await open();
    const [one, two] = [await put(store, 'one'), await put(store, 'two')];
    const folder = join(store.folder, day());
    await writeFile(
      join(folder, `${one}.meta.json`),
      await readFile(join(folder, `${two}.meta.json`)),
    );
    await expect(store.fetch(one)).rejects.toMatchObject(notFound);
  });
});

describe('a sweep', () => {
  const plant = async (store: TestStore, name: string, content = 'x'): Promise<string> => {
    const path = join(store.folder, day(), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    return path;
  };
  /** No process has it: they end at 2^22 on Linux. */
  const DEAD = 4_999_999;

  it('removes incomplete files of a dead process at once', async () => {
    const store = await open();
    await plant(store, `.oh_AAAAAAAAAAAA.json.${DEAD}.0123456789ab.tmp`);
    await plant(store, `.oh_AAAAAAAAAAAA.meta.json.${DEAD}.0123456789ab.tmp`);
    await plant(store, 'oh_BBBBBBBBBBBB.json');
    // an earlier life of the same process id
    await plant(store, `.oh_CCCCCCCCCCCC.md.${process.pid}.0123456789ab.tmp`);
    await store.sweep();
    expect(await store.files()).toEqual([]);
  });

  it('removes a sidecar without a payload', async () => {
    const store = await open();
    const handle = await put(store);
    const folder = join(store.folder, day());
    const sidecar = join(folder, `${handle}.meta.json`);
    const meta = JSON.parse(await readFile(sidecar, 'utf8')) as { writer: { pid: number } };
    meta.writer.pid = DEAD;
    await writeFile(sidecar, JSON.stringify(meta));
    await rename(join(folder, `${handle}.md`), join(folder, 'away'));
    await store.sweep();
    expect(await store.files()).toEqual(['away']);
  });

  it('keeps incomplete files of a running process for an hour', async () => {
    const store = await open();
    await put(store);
    const { ppid } = process;
    const path = await plant(store, `.oh_AAAAAAAAAAAA.json.${ppid}.0123456789ab.tmp`);
    await store.sweep();
    expect(await store.files()).toHaveLength(3);
    const old = new Date(Date.now() - 2 * HOUR_MS);
    await utimes(path, old, old);
    await store.sweep();
    expect(await store.files()).toHaveLength(2);
  });

  it('keeps files of other programs, and unreadable files, until they are old', async () => {
    const store = await open();
    await plant(store, 'notes.txt');
    await plant(store, 'oh_short.json');
    const torn = await plant(store, 'oh_AAAAAAAAAAAA.meta.json', '{torn');
    await plant(store, 'oh_AAAAAAAAAAAA.json');
    await store.sweep();
    expect((await store.files()).sort()).toEqual([
      'notes.txt',
      'oh_AAAAAAAAAAAA.json',
      'oh_AAAAAAAAAAAA.meta.json',
      'oh_short.json',
    ]);
    const old = new Date(Date.now() - 49 * HOUR_MS);
    await utimes(torn, old, old);
    await store.sweep();
    expect((await store.files()).sort()).toEqual(['notes.txt', 'oh_short.json']);
  });

  it('removes a planted link, never its target', async () => {
    const store = await open();
    const target = join(store.folder, 'target');
    await writeFile(target, 'keep me');
    await plant(store, 'other');
    await symlink(target, join(store.folder, day(), 'oh_AAAAAAAAAAAA.json'));
    await store.sweep();
    expect(await readFile(target, 'utf8')).toBe('keep me');
    await expect(lstat(join(store.folder, day(), 'oh_AAAAAAAAAAAA.json'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('removes the folders of past days once they are empty', async () => {
    let now = Date.now();
    const store = await open({ now: () => now });
    await put(store);
    now += 72 * HOUR_MS;
    await store.sweep(now);
    expect(await readdir(store.folder)).toEqual([]);
    expect(await store.fetch(await put(store))).toMatchObject({ content: 'payload' });
  });

  it('of an empty home does nothing', async () => {
    const store = await open();
    await store.remove();
    expect(await store.sweep()).toEqual({ files: 0, bytes: 0 });
  });
});

it('a folder that may not be written is a structured failure', async () => {
  const store = await open();
  await chmod(store.folder, 0o500);
  const file = join(store.folder, day());
  if (process.getuid?.() === 0) {
    await writeFile(file, 'a file in place of the folder');
    await expect(put(store)).rejects.toMatchObject({ code: 'storage_failed' });
    return;
  }
  await expect(put(store)).rejects.toMatchObject({ code: 'storage_failed' });
});
