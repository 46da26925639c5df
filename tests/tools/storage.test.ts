// storage: the page sees what was put in, and a saved login makes another browser known to the
// site.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const another = useEngine();
const PAGE = '<title>t</title><h1>Here</h1>';
const site = useSite({
  '/': PAGE,
  '/login': (_, response) =>
    void response
      .writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': ['sid=opaque-value-123; HttpOnly; Max-Age=3600', 'tmp=1'],
      })
      .end(
        `${PAGE}<script>localStorage.setItem('access_token', 'eyJ-secret-token-0042'); sessionStorage.setItem('step', '2')</script>`,
      ),
  '/who': (request, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<p>${request.headers.cookie ?? 'nobody'}</p>`),
});

const inPage = (code: string, at = browser): Promise<string> =>
  at.text('javascript_tool', { code });

describe('storage', () => {
  beforeEach(async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    await browser.json('storage', { action: 'clear' });
    await browser.json('storage', { action: 'clear', area: 'session' });
  });

  test('sets values that the page reads, and reads values that the page has set', async () => {
    expect(await browser.json('storage', { action: 'set', key: 'theme', value: 'dark' })).toEqual({
      set: 'theme',
      chars: 4,
    });
    expect(await inPage('return localStorage.getItem("theme") + sessionStorage.length')).toBe(
      'dark0',
    );
    await inPage('sessionStorage.setItem("draft", "x".repeat(500))');
    expect(await browser.json('storage', { area: 'session' })).toEqual({
      area: 'session',
      entries: [{ key: 'draft', chars: 500, value: `${'x'.repeat(100)}…` }],
    });
    expect(await browser.json('storage', { action: 'get', area: 'session', key: 'draft' })).toEqual(
      {
        key: 'draft',
        value: 'x'.repeat(500),
      },
    );
  });

  test('removes one and clears the rest', async () => {
    await inPage('for (const k of ["a", "b", "c"]) localStorage.setItem(k, "1")');
    expect(await browser.json('storage', { action: 'remove', key: 'a' })).toEqual({ removed: 1 });
    expect(await browser.json('storage', { action: 'remove', key: 'a' })).toEqual({ removed: 0 });
    expect(await browser.json('storage', { action: 'clear' })).toEqual({ removed: 2 });
    expect(await inPage('return String(localStorage.length)')).toBe('0');
  });

  test('hides tokens', async () => {
    await browser.json('navigate', { url: `${site.origin}/login` });
    expect(await browser.json('storage')).toMatchObject({
      entries: [{ key: 'access_token', chars: 21 }],
    });
    expect(await browser.text('storage')).not.toContain('eyJ-secret-token-0042');
    expect(await browser.text('storage', { action: 'get', key: 'access_token' })).not.toContain(
      'eyJ-secret-token-0042',
    );
  });

  test('a failure has its reason', async () => {
    await inPage('localStorage.setItem("known", "1")');
    expect(await browser.failure('storage', { action: 'get', key: 'unknown' })).toMatchObject({
      code: 'key_not_found',
      available_keys: ['known'],
    });
    expect(
      await browser.failure('storage', { action: 'set', key: 'big', value: 'x'.repeat(5_900_000) }),
    ).toMatchObject({
      code: 'value_rejected',
    });
    await browser.json('navigate', { url: 'about:blank' });
    expect(await browser.failure('storage')).toMatchObject({ code: 'invalid_argument' });
  });

  test('a saved login makes another browser known, and only its owner can read the file', async () => {
    await browser.json('navigate', { url: `${site.origin}/login` });
    const path = join(browser.home, 'saved', 'ada.json');
    expect(await browser.json('storage', { action: 'save', path })).toEqual({
      saved: path,
      cookies: 2,
      origins: [site.origin],
    });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    const there = join(another.home, 'ada.json');
    await writeFile(there, await readFile(path));

    expect(await another.json('storage', { action: 'load', path: there })).toMatchObject({
      loaded: there,
      cookies: 2,
      origins: [site.origin],
    });
    await another.json('navigate', { url: `${site.origin}/who` });
    expect(await inPage('return document.body.innerText', another)).not.toContain('nobody');
    expect(await inPage('return localStorage.getItem("access_token").length', another)).toBe('21');
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
      origins: [{ sessionStorage: [{ name: 'step', value: '2' }] }],
    });
  });

  test('loading opens no tab for good, and puts the session of the open page back too', async () => {
    const path = join(browser.home, 'state.json');
    const items = [{ name: 'k', value: 'v' }];
    const origins = [
      { origin: site.origin, localStorage: items, sessionStorage: items },
      { origin: 'http://elsewhere.test', localStorage: items },
    ];
    await writeFile(
      path,
      JSON.stringify({
        cookies: [{ name: 'old', value: '1', domain: '127.0.0.1', path: '/', expires: 1000 }],
        origins,
      }),
    );
    const tabs = async (): Promise<string> =>
      (await browser.text('tabs_context')).replace(/"loading":true,?/g, '');
    const before = await tabs();
    expect(await browser.json('storage', { action: 'load', path })).toMatchObject({
      cookies: 0,
      refused: ['old (127.0.0.1)'],
      origins: [site.origin, 'http://elsewhere.test'],
    });
    await expect.poll(tabs).toBe(before);
    expect(await inPage('return localStorage.getItem("k") + sessionStorage.getItem("k")')).toBe(
      'vv',
    );
  });

  test.each([
    [{ action: 'get' }, 'key'],
    [{ action: 'set', key: 'a' }, 'value'],
    [{ action: 'save' }, 'path'],
    [{ area: 'disk' }, 'area'],
    [{ frameId: 'none' }, 'frameId'],
  ])('%j is refused', async (args, argument) => {
    expect(await browser.failure('storage', args)).toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });

  test('a file of another program is rejected', async () => {
    expect(
      await browser.failure('storage', { action: 'save', path: '/etc/login.json' }),
    ).toMatchObject({ code: 'file_not_allowed' });
    expect(
      await browser.failure('storage', {
        action: 'load',
        path: join(browser.home, 'missing.json'),
      }),
    ).toMatchObject({
      code: 'invalid_argument',
      argument: 'path',
    });
    const path = join(browser.home, 'torn.json');
    for (const text of ['{"cookies": [', '[]', '{"origins": [{"origin": "file:///etc"}]}']) {
      await writeFile(path, text);
      expect(await browser.failure('storage', { action: 'load', path })).toMatchObject({
        code: 'invalid_argument',
        argument: 'path',
      });
    }
  });
});
