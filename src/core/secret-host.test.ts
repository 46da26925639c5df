// Tests of the hosts that a secret is for.
import { describe, expect, it } from 'vitest';
import { matchesSecretHost, parseSecretHost } from './secret-host.ts';

describe('a host of a secret', () => {
  it.each([
    ['example.com', 'https://example.com/login', true],
    ['Example.COM', 'http://example.com:8080/', true],
    ['example.com', 'https://www.example.com/', false],
    ['example.com', 'https://example.com.evil.test/', false],
    ['example.com', 'https://evil.test/?example.com', false],
    ['example.com', 'https://example.com@evil.test/', false],
    ['*.example.com', 'https://a.b.example.com/', true],
    ['*.example.com', 'https://example.com/', false],
    ['*.example.com', 'https://badexample.com/', false],
    ['example.com:8443', 'https://example.com:8443/', true],
    ['example.com:8443', 'https://example.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['[::1]', 'http://[::1]:3000/', true],
    ['127.0.0.1', 'http://127.0.0.1:3000/', true],
    ['bücher.example', 'https://xn--bcher-kva.example/', true],
    ['example.com', 'about:blank', false],
    ['example.com', 'data:text/html,example.com', false],
    ['example.com', 'file:///example.com', false],
    ['example.com', '', false],
  ])('%s for a page at %s: %s', (host, address, expected) => {
    expect(matchesSecretHost(parseSecretHost(host), address)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    'https://example.com',
    'example.com/path',
    'a@b',
    '*',
    '*.com',
    'a b',
    '*.*.com',
    'x.*',
  ])('is not %j', (text) => {
    expect(() => parseSecretHost(text)).toThrow('is not a host');
  });
});
