// A listing that waits for new requests, by events and up to its time limit.
import { beforeAll, expect, it } from 'vitest';
import { fail } from '../../src/core/failure.ts';
import type { Listing } from '../../src/render/network-list.ts';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();

const list = (args: object = {}): Promise<Listing> => engine.json<Listing>('network', args);
const ask = (...paths: string[]): Promise<string> =>
  engine.text('javascript_tool', {
    code: `for (const path of ${JSON.stringify(paths)}) await (await fetch(path)).text()`,
  });
const urlsOf = ({ entries }: Listing): string[] =>
  entries.map(({ url }) => url.slice(site.origin.length));

beforeAll(async () => {
  site.page('/favicon.ico', (_request, response) => void response.writeHead(204).end());
  await engine.text('navigate', { url: `${site.origin}/` });
  await ask('/items?n=1');
});

it('returns at once if there are new requests', async () => {
  expect(urlsOf(await list({ wait_ms: 60_000 }))).toContain('/items?n=1');
});

it('returns as soon as a request begins or ends', async () => {
  const { cursor } = await list({ limit: 1000 });
  const waiting = list({ cursor, wait_ms: 60_000 });
  await ask('/echo?news');
  expect(urlsOf(await waiting)).toEqual(['/echo?news']);
});

it('waits for matching requests, and reports if there were none', async () => {
  const { cursor } = await list({ limit: 1000 });
  const waiting = list({ cursor, url: '/items', wait_ms: 60_000 });
  expect(await list({ cursor, url: '/items', wait_ms: 1 })).toMatchObject({ count: 0 });
  await ask('/echo?other', '/items?n=news');
  expect(urlsOf(await waiting)).toEqual(['/items?n=news']);
});

it('stops waiting when its call is cancelled', async () => {
  const cancel = new AbortController();
  const { cursor } = await list({ limit: 1000 });
  const waiting = engine.engine.call({
    name: 'network',
    arguments: { cursor, wait_ms: 60_000 },
    signal: cancel.signal,
  });
  cancel.abort(fail('cancelled', 'Interrupted.'));
  expect((await waiting).failure?.code).toBe('cancelled');
});
