// Chrome's patterns, matched as Chrome matches them.
import { expect, it } from 'vitest';
import { toUrlMatcher } from './url-pattern.ts';

it.each([
  ['*', 'http://a/', true],
  ['*/api/*', 'http://a/api/users', true],
  ['*/api/*', 'http://a/api', false],
  ['http://a/?', 'http://a/x', true],
  ['http://a/?', 'http://a/', false],
  ['http://a/\\?q=*', 'http://a/?q=1', true],
  ['http://a/\\?q=*', 'http://a/xq=1', false],
  ['http://a.b/(c)+[d]', 'http://a.b/(c)+[d]', true],
  ['http://a.b/', 'http://axb/', false],
  ['http://a/\\', 'http://a/\\', true],
])('%s of %s: %s', (pattern, url, expected) => {
  expect(toUrlMatcher(pattern)(url)).toBe(expected);
});
