// Saved logins: recorded once, restored in any session, imported, checked and never given away.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEngine, wireCli } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { loadLogin, Logins } from '../../src/store/files/logins.ts';
import { engineCalls, useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/login': (request, response) => {
    const user = new URL(request.url ?? '', 'http://x').searchParams.get('user') ?? '';
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': [`user=${user}; path=/; max-age=3600; HttpOnly`, 'seen=1; path=/'],
    });
    response.end(`<h1>Welcome</h1><script>
      localStorage.setItem('cart', 'three books');
      const opening = indexedDB.open('shop', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('items');
      opening.onsuccess = () => {
        const work = opening.result.transaction('items', 'readwrite');
        work.objectStore('items').put('paid', 'order-1');
        work.oncomplete = () => { opening.result.close(); document.title = 'ready'; };
      };
    </script>`);
  },
  '/account': (request, response) => {
    const [, user] = /user=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
    response.writeHead(user === undefined ? 401 : 200, { 'content-type': 'text/html' });
    response.end(
      user === undefined
        ? '<input type=password aria-label=Password>'
        : `<h1>Account of ${user}</h1>`,
    );
  },
});
const engine = useEngine();
const folder = mkdtempSync(join(tmpdir(), 'openchrome-logins-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (session: string, path: string): Promise<string> =>
  engine.text('navigate', { session, url: `${site.origin}${path}` });
const run = (session: string, code: string): Promise<string> =>
  engine.text('javascript_tool', { session, code });
const readOrder = `await new Promise((done) => {
  const opening = indexedDB.open('shop');
  opening.onsuccess = () => {
    const reading = opening.result.transaction('items').objectStore('items').get('order-1');
    reading.onsuccess = () => done(reading.result);
  };
})`;

describe('a saved login', () => {
  it('restores cookies, storage and databases in another session', async () => {
    await open('ada', '/login?user=ada');
    await expect.poll(() => run('ada', 'document.title')).toBe('ready');
    await open('ada', '/account');
    expect(
      await engine.json('storage', { session: 'ada', action: 'save', login: 'shop' }),
    ).toMatchObject({ saved: 'shop', cookies: 2, origins: [site.origin] });
    expect(
      await engine.json('sessions', { action: 'open', name: 'second', login: 'shop' }),
    ).toMatchObject({ opened: { name: 'second' }, restored: { login: 'shop', cookies: 2 } });
    await open('second', '/account');
    expect(await run('second', 'document.querySelector("h1").textContent')).toBe('Account of ada');
    expect(await run('second', `localStorage.getItem('cart')`)).toBe('three books');
    expect(await run('second', readOrder)).toBe('paid');
    await open('third', '/account');
    await engine.text('storage', { session: 'third', action: 'load', login: 'shop' });
    await open('third', '/account');
    expect(await run('third', 'document.querySelector("h1").textContent')).toBe('Account of ada');
  });

  it('is a private file that tools can neither read, upload nor open', async () => {
    const path = join(engine.home, 'logins', 'shop.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await open('default', '/account');
    for (const [tool, args] of [
      ['storage', { action: 'load', path }],
      ['storage', { action: 'save', path }],
      ['interact', { action: 'upload', selector: 'input', value: path }],
      ['navigate', { url: `file://${path}` }],
      ['crawl', { url: `file://${path}` }],
    ] as const) {
      const failure = await engine.failure(tool, args);
      expect(['file_not_allowed', 'url_not_allowed', 'invalid_argument']).toContain(failure.code);
      expect(JSON.stringify(failure)).not.toContain('three books');
    }
  });

  it('that does not exist or has a bad name is an error that lists the others', async () => {
    expect(
      await engine.failure('sessions', { action: 'open', name: 'x', login: 'none' }),
    ).toMatchObject({ code: 'login_not_found', available: ['shop'] });
    expect(await engine.failure('storage', { action: 'load', login: '../shop' })).toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('imports', () => {
  it('read a cookies.txt with host-only, HttpOnly and session cookies', async () => {
    const path = join(folder, 'cookies.txt');
    writeFileSync(
      path,
      [
        '# Netscape HTTP Cookie File',
        '.example.com\tTRUE\t/\tTRUE\t4102444800\tsid\tabc',
        '#HttpOnly_app.example.com\tFALSE\t/app\tFALSE\t0\ttoken\tx=y',
        '# a comment',
        'broken line',
      ].join('\n'),
    );
    expect(await loadLogin(path)).toMatchObject({
      cookies: [
        { name: 'sid', domain: '.example.com', secure: true, expires: 4102444800, httpOnly: false },
        { name: 'token', domain: 'app.example.com', path: '/app', expires: -1, httpOnly: true },
      ],
      origins: [],
    });
  });

  it('restore a Playwright storage state', async () => {
    const path = join(engine.home, 'state.json');
    writeFileSync(
      path,
      JSON.stringify({
        cookies: [{ name: 'user', value: 'bob', domain: '127.0.0.1', path: '/', expires: -1 }],
        origins: [{ origin: site.origin, localStorage: [{ name: 'k', value: 'v' }] }],
      }),
    );
    await open('imported', '/account');
    await engine.text('storage', { session: 'imported', action: 'load', path });
    await open('imported', '/account');
    expect(await run('imported', 'document.querySelector("h1").textContent')).toBe(
      'Account of bob',
    );
    expect(await run('imported', `localStorage.getItem('k')`)).toBe('v');
  });
});

describe('exports', () => {
  it('are a Playwright storage state, which another session can load', async () => {
    await open('exporting', '/login?user=ada');
    await run('exporting', `localStorage.setItem('k', 'exported'); 1`);
    await engine.text('storage', { session: 'exporting', action: 'save', login: 'exported' });
    const path = join(folder, 'exported.json');
    await new Logins(join(engine.home, 'logins')).export('exported', path);
    const state = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object[]>;
    expect(Object.keys(state)).toEqual(['cookies', 'origins']);
    const item = { name: 'k', value: 'exported' };
    expect(state['origins']).toEqual([
      { origin: site.origin, localStorage: expect.arrayContaining([item]) as object },
    ]);
    for (const cookie of state['cookies'] ?? [])
      expect(Object.keys(cookie).sort()).toEqual(
        ['domain', 'expires', 'httpOnly', 'name', 'path', 'sameSite', 'secure', 'value'].sort(),
      );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { cookies, origins } = await loadLogin(path);
    await new Logins(join(engine.home, 'logins')).save('again', { cookies, origins });
    await engine.text('sessions', { action: 'open', name: 'reader', login: 'again' });
    await open('reader', '/account');
    expect(await run('reader', 'document.querySelector("h1").textContent')).toBe('Account of ada');
    expect(await run('reader', `localStorage.getItem('k')`)).toBe('exported');
  });
});

describe('after a restart of everything', () => {
  it('a saved login opens a session that is logged in', async () => {
    await open('today', '/login?user=ida');
    await engine.text('storage', { session: 'today', action: 'save', login: 'today' });
    const later = createEngine({
      config: resolveConfig({ flags: ['--headless', '--log-level', 'error'], env: process.env }),
      home: { ...resolveHome({ OPENCHROME_HOME: engine.home }), browsers: resolveHome().browsers },
    });
    const calls = engineCalls(() => later);
    try {
      await calls.text('sessions', { action: 'open', name: 'tomorrow', login: 'today' });
      await calls.text('navigate', { session: 'tomorrow', url: `${site.origin}/account` });
      expect(await calls.text('read_page', { session: 'tomorrow' })).toContain('Account of ida');
      await calls.text('navigate', { session: 'nobody', url: `${site.origin}/account` });
      expect(await calls.text('read_page', { session: 'nobody' })).toContain('Password');
    } finally {
      await later.stop();
    }
  });
});

describe('openchrome login', () => {
  const home = { ...resolveHome({ OPENCHROME_HOME: folder }), browsers: resolveHome().browsers };
  const config = resolveConfig({ flags: ['--headless', '--log-level', 'error'], env: process.env });
  const wiring = wireCli({ loadConfig: () => Promise.resolve(config) }, home);
  const { signal } = new AbortController();

  it('opens the site, waits for the user, saves the login, and checks it later', async () => {
    let isWaiting = false;
    const saved = await wiring.recordLogin({
      url: `${site.origin}/login?user=eve`,
      name: 'eve',
      config,
      waitForUser: async () => {
        isWaiting = true;
      },
      signal,
    });
    expect(isWaiting).toBe(true);
    expect(saved).toMatchObject({ saved: 'eve', cookies: 2 });
    const logins = new Logins(home.logins);
    expect(await logins.list()).toMatchObject([
      { name: 'eve', hosts: ['127.0.0.1'], cookies: 2, expired: 0, expires: expect.any(String) },
    ]);
    const file = join(home.logins, 'eve.json');
    const login = JSON.parse(readFileSync(file, 'utf8')) as { saved: { url: string } };
    const withUrl = { ...login, saved: { ...login.saved, url: `${site.origin}/account` } };
    writeFileSync(file, JSON.stringify(withUrl));
    expect(await wiring.checkLogin('eve', config, signal)).toMatchObject({
      works: true,
      status: 200,
      expires: expect.stringMatching(/^\d{4}-/) as string,
    });
    writeFileSync(file, JSON.stringify({ ...withUrl, cookies: [] }));
    expect(await wiring.checkLogin('eve', config, signal)).toMatchObject({ works: false });
    await logins.remove('eve');
    expect(existsSync(file)).toBe(false);
  });
});

describe('with --login', () => {
  const started = useEngine(['--login', 'start']);

  it('the default session starts with the login', async () => {
    await new Logins(join(started.home, 'logins')).save('start', {
      cookies: [
        {
          name: 'user',
          value: 'gus',
          domain: '127.0.0.1',
          path: '/',
          expires: -1,
          httpOnly: true,
          secure: false,
        },
      ],
      origins: [],
    });
    await started.text('navigate', { url: `${site.origin}/account` });
    expect(
      await started.text('javascript_tool', { code: 'document.querySelector("h1").textContent' }),
    ).toBe('Account of gus');
  });
});
