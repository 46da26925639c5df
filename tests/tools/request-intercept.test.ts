// request_intercept: the page and the server see the requested change, and no other change.
import type { IncomingHttpHeaders } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
const site = useSite({
  '/': '<title>home</title><h1>Home</h1>',
  '/api': (request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    response
      .writeHead(200, { 'content-type': 'text/plain', 'x-served': 'yes', 'x-extra': 'here' })
      .end('from the server');
  },
});
const other = useSite({});

/** What a script of the page gets. */
const fetched = async (path: string, init = ''): Promise<unknown> =>
  JSON.parse(
    await browser.text('javascript_tool', {
      code: `const r = await fetch(${JSON.stringify(path)}, {${init}}).catch(e => ({failed: e.name})); return r.failed ? JSON.stringify(r) : JSON.stringify({status: r.status, type: r.headers.get('content-type'), extra: r.headers.get('x-extra'), body: await r.text()})`,
    }),
  );

describe('request_intercept', () => {
  beforeEach(async () => {
    await browser.json('request_intercept', { action: 'clear' });
    await browser.json('navigate', { url: `${site.origin}/` });
    seen.length = 0;
  });

  test('blocks requests that contain the given part, before the server sees them', async () => {
    expect(await browser.json('request_intercept', { action: 'block', url: '/api' })).toEqual({
      added: {
        id: expect.stringMatching(/^r\d+$/) as string,
        action: 'block',
        url: '/api',
        hits: 0,
      },
      rules: 1,
    });
    expect(await fetched('/api?x=1')).toEqual({ failed: 'TypeError' });
    expect(seen).toEqual([]);
    expect(await browser.json('request_intercept', { action: 'list' })).toMatchObject({
      rules: [{ action: 'block', hits: 1 }],
    });
  });

  test('answers with JSON in place of the server', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: '*/api',
      status: 201,
      body: { name: 'Ada' },
    });
    expect(await fetched('/api')).toMatchObject({
      status: 201,
      type: 'application/json',
      body: '{"name":"Ada"}',
    });
    expect(await fetched('/api?not=this')).toMatchObject({ status: 200, body: 'from the server' });
    expect(seen.map(({ path }) => path)).toEqual(['/api?not=this']);
  });

  test('a question mark of an address means itself', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: `${site.origin}/api?a=1`,
      body: 'mine',
    });
    expect(await fetched('/api?a=1')).toMatchObject({ body: 'mine' });
    expect(await fetched('/api/a=1')).toMatchObject({ status: 404 });
  });

  test('answers for a whole page, also after the tab visited another page', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: '/made-up',
      body: '<title>Made up</title><p>hello',
    });
    await browser.json('navigate', { url: 'about:blank' });
    expect(await browser.json('navigate', { url: `${site.origin}/made-up` })).toMatchObject({
      status: 200,
      title: 'Made up',
    });
  });

  test('a page of another origin may read the answer, also behind a preflight', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: `${other.origin}/*`,
      body: 'from elsewhere',
    });
    expect(await fetched(`${other.origin}/data`)).toMatchObject({
      status: 200,
      body: 'from elsewhere',
    });
    const init = 'method: "PUT", headers: {"x-own": "1"}, credentials: "include", body: "b"';
    expect(await fetched(`${other.origin}/data`, init)).toMatchObject({
      status: 200,
      body: 'from elsewhere',
    });
  });

  test('sets, replaces and removes headers of requests', async () => {
    await browser.json('request_intercept', {
      action: 'headers',
      url: '*',
      headers: { 'X-Test': 'one', Accept: null },
    });
    await browser.json('request_intercept', {
      action: 'headers',
      url: '/api',
      headers: { 'x-test': 'two', 'x-more': 'yes' },
    });
    expect(await fetched('/api')).toMatchObject({ body: 'from the server' });
    expect(seen[0]?.headers).toMatchObject({ 'x-test': 'two', 'x-more': 'yes' });
  });

  test('sets and removes headers of answers', async () => {
    await browser.json('request_intercept', {
      action: 'headers',
      url: '/api',
      responseHeaders: { 'x-extra': 'changed', 'content-type': null },
    });
    expect(await fetched('/api')).toEqual({
      status: 200,
      type: null,
      extra: 'changed',
      body: 'from the server',
    });
  });

  test('the newest of several rules decides', async () => {
    await browser.json('request_intercept', { action: 'block', url: '/api' });
    await browser.json('request_intercept', { action: 'mock', url: '/api', body: 'newer' });
    expect(await fetched('/api')).toMatchObject({ body: 'newer' });
  });

  test('a rule concerns its method and its types of resources only', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: '/api',
      method: 'post',
      body: 'posted',
    });
    await browser.json('request_intercept', {
      action: 'block',
      url: '/api',
      resourceTypes: ['image'],
    });
    expect(await fetched('/api')).toMatchObject({ body: 'from the server' });
    expect(await fetched('/api', 'method: "POST"')).toMatchObject({ body: 'posted' });
    const image =
      'return new Promise(done => Object.assign(new Image(), {onerror: () => done("blocked"), onload: () => done("shown"), src: "/api"}))';
    seen.length = 0;
    expect(await browser.text('javascript_tool', { code: image })).toBe('blocked');
    expect(seen).toEqual([]);
  });

  test('a rule for so many times rests after them', async () => {
    await browser.json('request_intercept', {
      action: 'mock',
      url: '/api',
      body: 'once',
      times: 1,
    });
    expect(await fetched('/api')).toMatchObject({ body: 'once' });
    expect(await fetched('/api')).toMatchObject({ body: 'from the server' });
  });

  test('a removed rule is not applied any more', async () => {
    const { added } = await browser.json<{ added: { id: string } }>('request_intercept', {
      action: 'block',
      url: '/api',
    });
    expect(await browser.json('request_intercept', { action: 'remove', id: added.id })).toEqual({
      removed: 1,
      rules: [],
    });
    expect(await fetched('/api')).toMatchObject({ body: 'from the server' });
  });

  test('a header rule with a secret does not show it', async () => {
    await browser.json('request_intercept', {
      action: 'headers',
      url: '/api',
      headers: { Authorization: 'Bearer abcdef0123456789' },
    });
    await fetched('/api');
    expect(seen[0]?.headers.authorization).toBe('Bearer abcdef0123456789');
    expect(await browser.text('request_intercept', { action: 'list' })).not.toContain(
      'abcdef0123456789',
    );
  });

  test('other tabs are not affected', async () => {
    await browser.json('request_intercept', { action: 'block', url: '*' });
    const { tabId } = await browser.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${site.origin}/`,
    });
    expect(await fetched('/api')).toMatchObject({ body: 'from the server' });
    await browser.json('tabs', { action: 'close', tabId });
  });

  test.each([
    [{ action: 'block' }, 'url'],
    [{ action: 'remove' }, 'id'],
    [{ action: 'remove', id: 'r999' }, 'id'],
    [{ action: 'headers', url: '*' }, 'headers'],
    [{ action: 'mock', url: '*', headers: { a: 'b' } }, 'headers'],
    [{ action: 'mock', url: '*', status: 99 }, 'status'],
    [{ action: 'headers', url: '*', headers: { 'a b': 'c' } }, 'headers.a b'],
    [{ action: 'headers', url: '*', headers: { a: 'b\r\nc: d' } }, 'headers.a'],
    [{}, 'action'],
  ])('%j is refused', async (args, argument) => {
    expect(await browser.failure('request_intercept', args)).toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });
});
