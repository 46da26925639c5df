// Listings of a session's requests: pages, filters, and keys that are the same in every listing.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Listing, NetworkEntry } from '../../src/render/network-list.ts';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();

const list = (args: object = {}): Promise<Listing> => engine.json<Listing>('network', args);
const keysOf = ({ entries }: Listing): string[] => entries.map(({ key }) => key);
const run = (code: string, args: object = {}): Promise<string> =>
  engine.text('javascript_tool', { code, ...args });
const fetchAll = (paths: readonly string[]): string =>
  `for (const path of ${JSON.stringify(paths)}) await (await fetch(path)).text()`;

beforeAll(async () => {
  site.page('/favicon.ico', (_request, response) => void response.writeHead(204).end());
  await engine.text('navigate', { url: `${site.origin}/` });
  await run(fetchAll(['/items?n=1', '/items?n=2', '/missing', '/cached?x', '/items?n=3', '/echo']));
  await run(
    `await (await fetch('/echo', { method: 'POST', headers: { 'content-type': 'application/json', 'x-own': 'yes' }, body: '{"a":1}' })).text()`,
  );
  await vi.waitFor(
    async () =>
      expect((await list()).entries.filter(({ state }) => state !== undefined)).toEqual([]),
    { timeout: 30_000 },
  );
});

