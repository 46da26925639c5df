// Every kind of answer is listed as what it was: nothing made up, nothing hidden, nothing lost.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Listing, NetworkEntry } from '../../src/render/network-list.ts';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();

const run = (code: string): Promise<string> => engine.text('javascript_tool', { code });
const list = (args: object = {}): Promise<Listing> =>
  engine.json<Listing>('network', { limit: 200, ...args });

/**
 * The newest matching entry, after the code ran in the page and Chrome has reported the end of the
 * request.
 */
const after = async (code: string, url: string): Promise<NetworkEntry> => {
  await run(code);
  const newest = async (): Promise<NetworkEntry | undefined> =>
    (await list({ url })).entries.at(-1);
  await expect.poll(async () => (await newest())?.state ?? 'ended').toBe('ended');
  return (await newest())!;
};

beforeAll(async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
});

describe('GraphQL', () => {
  const post = (body: string, type = 'application/json'): string =>
    `await (await fetch('/graphql?case=' + Math.random(), { method: 'POST', headers: { 'content-type': '${type}' }, body: ${body} })).json()`;

  it.each([
    [
      'over POST',
      post(`JSON.stringify({ operationName: 'ByPost', query: 'query ByPost { ok }' })`),
      'ByPost',
    ],
    ['by its query', post(`JSON.stringify({ query: 'mutation ByQuery { ok }' })`), 'ByQuery'],
    [
      'in a batch',
      post(`JSON.stringify([{ operationName: 'First' }, { operationName: 'Second' }])`),
      'First+Second',
    ],
    [
      'persisted',
      post(
        `JSON.stringify({ operationName: 'Persisted', extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } } })`,
      ),
      'Persisted',
    ],
    [
      'over GET',
      `await (await fetch('/graphql?operationName=ByGet&extensions={}')).json()`,
      'ByGet',
    ],
    [
      'multipart, with a file',
      `const form = new FormData(); form.append('operations', JSON.stringify({ operationName: 'WithFile' })); form.append('0', new File(['x'], 'x.txt'));
       await (await fetch('/graphql?multipart', { method: 'POST', body: form })).json()`,
      'WithFile',
    ],
  ])('%s', async (_, code, key) => {
    expect(await after(code, '/graphql')).toMatchObject({
      key,
      status: 200,
      shape: { $: 'object', '$.data': 'object', '$.data.ok': 'boolean' },
    });
  });
});

describe('an answer', () => {
  const get = (path: string): string => `await (await fetch('${path}')).text()`;

  it('of JSON with a byte order mark is JSON', async () => {
    expect(await after(get('/bom'), '/bom')).toMatchObject({
      ct: 'application/json',
      size: 15,
      shape: { $: 'object', '$.bom': 'boolean' },
    });
  });

  it('of several lines of JSON is text', async () => {
    expect(await after(get('/ndjson'), '/ndjson')).toMatchObject({
      ct: 'application/x-ndjson',
      size: 16,
      shape: { $: 'string(len=16)' },
    });
  });

  it('of protobuf is binary', async () => {
    expect(await after(get('/protobuf'), '/protobuf')).toMatchObject({
      ct: 'application/x-protobuf',
      size: 5,
      shape: { $: 'binary(5)' },
    });
    expect(
      await engine.json('network', { detail: `GET 127.0.0.1:${site.port}/protobuf`, raw: true }),
    ).toMatchObject({
      body: 'CJYB//4=',
      body_encoding: 'base64',
    });
  });

  it.each(['gzip', 'brotli'])('compressed with %s is shown uncompressed', async (name) => {
    expect(await after(get(`/${name}`), `/${name}`)).toMatchObject({
      status: 200,
      size: 13 + name.length,
      shape: { '$.packed': 'string' },
    });
  });

  it('without a body has none', async () => {
    expect(await after(get('/empty'), '/empty')).toMatchObject({
      status: 204,
      size: 0,
      shape: { $: 'null' },
    });
    expect(await after(`await fetch('/head', { method: 'HEAD' })`, '/head')).toMatchObject({
      method: 'HEAD',
      status: 200,
      size: 0,
      shape: { $: 'null' },
    });
  });

  it('with status 304 shows 304, the status for the page, and the body that the page got', async () => {
    await run(get('/revalidated'));
    expect(await after(get('/revalidated'), '/revalidated')).toMatchObject({
      status: 304,
      page_status: 200,
      shape: { '$.version': 'number' },
    });
  });

  it('from the cache is marked as such', async () => {
    await run(get('/cached'));
    expect(await after(get('/cached'), '/cached')).toMatchObject({
      status: 200,
      from: 'disk-cache',
      shape: { '$.cached': 'boolean' },
    });
  });

  it('of a service worker is marked as such', async () => {
    await run(`const r = await navigator.serviceWorker.register('/service-worker.js'); await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((ok) => navigator.serviceWorker.addEventListener('controllerchange', ok, { once: true }))`);
    expect(await after(get('/made-up'), '/made-up')).toMatchObject({
      status: 200,
      from: 'service-worker',
      shape: { '$.made': 'string' },
    });
  });

  it('that is a redirect shows its target, and the target is listed too', async () => {
    expect(await after(get('/moved'), '/moved')).toMatchObject({
      status: 302,
      redirected_to: `${site.origin}/items`,
      shape: { $: 'null' },
    });
    expect(await after('1', '/items')).toMatchObject({
      status: 200,
      shape: { '$.items[0].name': 'string?' },
    });
  });

  it('of an error has its body', async () => {
    expect(await after(get('/missing'), '/missing')).toMatchObject({
      status: 404,
      shape: { '$.error': 'string' },
    });
    expect((await list({ failed: true })).entries.map(({ status }) => status)).toContain(404);
  });

  it('with one document that is JSON is listed; the pages themselves are not', async () => {
    await engine.text('navigate', { url: `${site.origin}/data.json` });
    await engine.text('navigate', { url: `${site.origin}/` });
    const { entries, filtered_by: leftOut } = await list();
    expect(entries.filter(({ url }) => url.endsWith('/data.json'))).toMatchObject([
      { ct: 'application/json', shape: { '$.a': 'string' } },
    ]);
    expect(entries.filter(({ url }) => url === `${site.origin}/`)).toEqual([]);
    expect(leftOut['static']).toBeGreaterThan(0);
  });
});

