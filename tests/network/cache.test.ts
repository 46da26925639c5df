// Stored captures: read without a browser, never emptied by a listing, and every way in which they
// can fail.
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildFileName, NetworkCache } from '../../src/store/network/network-cache.ts';
import { useEngine } from '../fixtures.ts';
import { captured } from './captured.ts';

const engine = useEngine();
const folder = (): string => join(engine.home, 'cache', 'browser-network');
const file = (): string => join(folder(), 'browser_default.json');
const store = (
  capturedAt = Date.now(),
  workspace = 'browser:default',
  requests = [captured()],
): Promise<void> =>
  new NetworkCache(folder()).save({
    workspace,
    captured_at: capturedAt,
    requests: requests.map((request) => JSON.stringify(request)),
  });

beforeEach(async () => {
  await rm(folder(), { recursive: true, force: true });
});

describe('a stored capture', () => {
  it('answers for a key with no browser running, and starts none', async () => {
    await store();
    const detail = await engine.json('network', { detail: 'GET api.test/items' });
    expect(detail).toMatchObject({
      key: 'GET api.test/items',
      status: 200,
      body: { id: 1, a: [] },
    });
    expect(Object.keys(detail)).toContain('cached_at');
    expect(
      await engine.json('network', { detail: 'GET api.test/items', path: '$.id' }),
    ).toMatchObject({ body: 1 });
    expect(await engine.json('oc_connection_health')).toMatchObject({ state: 'not_started' });
  });

  it('belongs only to its session', async () => {
    await store(Date.now(), 'browser:other');
    expect(await engine.failure('network', { detail: 'GET api.test/items' })).toMatchObject({
      code: 'cache_missing',
    });
    expect(
      await engine.json('network', { detail: 'GET api.test/items', session: 'other' }),
    ).toMatchObject({ status: 200 });
  });

  it('is described and exported like a live one', async () => {
    await store();
    expect(await engine.json('network', { describe: true })).toMatchObject({
      openapi: { paths: { '/items': { get: {} } } },
    });
    const path = join(engine.home, 'stored.har');
    expect(await engine.json('network', { har: path })).toMatchObject({
      har: path,
      entries_count: 1,
    });
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ log: { version: '1.2' } });
  });

  it('is private, and not touched by an empty listing', async () => {
    await store();
    const before = await readFile(file(), 'utf8');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
    expect(await engine.json('network')).toMatchObject({
      workspace: 'browser:default',
      count: 0,
      entries: [],
    });
    expect(await readFile(file(), 'utf8')).toBe(before);
    expect(JSON.parse(before)).toMatchObject({ version: 1 });
  });
});

describe('what can be wrong with it', () => {
  it('missing', async () => {
    expect(await engine.failure('network', { detail: 'GET api.test/items' })).toMatchObject({
      code: 'cache_missing',
      retryable: false,
    });
  });

  it('a day old, unless a longer time is requested', async () => {
    await store(Date.now() - 25 * 3_600_000);
    expect(await engine.failure('network', { detail: 'GET api.test/items' })).toMatchObject({
      code: 'cache_expired',
      ttl_ms: 86_400_000,
    });
    expect(
      await engine.json('network', { detail: 'GET api.test/items', ttl: 2 * 86_400_000 }),
    ).toMatchObject({ status: 200 });
  });

  it('older than the requested time', async () => {
    await store(Date.now() - 5000);
    expect(
      await engine.failure('network', { detail: 'GET api.test/items', ttl: 1000 }),
    ).toMatchObject({ code: 'cache_expired' });
  });

  it.each([
    ['no JSON', '{"version":1,"works'],
    ['another shape', '{"version":1,"workspace":7}'],
    ['nothing', ''],
    ['an old version', '{"version":0}'],
  ])('corrupt: %s, and then it is set aside and not deleted', async (_, text) => {
    await mkdir(folder(), { recursive: true });
    await writeFile(file(), text);
    const failure = await engine.failure('network', { detail: 'GET api.test/items' });
    expect(failure).toMatchObject({ code: 'cache_corrupt', retryable: false });
    const [aside] = (await readdir(folder())).filter((name) => name.includes('.corrupt-'));
    expect(await readFile(join(folder(), aside ?? ''), 'utf8')).toBe(text);
  });

  it('without that key: the closest ones are offered first', async () => {
    const requests = ['ListOrders', 'GetUser', 'GET api.test/items'].map((key) =>
      captured({ key }),
    );
    await store(Date.now(), 'browser:default', requests);
    const failure = await engine.failure('network', { detail: 'GetUsers' });
    expect(failure).toMatchObject({ code: 'key_not_found' });
    expect((failure as unknown as { available_keys: string[] }).available_keys).toEqual([
      'GetUser',
      'ListOrders',
      'GET api.test/items',
    ]);
  });
});

describe('the file of a session', () => {
  it('has its name, and an unambiguous one if the name has other characters', () => {
    expect(buildFileName('browser:default')).toBe('browser_default');
    expect(buildFileName('browser:A-b_1')).toBe('browser_A-b_1');
    const odd = ['a/b', 'a b', 'a_b', '../../x', 'ü', 'a:b', 'x'.repeat(100) + '/'].map((name) =>
      buildFileName(`browser:${name}`),
    );
    expect(new Set(odd).size).toBe(odd.length);
    for (const name of odd) expect(name).toMatch(/^browser_[A-Za-z0-9_-]+(?:\.[0-9a-f]{12})?$/);
  });
});
