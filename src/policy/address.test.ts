// Addresses are understood as a person means them, and dangerous ones are refused.
import { describe, expect, test } from 'vitest';
import { parseAddress } from './address.ts';

describe('an address', () => {
  test.each([
    ['example.com', 'https://example.com/'],
    ['example.com:8443/a?b#c', 'https://example.com:8443/a?b#c'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['app.localhost/x', 'http://app.localhost/x'],
    ['127.0.0.1:80', 'http://127.0.0.1/'],
    ['[::1]:8080/', 'http://[::1]:8080/'],
    ['HTTP://EXAMPLE.com', 'http://example.com/'],
    [' https://a.test/ü ', 'https://a.test/%C3%BC'],
    ['about:blank', 'about:blank'],
  ])('%s is opened as %s', (text, url) => expect(parseAddress(text)).toBe(url));

  test.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'file:///etc/passwd',
    'chrome://settings',
    'data:text/html,x',
    'view-source:https://a.test',
    'about:config',
    'blob:https://a.test/1',
    'ftp://a.test',
  ])('%s is not opened', (text) =>
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'url_not_allowed' })),
  );

  test.each(['http://', 'https://exa mple', 'http://[::1', ''])('"%s" is not an address', (text) =>
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' })),
  );

  test.each([
    ['file:///etc/passwd', '--allow-file-access'],
    ['chrome://settings', '--allow-scheme chrome'],
    ['data:text/html,x', '--allow-scheme data'],
    ['javascript:alert(1)', '--allow-scheme javascript'],
    ['view-source:https://a.test/', '--allow-scheme view-source'],
  ])('%s names the flag %s that would allow it', (text, flag) => {
    expect(() => parseAddress(text)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ hint: expect.stringContaining(flag) }),
      }),
    );
  });

  test.each([
    ['data:text/html,x', ['data']],
    ['CHROME://version', ['Chrome://']],
    ['view-source:https://a.test/', ['data, view-source:']],
  ])('%s is opened where %j is allowed', (text, schemes) =>
    expect(parseAddress(text, { schemes })).toContain(':'),
  );

  test.each(['blob:https://a.test/1', 'ftp://a.test', 'about:config'])(
    '%s is opened by no flag',
    (text) =>
      expect(() => parseAddress(text, { schemes: ['blob', 'ftp', 'about'] })).toThrow(
        expect.objectContaining({ code: 'url_not_allowed' }),
      ),
  );
});
