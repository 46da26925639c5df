// Sessions with their own storage: two users of one site at once, and nothing leaks between them.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': '<title>Home</title><h1>Home</h1><textarea aria-label="Notes"></textarea>',
  '/other': '<title>Other</title><h1>Other</h1>',
  '/login': (request, response) => {
    const user = new URL(request.url ?? '', 'http://x').searchParams.get('user') ?? '';
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': `user=${user}; path=/; max-age=3600`,
    });
    response.end(`<h1>Welcome ${user}</h1>`);
  },
  '/whoami': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' });
    response.end(
      `<h1>You are ${/user=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody'}</h1>`,
    );
  },
  '/worker.js': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end('self.addEventListener("fetch", () => {})');
  },
  '/private': (request, response) => {
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' });
      response.end('locked');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Unlocked</h1>');
  },
  '/file': (request, response) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="report.csv"',
    });
    response.end(/user=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody');
  },
});
let cachedHits = 0;
site.page('/cached.js', (_, response) => {
  cachedHits++;
  response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'max-age=3600' });
  response.end('globalThis.cached = true');
});
const engine = useEngine();

const open = (session: string, path: string): Promise<string> =>
  engine.text('navigate', { session, url: `${site.origin}${path}` });
const run = (session: string, code: string): Promise<string> =>
  engine.text('javascript_tool', { session, code });
const heading = (session: string): Promise<string> =>
  run(session, 'document.querySelector("h1").textContent');