describe('a request without an answer', () => {
  it('that was cancelled is marked as such', async () => {
    const entry = await after(
      `const stop = new AbortController(); setTimeout(() => stop.abort(), 50); await fetch('/never?aborted', { signal: stop.signal }).catch(() => 'aborted')`,
      'aborted',
    );
    expect(entry).toMatchObject({ status: null, error: 'net::ERR_ABORTED', shape: { $: 'null' } });
  });

  it('that CORS blocked is marked as such, and shows no body that the page did not get', async () => {
    const entry = await after(
      `await fetch('http://localhost:${site.port}/no-cors').catch(() => 'refused')`,
      '/no-cors',
    );
    expect(entry.error).toMatch(/^net::ERR_FAILED \(CORS \w+/);
    expect(entry.shape).toEqual({ $: 'null' });
  });

  it('to a port without a server is marked as such', async () => {
    expect(
      await after(`await fetch('http://127.0.0.1:1/').catch(() => 'refused')`, '127.0.0.1:1/'),
    ).toMatchObject({
      status: null,
      error: expect.stringMatching(/^net::ERR_/),
    });
  });

  it('is pending, and complete in the next list', async () => {
    let answer: (() => void) | undefined;
    site.page('/slow', (_request, response) => {
      answer = () =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"slow":true}');
    });
    await run(`window.slow = fetch('/slow').then((r) => r.json()); 1`);
    await expect.poll(() => answer !== undefined).toBe(true);
    const first = await list({ url: '/slow' });
    expect(first.entries).toMatchObject([{ status: null, state: 'pending' }]);
    answer?.();
    expect(await after('await window.slow', '/slow')).toMatchObject({
      status: 200,
      shape: { '$.slow': 'boolean' },
    });
    const news = await list({ url: '/slow', cursor: first.cursor });
    expect(news.entries).toMatchObject([{ key: first.entries[0]?.key, status: 200 }]);
  });
});

describe('filtered requests', () => {
  it('is static by its type, never by its name', async () => {
    await run(`await (await fetch('/api/pixel-art.json')).json(); document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/style.css' }));
      await new Promise((ok) => { document.querySelector('link').onload = ok })`);
    const { entries } = await list();
    expect(entries.map(({ url }) => url).filter((url) => /pixel-art|style\.css/.test(url))).toEqual(
      [`${site.origin}/api/pixel-art.json`],
    );
    const everything = await list({ all: true, limit: 1000 });
    expect(everything.entries.find(({ url }) => url.endsWith('/style.css'))).toMatchObject({
      ct: 'text/css',
      shape: { $: 'string(len=12)' },
    });
    expect(everything.filtered_out).toBe(0);
  });
});

describe('connections', () => {
  it('of server-sent events list their messages', async () => {
    await run(
      `const source = new EventSource('/events'); await new Promise((ok) => source.addEventListener('tick', ok)); window.source = source; 1`,
    );
    const [entry] = (await list({ url: '/events' })).entries;
    expect(entry).toMatchObject({
      status: 200,
      ct: 'text/event-stream',
      shape: { $: 'array(2)', '$[0].price': 'number', '$[0].up': 'boolean?' },
    });
    const detail = await engine.json<{ messages: { kept: object[] } }>('network', {
      detail: entry!.key,
    });
    expect(detail.messages.kept).toMatchObject([
      { received: { price: 1 } },
      { received: { price: 2, up: true }, event: 'tick' },
    ]);
    await run('window.source.close()');
  });

  it('of workers and popups are listed with the others', async () => {
    await run(
      `const worker = new Worker('/worker.js'); await new Promise((ok) => { worker.onmessage = ok })`,
    );
    expect((await list({ url: 'from-worker' })).entries).toMatchObject([{ status: 200 }]);
    await run(`window.open('/data.json?popup'); 1`);
    await expect
      .poll(async () => (await list({ url: 'popup' })).entries.map(({ status }) => status))
      .toEqual([200]);
  });
});
