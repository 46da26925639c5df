// navigate: the result of opening a URL.
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const site = useSite({
  '/': '<title>Home</title><h1>Home</h1><a href="/second">second</a>',
  '/second': '<title>Second</title><p>2</p>',
  '/gone': (_request, response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Gone</title>'),
  '/hop': (_request, response) => response.writeHead(302, { location: '/hop2' }).end(),
  '/hop2': (_request, response) => response.writeHead(301, { location: '/second' }).end(),
  '/login':
    '<title>Sign in</title><form><input name=user><input type=password name=pw><button>Sign in</button></form>',
  '/register': `<title>Apply</title><form>${'<input>'.repeat(12)}<input type=password></form>`,
  '/empty': (_request, response) => response.writeHead(204).end(),
  '/slow-image': '<title>Slow</title><p>text</p><img src="/never">',
  '/never': () => {},
  '/alert': '<title>Alert</title><script>alert("hello")</script><p>after</p>',
  '/json': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
});

describe('navigate', () => {
  test('returns tabId, final url, title and status', async () => {
    const answer = await browser.json('navigate', { url: `${site.origin}/` });
    expect(answer).toEqual({
      tabId: expect.stringMatching(/^[0-9A-F]{32}$/),
      url: `${site.origin}/`,
      title: 'Home',
      status: 200,
    });
  });

  test('an address without a scheme on this machine is http', async () => {
    const answer = await browser.json('navigate', { url: `localhost:${site.port}/second` });
    expect(answer).toMatchObject({ url: `http://localhost:${site.port}/second`, title: 'Second' });
  });

  test('an error status is reported, not hidden', async () => {
    expect(await browser.json('navigate', { url: `${site.origin}/gone` })).toMatchObject({
      status: 404,
      title: 'Gone',
    });
  });

  test('redirects are listed in order', async () => {
    expect(await browser.json('navigate', { url: `${site.origin}/hop` })).toMatchObject({
      url: `${site.origin}/second`,
      status: 200,
      redirects: [
        { url: `${site.origin}/hop`, status: 302 },
        { url: `${site.origin}/hop2`, status: 301 },
      ],
    });
  });

  test('goes back, goes forward and reloads', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    await browser.json('navigate', { url: `${site.origin}/second` });
    expect(await browser.json('navigate', { action: 'back' })).toMatchObject({ title: 'Home' });
    expect(await browser.json('navigate', { url: 'forward' })).toMatchObject({ title: 'Second' });
    expect(await browser.json('navigate', { action: 'reload' })).toMatchObject({
      title: 'Second',
      status: 200,
    });
  });

  test('reloads from the cache, or everything from the server', async () => {
    let hits = 0;
    site.page('/cached.js', (_, response) => {
      hits++;
      response.writeHead(200, {
        'content-type': 'text/javascript',
        'cache-control': 'max-age=900',
      });
      response.end('');
    });
    site.page('/with-script', '<title>Script</title><script src="/cached.js"></script>');
    await browser.json('navigate', { url: `${site.origin}/with-script` });
    await browser.json('navigate', { action: 'reload' });
    expect(hits).toBe(1);
    await browser.json('navigate', { action: 'hard_reload' });
    expect(hits).toBe(2);
  });

  test('a page that navigates back by itself can be used at once, every time', async () => {
    for (let round = 0; round < 15; round++) {
      await browser.json('tabs', { action: 'new', url: `${site.origin}/second` });
      await browser.json('navigate', { url: `${site.origin}/` });
      await browser.text('javascript_tool', { code: 'setTimeout(() => history.back()), 0' });
      await browser.text('wait_for', { url: '/second', loadState: 'load' });
      expect(await browser.json('navigate', { action: 'forward' })).toMatchObject({
        title: 'Home',
      });
      await browser.json('tabs', { action: 'close' });
    }
  });

  test('going forward without a next entry is a failure', async () => {
    await browser.json('navigate', { url: `${site.origin}/second` });
    expect(await browser.failure('navigate', { action: 'forward' })).toMatchObject({
      code: 'no_history',
    });
  });

  test('a navigation within the document is reported as one', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await browser.json('navigate', { url: `${site.origin}/#part` })).toMatchObject({
      url: `${site.origin}/#part`,
      same_document: true,
    });
  });

  test('a login page is reported as a fact', async () => {
    expect(await browser.json('navigate', { url: `${site.origin}/login` })).toMatchObject({
      login_page: true,
    });
  });

  test('a long form with a password in it is not called a login page', async () => {
    expect(await browser.json('navigate', { url: `${site.origin}/register` })).not.toHaveProperty(
      'login_page',
    );
  });

  test('a port without a server is a structured failure with the net error', async () => {
    expect(await browser.failure('navigate', { url: 'http://127.0.0.1:1/' })).toMatchObject({
      code: 'navigation_failed',
      net_error: expect.stringMatching(/^ERR_(CONNECTION_REFUSED|UNSAFE_PORT)$/),
    });
  });

  test('a response without content keeps the page and reports the status', async () => {
    await browser.json('navigate', { url: `${site.origin}/second` });
    expect(await browser.json('navigate', { url: `${site.origin}/empty` })).toMatchObject({
      url: `${site.origin}/second`,
      status: 204,
    });
  });

  test('a page that never finishes loading is returned as still loading', async () => {
    const answer = await browser.json('navigate', {
      url: `${site.origin}/slow-image`,
      timeout_ms: 1500,
    });
    expect(answer).toMatchObject({ title: 'Slow', status: 200, still_loading: true });
  });

  test('a page that opens a dialog while it loads is reported, and the dialog can be answered', async () => {
    const answer = await browser.reply('navigate', { url: `${site.origin}/alert` });
    expect(JSON.parse(answer.text ?? '')).toMatchObject({ dialog_opened: true });
    expect(answer.notes).toEqual(['[alert dialog open: "hello"; answer it with handle_dialog]']);
    expect(await browser.json('handle_dialog', {})).toMatchObject({
      answered: 'accepted',
      kind: 'alert',
      message: 'hello',
    });
    expect(
      await browser.text('javascript_tool', { code: 'document.querySelector("p").textContent' }),
    ).toBe('after');
  });

  test('a document that is not HTML is reported with its type', async () => {
    expect(await browser.json('navigate', { url: `${site.origin}/json` })).toMatchObject({
      mimeType: 'application/json',
    });
  });

  test.each([
    [{}, 'navigate needs either "url" or "action".'],
    [{ url: 5 }, 'navigate: "url" must be a string, not a number.'],
    [{ url: 'http://a.test', action: 'back' }, 'navigate needs either "url" or "action".'],
    [{ url: 'https://exa mple' }, '"https://exa mple" is not a valid URL.'],
  ])('%j is refused as an invalid argument', async (args, message) => {
    expect(await browser.failure('navigate', args)).toMatchObject({
      code: 'invalid_argument',
      message,
    });
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'chrome://settings',
    'data:text/html,hi',
  ])('%s is not opened', async (url) => {
    expect(await browser.failure('navigate', { url })).toMatchObject({ code: 'url_not_allowed' });
  });

  test('an unknown argument names the closest known one', async () => {
    expect(await browser.failure('navigate', { ulr: 'http://a.test' })).toMatchObject({
      code: 'invalid_argument',
      closest: 'url',
    });
  });

  test('both spellings of an argument are understood', async () => {
    expect(
      await browser.json('navigate', {
        url: `${site.origin}/second`,
        wait_until: 'commit',
        timeoutMs: 5000,
      }),
    ).toMatchObject({
      status: 200,
    });
  });
});