describe('two sessions with their own storage', () => {
  it('are logged in to one site as two users at the same time', async () => {
    await Promise.all([open('ada', '/login?user=ada'), open('bob', '/login?user=bob')]);
    await Promise.all([open('ada', '/whoami'), open('bob', '/whoami')]);
    expect(await heading('ada')).toBe('You are ada');
    expect(await heading('bob')).toBe('You are bob');
    await open('default', '/whoami');
    expect(await heading('default')).toBe('You are nobody');
  });

  it('list, change and delete only their own cookies', async () => {
    const list = async (session: string): Promise<object> =>
      engine.json('cookies', { session, all: true });
    expect(await list('ada')).toMatchObject({ cookies: [{ name: 'user', chars: 3 }] });
    expect(await list('default')).toEqual({ cookies: [] });
    await engine.text('cookies', { session: 'ada', action: 'set', name: 'only', value: 'ada' });
    expect(await list('bob')).toMatchObject({ cookies: [{ name: 'user' }] });
    expect(await engine.json('cookies', { session: 'bob', action: 'clear' })).toEqual({
      deleted: 1,
    });
    expect(await list('ada')).toMatchObject({ cookies: [{ name: 'user' }, { name: 'only' }] });
  });

  it('share neither localStorage, IndexedDB, Cache Storage nor service workers', async () => {
    await Promise.all([open('ada', '/'), open('bob', '/')]);
    await run(
      'ada',
      `localStorage.setItem('k', 'ada');
       await (await caches.open('c')).put('/x', new Response('ada'));
       await new Promise((done) => (indexedDB.open('db', 1).onsuccess = done));
       await navigator.serviceWorker.register('/worker.js');
       await navigator.serviceWorker.ready;
       return 1`,
    );
    const look = `return JSON.stringify([
      localStorage.getItem('k'),
      await caches.keys(),
      (await indexedDB.databases()).map(({ name }) => name),
      (await navigator.serviceWorker.getRegistrations()).length,
    ])`;
    expect(JSON.parse(await run('ada', look))).toEqual(['ada', ['c'], ['db'], 1]);
    expect(JSON.parse(await run('bob', look))).toEqual([null, [], [], 0]);
  });

  it('do not share the HTTP cache', async () => {
    const load = `await import('/cached.js'); return 1`;
    await run('ada', load);
    await open('ada', '/other');
    await run('ada', load);
    expect(cachedHits).toBe(1);
    await open('bob', '/other');
    await run('bob', load);
    expect(cachedHits).toBe(2);
  });

  it('do not share an HTTP login', async () => {
    await engine.text('http_auth', {
      session: 'ada',
      origin: site.origin,
      username: 'ada',
      password: 'correct horse',
    });
    await open('ada', '/private');
    expect(await heading('ada')).toBe('Unlocked');
    const reply = await engine.reply('navigate', {
      session: 'bob',
      url: `${site.origin}/private`,
    });
    expect(JSON.stringify([reply.text, reply.failure])).not.toContain('Unlocked');
  });

  it('do not share permissions', async () => {
    await open('ada', '/');
    await open('bob', '/');
    await engine.text('emulate', { session: 'ada', permissions: { notifications: 'granted' } });
    const ask = `(await navigator.permissions.query({ name: 'notifications' })).state`;
    expect(await run('ada', ask)).toBe('granted');
    expect(await run('bob', ask)).not.toBe('granted');
  });

  it('do not see or cancel downloads of each other, and equal file names do not collide', async () => {
    for (const session of ['ada', 'bob']) {
      await open(session, `/login?user=${session}`);
      await run(session, `location.href = '/file'; 1`);
      await engine.text('wait_for', { session, download: 'report.csv' });
    }
    for (const session of ['ada', 'bob']) {
      const { downloads } = await engine.json<{ downloads: { path: string }[] }>('downloads', {
        session,
      });
      expect(downloads).toHaveLength(1);
      expect(await readFile(downloads[0]?.path ?? '', 'utf8')).toBe(session);
    }
    expect(await engine.json('downloads')).toEqual({ downloads: [] });
    const { downloads } = await engine.json<{ downloads: { id: string }[] }>('downloads', {
      session: 'ada',
    });
    const refused = await engine.failure('downloads', {
      session: 'bob',
      action: 'cancel',
      id: downloads[0]?.id,
    });
    expect(JSON.stringify(refused)).not.toContain(`${downloads[0]?.id} completed`);
  });

  it('do not share the copied text', async () => {
    await Promise.all([open('ada', '/'), open('bob', '/')]);
    await engine.text('interact', { session: 'ada', action: 'type', query: 'Notes', value: 'A-1' });
    await engine.text('interact', { session: 'ada', action: 'copy', query: 'Notes' });
    const paste = await engine.reply('interact', {
      session: 'bob',
      action: 'paste',
      query: 'Notes',
    });
    expect(JSON.stringify([paste.text, paste.failure])).not.toContain('A-1');
  });

  it('do not share tabs, refs or captured requests, and errors reveal no address', async () => {
    await open('ada', '/other?private-of-ada');
    const { tabs } = await engine.json<{ tabs: { tabId: string }[] }>('tabs_context', {
      session: 'ada',
    });
    const [{ tabId } = { tabId: '' }] = tabs;
    const refused = await engine.failure('read_page', { session: 'bob', tabId });
    expect(refused.code).toBe('tab_not_found');
    expect(JSON.stringify(refused)).not.toContain('private-of-ada');
    const page = await engine.text('read_page', { session: 'ada' });
    const ref = /\be\d+\b/.exec(page)?.[0] ?? '';
    await open('bob', '/');
    const network = await engine.text('network', { session: 'bob', all: true });
    expect(network).not.toContain('private-of-ada');
    const wrong = await engine.reply('interact', { session: 'bob', action: 'click', ref });
    expect(JSON.stringify([wrong.text, wrong.failure])).not.toContain('Other');
  });

  it('do not reveal the handles of each other', async () => {
    await open('ada', '/other?stored-by-ada');
    const { output_handle: handle } = await engine.json<{ output_handle: string }>('page_content', {
      session: 'ada',
      output_mode: 'handle',
    });
    expect(handle).toMatch(/^oh_/);
    await open('bob', '/');
    const guess = `oh_${'a'.repeat(12)}`;
    const replies = [
      await engine.reply('oc_output_fetch', { session: 'bob', output_handle: guess }),
      await engine.reply('oc_output_fetch', {
        session: 'bob',
        output_handle: `${handle.slice(0, -1)}${handle.endsWith('A') ? 'B' : 'A'}`,
      }),
      await engine.reply('tabs_context', { session: 'bob' }),
      await engine.reply('network', { session: 'bob', all: true }),
      await engine.reply('page_content', { session: 'bob', output_mode: 'handle' }),
    ];
    for (const { text, failure, notes } of replies) {
      const shown = JSON.stringify([text, failure, notes]);
      expect(shown).not.toContain(handle);
      expect(shown).not.toContain('stored-by-ada');
    }
  });

  it('cannot read a payload of another session by its handle, but the user can', async () => {
    await open('ada', '/other?payload-of-ada');
    const { output_handle: handle } = await engine.json<{ output_handle: string }>('network', {
      session: 'ada',
      all: true,
      output_mode: 'handle',
    });
    const uri = `openchrome://output/${handle}`;
    const { signal } = new AbortController();
    const request = { name: 'oc_output_fetch', arguments: { output_handle: handle } };
    for (const session of ['bob', undefined]) {
      const { failure, text } = await engine.engine.call({
        ...request,
        ...(session && { session }),
      });
      expect(text).toBeUndefined();
      expect(failure).toMatchObject({ code: 'output_handle_not_found' });
      const { resources } = engine.engine;
      expect((await resources.list(session)).map((one) => one.uri)).not.toContain(uri);
      expect(await resources.read(uri, { session, signal })).toBeUndefined();
      expect(await resources.watch(uri, () => {}, session)).toBeUndefined();
      const template = 'openchrome://output/{output_handle}{?offset,limit,query,grep}';
      expect(await resources.complete(template, 'output_handle', handle, session)).toEqual([]);
    }
    const { text: own } = await engine.engine.call({ ...request, session: 'ada' });
    expect(own).toContain('payload-of-ada');
    expect(await engine.engine.resources.read(uri, { session: 'ada', signal })).toMatchObject({
      text: expect.stringContaining('payload-of-ada') as string,
    });
    const { text: ofUser } = await engine.engine.call({ ...request, shell: {} });
    expect(ofUser).toContain('payload-of-ada');
  });

  it('of the profile share their payloads, which no session with its own storage reads', async () => {
    const stored = await engine.json<{ output_handle: string }>('network', {
      output_mode: 'handle',
    });
    const args = { output_handle: stored.output_handle };
    expect(await engine.reply('oc_output_fetch', args)).not.toHaveProperty('failure');
    expect(await engine.failure('oc_output_fetch', { ...args, session: 'bob' })).toMatchObject({
      code: 'output_handle_not_found',
    });
  });

  it('do not share what a server learned about them in HTTP state', async () => {
    // A cached permanent redirect is state like that of HSTS: Chrome does not ask the server again.
    let asked = 0;
    site.page('/moved', (_, response) => {
      asked++;
      response.writeHead(308, { location: '/other', 'cache-control': 'max-age=3600' });
      response.end();
    });
    await open('ada', '/moved');
    await open('ada', '/moved');
    expect(asked).toBe(1);
    await open('bob', '/moved');
    expect(asked).toBe(2);
  });

  it('put popups without an opener into the session that opened them', async () => {
    await open('ada', '/');
    await run('ada', `window.open('/other?popup', '_blank', 'noopener'); 1`);
    await expect
      .poll(async () => JSON.stringify(await engine.json('tabs_context', { session: 'ada' })))
      .toContain('other?popup');
    expect(JSON.stringify(await engine.json('tabs_context', { session: 'bob' }))).not.toContain(
      'other?popup',
    );
  });
});

