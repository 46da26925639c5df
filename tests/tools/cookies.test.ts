// cookies: set, delete and list cookies; values are shown only with --allow-reveal.
import { beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const open = useEngine(['--allow-reveal']);
let sent = '';
const site = useSite({
  '/': (request, response) => {
    sent = request.headers.cookie ?? '';
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Here</h1>');
  },
  '/login': (_, response) =>
    void response
      .writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': [
          'sid=opaque-value-123; HttpOnly; SameSite=Lax',
          'lang=de; Max-Age=3600; Path=/',
        ],
      })
      .end('<h1>In</h1>'),
});

interface Listed {
  readonly cookies: readonly Record<string, unknown>[];
}

describe('cookies', () => {
  beforeEach(async () => {
    await browser.json('cookies', { action: 'clear', all: true });
    await browser.json('navigate', { url: `${site.origin}/` });
  });

  test('lists the cookies of the page, with their flags and without their values', async () => {
    await browser.json('navigate', { url: `${site.origin}/login` });
    const { cookies } = await browser.json<Listed>('cookies');
    expect(cookies).toHaveLength(2);
    expect(cookies.find(({ name }) => name === 'sid')).toMatchObject({
      domain: '127.0.0.1',
      path: '/',
      expires: 'session',
      httpOnly: true,
      secure: false,
      sameSite: 'Lax',
      chars: 16,
    });
    expect(cookies.find(({ name }) => name === 'lang')).toMatchObject({
      expires: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      httpOnly: false,
    });
    expect(JSON.stringify(cookies)).not.toContain('opaque-value-123');
    expect(await browser.failure('cookies', { reveal: true })).toMatchObject({
      code: 'reveal_not_allowed',
    });
  });

  test('shows values on request on a server that may reveal them', async () => {
    await open.json('navigate', { url: `${site.origin}/login` });
    expect(await open.text('cookies')).not.toContain('opaque-value-123');
    expect(await open.text('cookies', { reveal: true })).toContain('opaque-value-123');
  });

  test('sets a cookie that the server and the page then see', async () => {
    expect(
      await browser.json('cookies', { action: 'set', name: 'theme', value: 'dark' }),
    ).toMatchObject({
      set: { name: 'theme', domain: '127.0.0.1', expires: 'session' },
    });
    expect(await browser.text('javascript_tool', { code: 'document.cookie' })).toContain('theme=');
    await browser.json('navigate', { action: 'reload' });
    expect(sent).toBe('theme=dark');
  });

  test('sets all that a cookie can have', async () => {
    const { set } = await browser.json<{ set: object }>('cookies', {
      action: 'set',
      name: 'k',
      value: 'v',
      domain: 'example.com',
      path: '/a',
      expires: '2035-01-01T00:00:00Z',
      httpOnly: true,
      secure: true,
      sameSite: 'None',
    });
    const told = {
      name: 'k',
      domain: '.example.com',
      path: '/a',
      expires: '2035-01-01T00:00:00.000Z',
      httpOnly: true,
      secure: true,
      sameSite: 'None',
    };
    // Chrome keeps no cookie for longer than 400 days.
    expect(set).toMatchObject({ ...told, expires: expect.any(String) as string });
    expect(await browser.json<Listed>('cookies', { domain: 'example.com' })).toMatchObject({
      cookies: [{ name: 'k' }],
    });
    expect(await browser.json<Listed>('cookies')).toEqual({ cookies: [] });
    expect((await browser.json<Listed>('cookies', { all: true })).cookies).toHaveLength(1);
  });

  test('deletes by name, and clears the page but not other sites', async () => {
    await browser.json('navigate', { url: `${site.origin}/login` });
    await browser.json('cookies', {
      action: 'set',
      name: 'other',
      value: 'x',
      url: 'https://example.org/',
    });
    expect(await browser.json('cookies', { action: 'delete', name: 'lang' })).toEqual({
      deleted: 1,
    });
    expect(await browser.json('cookies', { action: 'delete', name: 'lang' })).toEqual({
      deleted: 0,
    });
    expect(await browser.json('cookies', { action: 'clear' })).toEqual({ deleted: 1 });
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(sent).toBe('');
    expect(await browser.json<Listed>('cookies', { all: true })).toMatchObject({
      cookies: [{ name: 'other' }],
    });
  });

  test('an expired cookie is not stored, and the reply reports it', async () => {
    expect(
      await browser.json('cookies', {
        action: 'set',
        name: 'old',
        value: 'x',
        expires: '2001-01-01T00:00:00Z',
      }),
    ).toMatchObject({
      set: null,
    });
  });

  test.each([
    [{ name: '__Host-x', value: '1', url: 'http://example.com/' }],
    [{ name: 'a;b', value: '1' }],
  ])('what Chrome does not take is not reported as set: %j', async (args) => {
    expect(await browser.failure('cookies', { action: 'set', ...args })).toMatchObject({
      code: 'value_rejected',
    });
  });

  test.each([
    [{ action: 'set', value: 'x' }, 'name'],
    [{ action: 'set', name: 'x' }, 'value'],
    [{ action: 'delete' }, 'name'],
    [{ url: 'nonsense' }, 'url'],
    [{ domain: 'a.b', all: true }, 'domain'],
    [{ action: 'set', name: 'a', value: 'b', expires: 'soon' }, 'expires'],
    [{ action: 'eat' }, 'action'],
  ])('%j is refused', async (args, argument) => {
    expect(await browser.failure('cookies', args)).toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });
});
