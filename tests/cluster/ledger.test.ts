// The ledger of tasks in PostgreSQL: rows, history, working lines, results and watching.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterStore } from '../../src/store/cluster/cluster-store.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { buildTask, openStore } from './stores.ts';

let postgres: TestPostgres;
let url: string;
let store: ClusterStore;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  store = await openStore(url);
});

afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

describe('the ledger in PostgreSQL', () => {
  it('creates a task with the first line of its history, which other processes read', async () => {
    const { tasks } = store;
    const meta = await tasks.create(buildTask(store));
    await using other = await openStore(url, { join: false });
    expect(await other.tasks.row(meta.task_id)).toEqual({ meta });
    expect(await other.tasks.tail(meta.task_id, 5)).toMatchObject([{ kind: 'started' }]);
    const scanned = await collect(other.tasks.scan());
    expect(scanned.map(({ id }) => id)).toContain(meta.task_id);
  });

  it('changes the row and its history together, or neither of them', async () => {
    const { tasks } = store;
    const { task_id: id } = await tasks.create(buildTask(store));
    const changed = await tasks.change(id, (meta) => ({
      meta: { ...meta, status: 'RUNNING' },
      event: { ts: 1, kind: 'log', data: { message: 'running' } },
    }));
    expect(changed.status).toBe('RUNNING');
    await expect(
      tasks.change(id, () => {
        throw new Error('decided against it');
      }),
    ).rejects.toThrow('decided against it');
    expect(await tasks.change(id, () => undefined)).toEqual(changed);
    expect((await tasks.tail(id, 9)).map(({ kind }) => kind)).toEqual(['started', 'log']);
  });

  it('returns the history after a position, and undefined past its end', async () => {
    const { tasks } = store;
    const { task_id: id } = await tasks.create(buildTask(store));
    for (let i = 0; i < 3; i++) await tasks.append(id, { ts: i, kind: 'log', data: { i } });
    const seen: unknown[] = [];
    const next = await tasks.history(id, 1, (event) => seen.push(event.data));
    expect(seen).toEqual([{ i: 0 }, { i: 1 }, { i: 2 }]);
    expect(await tasks.history(id, next ?? 0, () => {})).toBe(next);
    expect(await tasks.history(id, 99, () => {})).toBeUndefined();
  });

  it('stores working lines in the order of the calls, also from two writers in turn', async () => {
    const { tasks } = store;
    const { task_id: id } = await tasks.create(buildTask(store));
    const files = tasks.files(id);
    await Promise.all(Array.from({ length: 50 }, (_, i) => files.append('pages.jsonl', { i })));
    await files.appendLarge('frontier.jsonl', { url: 'http://a.test/\u0000' });
    await tasks.files(id).append('pages.jsonl', { i: 50 });
    const pages = await collect(files.entries<{ i: number }>('pages.jsonl'));
    expect(pages.map(({ i }) => i)).toEqual(Array.from({ length: 51 }, (_, i) => i));
    expect(await collect(files.entries('frontier.jsonl'))).toEqual([
      { url: 'http://a.test/\u0000' },
    ]);
    expect(await collect(files.entries('other.jsonl'))).toEqual([]);
  });

  it('removes secrets from rows, history lines and working lines', async () => {
    const { tasks } = store;
    const { task_id: id } = await tasks.create(buildTask(store));
    const secret = { headers: { authorization: 'Bearer abcdefghijklmnop123456' } };
    await tasks.append(id, { ts: 1, kind: 'log', data: secret });
    await tasks.files(id).append('pages.jsonl', secret);
    await tasks.savePartialResult(id, secret);
    const all = [
      await tasks.tail(id, 1),
      await collect(tasks.files(id).entries('pages.jsonl')),
      await tasks.loadResult(id),
    ];
    expect(JSON.stringify(all)).not.toContain('abcdefghijklmnop');
  });

  it('saves a result of several megabytes, replaces it, and reads it on another machine', async () => {
    const { tasks } = store;
    const { task_id: id } = await tasks.create(buildTask(store));
    const pages = Array.from({ length: 30_000 }, (_, i) => ({ i, text: 'ä'.repeat(50) }));
    await tasks.saveReply(id, JSON.stringify({ pages: 'old' }));
    await tasks.saveReply(id, JSON.stringify({ pages }));
    await using other = await openStore(url, { join: false });
    expect(await other.tasks.loadResult(id)).toEqual({ result: { pages } });
    const { task_id: empty } = await tasks.create(buildTask(store));
    expect(await other.tasks.loadResult(empty)).toBeUndefined();
  });

  it('wakes a watcher in another process when the row changes', async () => {
    const { task_id: id } = await store.tasks.create(buildTask(store));
    await using other = await openStore(url, { join: false });
    using watch = other.tasks.watch(id);
    const { signal } = new AbortController();
    const changed = watch.next(signal);
    await store.tasks.change(id, (meta) => ({ meta: { ...meta, status: 'RUNNING' } }));
    await changed;
    expect(await other.tasks.require(id)).toMatchObject({ status: 'RUNNING' });
  });

  it('rejects malformed ids and unknown tasks with their codes', async () => {
    const { tasks } = store;
    await expect(tasks.row("x'; drop table tasks")).rejects.toMatchObject({
      code: 'invalid_task_id',
    });
    await expect(tasks.require('0'.repeat(16))).rejects.toMatchObject({ code: 'task_not_found' });
    await expect(tasks.append('0'.repeat(16), { ts: 1, kind: 'log' })).rejects.toMatchObject({
      code: 'task_not_found',
    });
    expect(await tasks.row('0'.repeat(16))).toBeUndefined();
  });
});