describe('filters', () => {
  const statuses = async (args: object): Promise<unknown[]> =>
    (await list(args)).entries.map(({ status }) => status);

  it('select by status: one, a class and a range', async () => {
    expect(await statuses({ status: 404 })).toEqual([404]);
    expect(await statuses({ status: '4xx' })).toEqual([404]);
    expect(await statuses({ status: '400-499' })).toEqual([404]);
    expect((await statuses({ status: '2xx' })).length).toBeGreaterThan(3);
    expect(await engine.failure('network', { status: 'many' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'status',
    });
  });

  it('select by the kind of request, also kinds that are left out otherwise', async () => {
    const documents = await list({ type: 'Document' });
    expect(documents.entries.map(({ url }) => url)).toEqual([`${site.origin}/`]);
    const fetched = await list({ type: 'fetch', status: 404 });
    expect(fetched.entries.map(({ url }) => url)).toEqual([`${site.origin}/missing`]);
    expect((await list({ type: 'document,fetch' })).count).toBe(8);
  });
});

describe('a listing', () => {
  it('names its session, the filtered requests, and how to continue', async () => {
    expect(await list({ limit: 1 })).toEqual({
      workspace: 'browser:default',
      captured_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      count: 1,
      remaining: 6,
      filtered_out: expect.any(Number),
      filtered_by: { static: expect.any(Number) },
      cursor: expect.any(Number),
      entries: [
        {
          key: `GET 127.0.0.1:${site.port}/items`,
          method: 'GET',
          status: 200,
          url: `${site.origin}/items?n=1`,
          ct: 'application/json',
          size: 50,
          shape: {
            $: 'object',
            '$.items': 'array(2)',
            '$.items[0]': 'object',
            '$.items[0].id': 'number',
            '$.items[0].name': 'string?',
            '$.total': 'number',
          },
        },
      ],
      detail_hint: 'For more requests pass cursor; for a body pass detail with a key.',
    });
  });

  it('returns everything once when it is continued, and nothing if nothing happened', async () => {
    const seen: string[] = [];
    let cursor: number | undefined;
    for (let page = 0; page < 10; page++) {
      const next = await list({ limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      cursor = next.cursor;
      seen.push(...keysOf(next));
      if (next.remaining === undefined) break;
    }
    expect([...seen].sort()).toEqual(keysOf(await list()).sort());
    expect((await list({ cursor })).entries).toEqual([]);
    await run(fetchAll(['/bom']));
    expect(keysOf(await list({ cursor }))).toEqual([`GET 127.0.0.1:${site.port}/bom`]);
  });

  it('never drains: reading it twice returns the same', async () => {
    const [first, second] = [await list(), await list()];
    expect(second.entries).toEqual(first.entries);
  });

  it('as lines costs little and names the same keys', async () => {
    const lines = (await engine.text('network', { format: 'lines' })).split('\n');
    expect(lines[0]).toBe(`200 50 json GET 127.0.0.1:${site.port}/items?`);
    expect(lines[1]).toBe(`200 50 json GET 127.0.0.1:${site.port}/items?#2`);
    expect(lines[2]).toBe(`404 19 json GET 127.0.0.1:${site.port}/missing`);
    expect(lines.at(-1)).toMatch(/^cursor \d+; filtered \d static$/);
    const key = lines[1]!.split(' ').slice(3).join(' ');
    expect(await engine.json('network', { detail: key })).toMatchObject({
      url: `${site.origin}/items?n=2`,
    });
  });
});

describe('keys', () => {
  it('are the same for any filter', async () => {
    const byUrl = (entries: readonly NetworkEntry[]): Record<string, string> =>
      Object.fromEntries(entries.map(({ url, key }) => [url, key]));
    const all = byUrl((await list({ all: true })).entries);
    for (const args of [
      {},
      { url: 'n=3' },
      { method: 'POST' },
      { failed: true },
      { filter: 'total' },
      { since: '1h' },
    ]) {
      for (const [url, key] of Object.entries(byUrl((await list(args)).entries)))
        expect(all[url]).toBe(key);
    }
    expect(keysOf(await list({ url: 'n=3' }))).toEqual([`GET 127.0.0.1:${site.port}/items#3`]);
  });

  it('that do not exist are answered with the nearest ones', async () => {
    const failure = await engine.failure('network', { detail: `GET 127.0.0.1:${site.port}/itms` });
    expect(failure).toMatchObject({
      code: 'key_not_found',
      retryable: false,
      hint: expect.any(String),
    });
    expect((failure as unknown as { available_keys: string[] }).available_keys[0]).toBe(
      `GET 127.0.0.1:${site.port}/items`,
    );
  });
});

describe('requests are chosen', () => {
  it.each<[object, string[]]>([
    [{ method: 'post' }, ['/echo']],
    [{ failed: true }, ['/missing']],
    [{ url: 'n=[13]$' }, ['/items?n=1', '/items?n=3']],
    [{ filter: 'items,name' }, ['/items?n=1', '/items?n=2', '/items?n=3']],
    [{ filter: 'items,nowhere' }, []],
    [{ until: '1h' }, []],
    [{ since: '2030-01-01T00:00:00Z' }, []],
  ])('by %j', async (args, paths) => {
    const { entries } = await list(args);
    expect(entries.map(({ url }) => url.replace(site.origin, ''))).toEqual(paths);
  });

  it('and if none matches, the reply reports it', async () => {
    const { detail_hint: none } = await engine.json<{ detail_hint: string }>('network', {
      url: 'no-such-address',
    });
    expect(none).toMatch(/^None of \d+ requests matches/);
    const { cursor } = await engine.json<{ cursor: number }>('network', {});
    expect(await engine.json('network', { cursor })).toMatchObject({
      count: 0,
      detail_hint: 'No matching requests since the cursor.',
    });
    expect(await engine.json('network', { session: 'unused' })).toMatchObject({
      count: 0,
      detail_hint: 'No requests yet: navigate first.',
    });
  });

  it('by tab', async () => {
    const { tabId } = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${site.origin}/`,
    });
    await run(fetchAll(['/items?in-new-tab']), { tabId });
    expect((await list({ tabId })).entries.map(({ url }) => url)).toEqual([
      `${site.origin}/items?in-new-tab`,
    ]);
    await engine.text('tabs', { action: 'close', tabId });
  });

  it.each([
    { since: 'yesterday' },
    { path: '$.a' },
    { args: { a: 1 } },
    { detail: 'a', replay: 'b' },
    { detial: 'a' },
  ])('not by %j', async (args) => {
    expect(await engine.failure('network', args)).toMatchObject({ code: 'invalid_argument' });
  });
});

describe('one request', () => {
  const echo = (): string => `POST 127.0.0.1:${site.port}/echo`;

  it('is shown completely, except the headers that all requests have', async () => {
    const detail = await engine.json<{ request: { headers: object } }>('network', {
      detail: echo(),
    });
    expect(detail).toMatchObject({
      key: echo(),
      url: `${site.origin}/echo`,
      method: 'POST',
      status: 200,
      ct: 'application/json',
      shape: { $: 'object', '$.headers': expect.stringMatching(/^object\(keys=\d+\)$/) },
      body: { method: 'POST', body: '{"a":1}' },
      request: {
        headers: { 'content-type': 'application/json', 'x-own': 'yes' },
        body: { a: 1 },
        body_shape: { $: 'object', '$.a': 'number' },
      },
      response_headers: {},
      timing: { ttfb_ms: expect.any(Number), total_ms: expect.any(Number) },
      initiator: expect.stringMatching(/^script/),
    });
    expect(Object.keys(detail.request.headers)).toEqual(['content-type', 'x-own']);
  });

  it('is shown with everything on request', async () => {
    const detail = await engine.json('network', { detail: echo(), raw: true });
    expect(detail).toMatchObject({
      request: { headers: { 'user-agent': expect.any(String) } },
      response_headers: { date: expect.any(String) },
      resource_type: 'Fetch',
    });
  });

  it('is shown in part by a path', async () => {
    expect(await engine.json('network', { detail: echo(), path: '$.headers["x-own"]' })).toEqual({
      key: echo(),
      status: 200,
      path: '$.headers["x-own"]',
      body: 'yes',
    });
    expect(await engine.failure('network', { detail: echo(), path: '$.hedaers' })).toMatchObject({
      code: 'invalid_argument',
      exists: '$',
      argument: 'path',
    });
  });

  it('that is long is cut unless the whole is requested', async () => {
    await run(fetchAll(['/big']));
    const key = `GET 127.0.0.1:${site.port}/big`;
    const { size } = (await list({ url: '/big' })).entries[0]!;
    const cut = await engine.json<{ body: string }>('network', { detail: key });
    expect(cut).toMatchObject({
      body_truncated: true,
      body_full_size: size,
      body_why: expect.stringContaining('max_body'),
      shape: { '$.rows': 'array(5000)', '$.rows[0].i': 'number' },
    });
    expect(Buffer.byteLength(cut.body)).toBeLessThanOrEqual(65_536);
    expect(
      await engine.json('network', { detail: key, max_body: 0, output_mode: 'inline' }),
    ).toMatchObject({
      body: { rows: expect.any(Array) },
    });
    expect(await engine.json('network', { detail: key, path: '$.rows[4999].i' })).toMatchObject({
      body: 4999,
    });
  });
});

describe('whole bodies', () => {
  it('are in the listing on request', async () => {
    const { entries } = await list({ raw: true, url: '/items' });
    expect(entries[0]).toMatchObject({ body: { total: 2 } });
    expect(entries[0]?.shape).toBeUndefined();
  });

  it('can be stored behind a handle, item by item', async () => {
    const stored = await engine.json<{ output_handle: string; item_count: number }>('network', {
      raw: true,
      output_mode: 'handle',
    });
    expect(stored.item_count).toBe((await list()).count);
    const titles = await engine.json<{ content: unknown }>('oc_output_fetch', {
      output_handle: stored.output_handle,
      query: "entries[?contains(url, 'n=1')].body.total",
    });
    expect(titles.content).toEqual([2]);
  });
});

describe('closed tabs and earlier pages', () => {
  it('is still there after a navigation and after its tab was closed', async () => {
    const { tabId } = await engine.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${site.origin}/`,
    });
    await run(fetchAll(['/gzip?closed-later']), { tabId });
    const before = await list({ url: 'closed-later' });
    await engine.text('navigate', { url: `${site.origin}/data.json`, tabId });
    expect((await list({ url: 'closed-later' })).entries).toEqual(before.entries);
    await engine.text('tabs', { action: 'close', tabId });
    expect((await list({ url: 'closed-later' })).entries).toEqual(before.entries);
    expect(await engine.json('network', { detail: before.entries[0]!.key })).toMatchObject({
      body: { packed: 'gzip' },
    });
  });

  it('belong only to their session', async () => {
    await engine.text('navigate', { url: `${site.origin}/data.json`, session: 'other' });
    const other = await list({ session: 'other' });
    expect(other.workspace).toBe('browser:other');
    expect(keysOf(other)).toEqual([`GET 127.0.0.1:${site.port}/data.json`]);
  });
});

describe('a capture that cannot be stored', () => {
  it('is a warning on a normal reply', async () => {
    const folder = join(engine.home, 'cache', 'browser-network');
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'in the way');
    expect(await list({ limit: 1 })).toMatchObject({
      count: 1,
      cache_warning: expect.stringContaining('Could not write'),
    });
    expect(await engine.text('network', { format: 'lines', limit: 1 })).toContain(
      'not stored: Could not write',
    );
    await rm(folder);
  });
});