describe('sessions', () => {
  it('are opened, listed with their storage and closed, which deletes their data', async () => {
    expect(await engine.json('sessions', { action: 'open', name: 'shop' })).toEqual({
      opened: { name: 'shop', storage: 'own', tabs: 0 },
    });
    await open('shop', '/login?user=eve');
    await run('shop', `await fetch('/whoami'); return 1`);
    await engine.text('network', { session: 'shop' });
    const capture = join(engine.home, 'cache', 'browser-network', 'browser_shop.json');
    expect(existsSync(capture)).toBe(true);
    expect(await engine.json('tabs_context', { session: 'shop' })).toMatchObject({
      storage: 'own',
    });
    expect(await engine.json('tabs_context')).toMatchObject({ storage: 'profile' });
    expect(await engine.json('sessions')).toMatchObject({
      sessions: expect.arrayContaining([
        expect.objectContaining({ name: 'default', storage: 'profile' }),
        { name: 'shop', storage: 'own', tabs: 1 },
      ]),
    });
    expect(await engine.json('sessions', { action: 'close', name: 'shop' })).toEqual({
      closed: 'shop',
      tabs: 1,
      data: 'deleted',
    });
    expect(existsSync(capture)).toBe(false);
    await open('shop', '/whoami');
    expect(await heading('shop')).toBe('You are nobody');
  });

  it('with the storage "profile" share the cookies of the default session', async () => {
    await engine.text('sessions', { action: 'open', name: 'second', storage: 'profile' });
    await open('default', '/login?user=dora');
    await open('second', '/whoami');
    expect(await heading('second')).toBe('You are dora');
    expect(
      await engine.failure('sessions', { action: 'open', name: 'second', storage: 'own' }),
    ).toMatchObject({ code: 'invalid_argument', argument: 'storage' });
  });

  it('that do not exist cannot be closed', async () => {
    expect(await engine.failure('sessions', { action: 'close', name: 'none' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'name',
    });
  });

  it('give their settings to new tabs and to popups before the first script runs', async () => {
    const seen: string[] = [];
    site.page('/seen', (request, response) => {
      seen.push(String(request.headers['x-tenant']));
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<script>
        document.title = [
          Intl.DateTimeFormat().resolvedOptions().timeZone,
          matchMedia('(prefers-reduced-motion: reduce)').matches,
          navigator.userAgent,
        ].join(' ');
      </script>`);
    });
    await open('styled', '/');
    await engine.text('emulate', {
      session: 'styled',
      scope: 'session',
      timezone: 'Asia/Tokyo',
      userAgent: 'Tester/1',
      reducedMotion: true,
      headers: { 'x-tenant': 'blue' },
    });
    await engine.text('tabs', { session: 'styled', action: 'new', url: `${site.origin}/seen` });
    await run('styled', `window.open('/seen'); 1`);
    await run('styled', `window.open('/seen', '_blank', 'noopener'); 1`);
    await expect.poll(() => seen.length).toBe(3);
    // The server can see the request of a popup before Chrome reports the popup as a tab.
    const listTabs = async () =>
      (await engine.json<{ tabs: { tabId: string }[] }>('tabs_context', { session: 'styled' }))
        .tabs;
    await expect.poll(listTabs).toHaveLength(4);
    const tabs = await listTabs();
    for (const { tabId } of tabs.slice(1))
      expect(
        await engine.text('javascript_tool', { session: 'styled', tabId, code: 'document.title' }),
      ).toBe('Asia/Tokyo true Tester/1');
    expect(seen).toEqual(['blue', 'blue', 'blue']);
  });

  it('crawl with their own cookies', async () => {
    await open('ada', '/login?user=ada');
    for (const render of ['fetch', 'browser']) {
      const text = await engine.text('crawl', {
        session: 'ada',
        url: `${site.origin}/whoami`,
        maxPages: 1,
        render,
      });
      expect(text).toContain('You are ada');
    }
    expect(
      await engine.text('crawl', {
        session: 'stranger',
        url: `${site.origin}/whoami`,
        maxPages: 1,
      }),
    ).toContain('You are nobody');
  });
});

describe('the guard', () => {
  const guarded = useEngine(['--block-domains', 'blocked.test']);

  it('checks the connections of a session with its own storage', async () => {
    const server = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await guarded.text('navigate', { session: 'own', url: `http://localhost:${port}/` });
      expect(
        await guarded.failure('navigate', { session: 'own', url: `http://blocked.test:${port}/` }),
      ).toMatchObject({ code: 'domain_not_allowed' });
      const code = `try { new Worker(URL.createObjectURL(new Blob(['fetch("http://blocked.test:${port}")'])));
        await fetch('http://blocked.test:${port}'); return 'reached' } catch { return 'refused' }`;
      expect(await guarded.text('javascript_tool', { session: 'own', code })).toContain('refused');
    } finally {
      server.close();
    }
  });
});

describe('with --session-storage profile', () => {
  const shared = useEngine(['--session-storage', 'profile']);

  it('named sessions share the cookies of the profile', async () => {
    const at = (path: string): string => `${site.origin}${path}`;
    await shared.text('navigate', { url: at('/login?user=fay'), session: 'one' });
    await shared.text('navigate', { url: at('/whoami'), session: 'two' });
    expect(
      await shared.text('javascript_tool', {
        session: 'two',
        code: 'document.querySelector("h1").textContent',
      }),
    ).toBe('You are fay');
    expect(await shared.json('tabs_context', { session: 'two' })).toMatchObject({
      storage: 'profile',
    });
  });
});
