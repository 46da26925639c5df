// The rules of the extension for commands and events.
import { describe, expect, it } from 'vitest';
import { checkCommand, checkEntry, hideForbiddenEntries, removeCookies } from './guard.ts';

const TAB = 'https://shop.example.com/cart';

describe('a command is rejected', () => {
  it.each([
    ['Storage.getCookies', {}],
    ['Storage.clearCookies', {}],
    ['Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' }],
    ['Network.clearBrowserCookies', {}],
    ['Network.getAllCookies', {}],
    ['Target.createTarget', { url: 'https://example.com' }],
    ['Target.attachToTarget', { targetId: 'another' }],
    ['Target.getTargets', {}],
    ['Browser.close', {}],
    ['Extensions.loadUnpacked', { path: '/tmp' }],
    ['Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/' }],
    ['toString', {}],
  ])('if OpenChrome does not need it: %s', (method, params) => {
    expect(() => checkCommand(method, params, TAB)).toThrow();
  });

  it.each([
    'file:///etc/passwd',
    'chrome://settings',
    'chrome-extension://a/b',
    'view-source:a',
    'about:version',
    'about:blank#a',
    'blob:chrome://settings/a',
    'blob:blob:chrome://settings/a',
    7,
  ])('if it opens %s', (url) => {
    expect(() => checkCommand('Page.navigate', { url }, TAB)).toThrow('may not open');
  });

  it.each(['file:///home/a', 'chrome://settings', 'devtools://a', 'chrome-extension://a/b.html'])(
    'if the tab shows %s, unless it leaves that page',
    (url) => {
      const run = { expression: '1' };
      expect(() => checkCommand('Runtime.evaluate', run, url)).toThrow('may not use');
      const leave = { url: 'https://example.com' };
      expect(checkCommand('Page.navigate', leave, url)).toBe(leave);
    },
  );

  it.each([
    ['Network.getCookies', { urls: ['https://bank.example.org'] }],
    ['Network.getCookies', { urls: [TAB, 'https://bank.example.org'] }],
    ['Network.setCookie', { name: 'a', value: 'b', url: 'https://bank.example.org' }],
    ['Network.setCookie', { name: 'a', value: 'b', domain: '.bank.example.org' }],
    ['Network.setCookie', { name: 'a', value: 'b', url: TAB, domain: 'bank.example.org' }],
    ['Network.setCookie', { name: 'a', value: 'b' }],
    ['Network.setCookies', { cookies: [{ name: 'a', value: 'b', url: 'https://a.test' }] }],
    ['Network.deleteCookies', { name: 'a', domain: 'bank.example.org' }],
    ['Network.deleteCookies', { name: 'a' }],
  ])('if it names cookies of another site: %s %j', (method, params) => {
    expect(() => checkCommand(method, params, TAB)).toThrow('own site');
  });

  it.each([
    ['Page.createIsolatedWorld', { frameId: 'a', grantUniveralAccess: true }],
    ['Fetch.continueRequest', { requestId: '1', url: 'https://bank.example.org' }],
    ['Fetch.fulfillRequest', { requestId: '1', binaryResponseHeaders: 'YQ==' }],
    ['Fetch.fulfillRequest', { responseHeaders: [{ name: 'Set-Cookie ', value: 'a=b' }] }],
    ['Fetch.fulfillRequest', { responseHeaders: [{ name: 'a', value: 'b\r\nSet-Cookie: a=b' }] }],
    ['Fetch.fulfillRequest', { responsePhrase: 'OK\0Set-Cookie: a=b' }],
    ['Fetch.continueResponse', { responseHeaders: 'Set-Cookie: a=b' }],
  ])('if its parameters give access to other origins: %s %j', (method, params) => {
    expect(() => checkCommand(method, params, TAB, 'https://bank.example.org/')).toThrow();
  });

  it('if two sites only share a public suffix', () => {
    const get = { urls: ['https://victim.github.io'] };
    expect(() => checkCommand('Network.getCookies', get, 'https://mine.github.io/')).toThrow();
  });
});

describe('a command is changed', () => {
  it('so that it reads only the cookies of the tab, not those of all frames', () => {
    expect(checkCommand('Network.getCookies', {}, TAB)).toEqual({ urls: [TAB] });
  });

  it('so that a response sets only cookies of the own site', () => {
    const type = { name: 'Content-Type', value: 'text/html' };
    const params = { responseHeaders: [type, { name: 'set-cookie', value: 'a=b' }] };
    const respond = (url: string) => checkCommand('Fetch.fulfillRequest', params, TAB, url);
    expect(respond('https://api.example.com/')).toBe(params);
    for (const url of ['https://bank.example.org/', ''])
      expect(respond(url)).toEqual({ responseHeaders: [type] });
  });

  it('so that a file of another site is loaded without the cookies of the user', () => {
    const options = { disableCache: false, includeCredentials: true };
    const load = (url: string) =>
      checkCommand('Network.loadNetworkResource', { url, options }, TAB);
    expect(load('https://other.test/a.map')).toMatchObject({
      options: { includeCredentials: false },
    });
    expect(load('https://cdn.example.com/a.map')).toMatchObject({ options });
    expect(() => load('file:///etc/passwd')).toThrow('may not open');
  });
});

it('cookies of the own site are allowed, also those of its parent domain', () => {
  const cookie = { name: 'a', value: 'b', domain: '.example.com' };
  expect(checkCommand('Network.setCookie', cookie, TAB)).toBe(cookie);
});

it('the history of a tab does not name files and pages of Chrome, and does not lead to them', () => {
  const shop = { id: 1, url: TAB, userTypedURL: TAB, title: 'Shop' };
  const file = { id: 2, url: 'file:///a', userTypedURL: 'file:///a', title: 'Taxes' };
  const history = { currentIndex: 1, entries: [shop, file] };
  const blank = { id: 2, url: 'about:blank', userTypedURL: 'about:blank', title: '' };
  expect(hideForbiddenEntries(history)).toEqual({ currentIndex: 1, entries: [shop, blank] });
  expect(() => checkEntry(history, 1)).not.toThrow();
  expect(() => checkEntry(history, 2)).toThrow('Agents may not open file: pages.');
});

it('a request for a password does not contain cookies', () => {
  const request = { url: TAB, headers: { Cookie: 'a=b', Accept: '*/*' } };
  expect(removeCookies('Fetch.authRequired', { request })).toEqual({
    request: { url: TAB, headers: { Accept: '*/*' } },
  });
});

it('network events do not contain cookies', () => {
  const event = {
    requestId: '1',
    associatedCookies: [{ cookie: { name: 'sid', value: 'secret' } }],
    headers: { Cookie: 'sid=secret', Accept: '*/*' },
    headersText: 'Set-Cookie: sid=secret',
    response: { headers: { 'set-cookie': 'sid=secret' }, requestHeaders: { cookie: 'sid=secret' } },
    redirectResponse: { headersText: 'secret', headers: { 'Set-Cookie': 'sid=secret' } },
    responseHeaders: [
      { name: 'Set-Cookie', value: 'sid=secret' },
      { name: 'Server', value: 'a' },
    ],
  };
  const cleaned = removeCookies('Network.responseReceivedExtraInfo', event);
  expect(JSON.stringify(cleaned)).not.toContain('secret');
  expect(cleaned).toMatchObject({
    requestId: '1',
    headers: { Accept: '*/*' },
    responseHeaders: [{ name: 'Server', value: 'a' }],
  });
});