describe('without a browser', () => {
  it('listed requests can still be read', async () => {
    const { entries } = await list({ url: 'n=1' });
    await engine.text('oc_stop');
    expect(await engine.json('network', { detail: entries[0]!.key })).toMatchObject({
      body: { total: 2 },
      cached_at: expect.any(String),
    });
    expect(await engine.json('oc_connection_health')).toMatchObject({ state: 'not_started' });
  });
});

describe('a filter by fields', () => {
  const post = (path: string, type: string, body: string): string =>
    `await fetch('${path}', { method: 'POST', headers: { 'content-type': '${type}' }, body: ${body} })`;
  const findPaths = async (filter: string): Promise<string[]> =>
    (await list({ filter, url: '/empty' })).entries.map(({ url }) => url.replace(site.origin, ''));

  it('finds requests by the fields that they sent: JSON, a form and a form with files', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    await run(post('/empty?json', 'application/json', `'{"order":{"sku_code":1}}'`));
    await run(
      post('/empty?form', 'application/x-www-form-urlencoded', `'customer%5Bname%5D=ada&coupon=1'`),
    );
    await run(
      `const data = new FormData(); data.append('photo_title', 'x'); await fetch('/empty?parts', { method: 'POST', body: data })`,
    );
    await vi.waitFor(
      async () => expect(await findPaths('order,sku_code')).toEqual(['/empty?json']),
      { timeout: 30_000 },
    );
    await vi.waitFor(
      async () => expect(await findPaths('customer[name],coupon')).toEqual(['/empty?form']),
      { timeout: 30_000 },
    );
    await vi.waitFor(async () => expect(await findPaths('photo_title')).toEqual(['/empty?parts']), {
      timeout: 30_000,
    });
    expect(await findPaths('order,coupon')).toEqual([]);
    expect(await findPaths('ada')).toEqual([]);
  });
});
