// Stored payloads and retention in PostgreSQL, read from another machine.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import type { ClusterStore } from '../../src/store/cluster/cluster-store.ts';
import { type FetchRequest, fetchOutput } from '../../src/store/handles/handle-fetch.ts';
import { binaryPayload, jsonPayload, textPayload } from '../../src/store/handles/handle-payload.ts';
import { Handles } from '../../src/store/handles/handles.ts';
import { runSql, startPostgres, type TestPostgres } from './postgres.ts';
import { buildTask, openStore, testLog } from './stores.ts';

let postgres: TestPostgres;
let url: string;
let writing: ClusterStore;
let reading: ClusterStore;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  writing = await openStore(url, { join: false });
  reading = await openStore(url, { join: false });
});

afterAll(async () => {
  await writing[Symbol.asyncDispose]();
  await reading[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const MIB = 1024 * 1024;
const workers = new WorkerPool();

const createHandles = (
  { payloads }: ClusterStore,
  { ttlMs = 3_600_000, maxTotalBytes = 2048 * MIB } = {},
): Handles =>
  new Handles({ payloads, ttlMs, maxTotalBytes, sweepEveryMs: 300_000, log: testLog, workers });

const fetchPages = async (
  handle: string,
  request: Partial<FetchRequest> = {},
): Promise<unknown[]> => {
  const handles = createHandles(reading);
  const contents: unknown[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { signal } = new AbortController();
    const all: FetchRequest = { output_handle: handle, format: 'auto', ...request, offset };
    const page = await fetchOutput(handles, all, signal);
    contents.push(page.content);
    offset = page.next_offset;
  }
  return contents;
};

describe('payloads in PostgreSQL', () => {
  it('are read in pages that are together the stored text', async () => {
    const text = Array.from({ length: 60_000 }, (_, i) => `line ${i} äöü 漢字 😀`).join('\n');
    const { output_handle: handle } = await createHandles(writing).store(
      textPayload(text),
      'crawl',
    );
    expect((await fetchPages(handle)).join('')).toBe(text);
  });

  it('are read by item, queried and searched on another machine', async () => {
    const pages = Array.from({ length: 5_000 }, (_, n) => ({ n, text: `page ${n} `.repeat(40) }));
    const meta = await createHandles(writing).store(jsonPayload({ pages }, 'pages'), 'crawl');
    expect(meta.item_count).toBe(5_000);
    expect((await fetchPages(meta.output_handle)).flat()).toEqual(pages);
    const found = await fetchPages(meta.output_handle, { query: 'pages[?n==`4321`].n' });
    expect(found.flat()).toEqual([4321]);
    expect(JSON.stringify(await fetchPages(meta.output_handle, { grep: 'page 77 ' }))).toContain(
      'page 77 ',
    );
  });

  it('are read by range across the borders of their chunks', async () => {
    const bytes = randomBytes(3 * MIB + 12_345);
    const payload = binaryPayload(bytes, 'application/gzip');
    const { output_handle: handle } = await createHandles(writing).store(payload, 'evidence');
    await using open = await createHandles(reading).open(handle, {});
    for (const start of [0, MIB - 10, 2 * MIB - 1, 3 * MIB, bytes.length - 5]) {
      const part = await open.read(start, start + 100_000);
      expect(part.equals(bytes.subarray(start, start + 100_000))).toBe(true);
    }
    const hash = createHash('sha256');
    for await (const chunk of open.chunks()) hash.update(chunk);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('cannot be read after their lifetime, and one sweep deletes them', async () => {
    const { output_handle: handle } = await createHandles(writing, { ttlMs: 0 }).store(
      textPayload('short-lived'),
      'crawl',
    );
    await expect(fetchPages(handle)).rejects.toMatchObject({ code: 'output_handle_not_found' });
    await createHandles(writing).retention.sweep(Date.now());
    const rows = await runSql(url, `select 1 from openchrome.chunks where owner = '${handle}'`);
    expect(rows).toEqual([]);
  });

  it('are deleted from the oldest if they are too large together', async () => {
    const handles = createHandles(writing, { maxTotalBytes: 1_000_000 });
    const stored: string[] = [];
    for (let i = 0; i < 3; i++) {
      const payload = textPayload(String(i).repeat(450_000));
      stored.push((await handles.store(payload, 'crawl')).output_handle);
    }
    await handles.retention.sweep(Date.now());
    await expect(fetchPages(stored[0]!)).rejects.toMatchObject({ code: 'output_handle_not_found' });
    expect((await fetchPages(stored[2]!)).join('')).toHaveLength(450_000);
    const tooLarge = handles.store(textPayload('x'.repeat(1_200_000)), 'crawl');
    await expect(tooLarge).rejects.toMatchObject({ code: 'storage_failed' });
  });
});

describe('retention', () => {
  it('deletes tasks that ended 30 days ago with all their rows, and keeps the others', async () => {
    const { tasks } = writing;
    const create = async (status: 'COMPLETED' | 'RUNNING'): Promise<string> => {
      const { task_id: id } = await tasks.create(buildTask(writing));
      await tasks.files(id).append('pages.jsonl', { n: 0 });
      await tasks.saveReply(id, '{"pages":[]}');
      await tasks.change(id, (meta) => ({ meta: { ...meta, status } }));
      return id;
    };
    const [old, recent, running] = [
      await create('COMPLETED'),
      await create('COMPLETED'),
      await create('RUNNING'),
    ];
    const age = (column: string, id: string): Promise<unknown> =>
      runSql(
        url,
        `update openchrome.tasks set ${column} = now() - interval '31 days' where id = '${id}'`,
      );
    await age('ended_at', old);
    const { files } = await tasks.retention.sweep(Date.now());
    expect(files).toBe(1);
    const ids = [];
    for await (const { id } of tasks.scan()) ids.push(id);
    expect(ids).toEqual([running, recent]);
    for (const table of ['task_lines', 'task_events'])
      expect(
        await runSql(url, `select 1 from openchrome.${table} where task_id = '${old}'`),
      ).toEqual([]);
    expect(await tasks.loadResult(old)).toBeUndefined();
    expect(await tasks.loadResult(recent)).toEqual({ result: { pages: [] } });
  });
});
