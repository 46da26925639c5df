// Tests of how a request is meant: by its key, or by a pattern of its address.
import { expect, it } from 'vitest';
import { createAddressMatcher, createRequestMatcher, toUrlMatcher } from './request-match.ts';

const POST = { method: 'POST', url: 'https://a.test/api/v1/orders?x=1' };

it.each<[string, string | undefined, boolean]>([
  ['AddOrder', 'AddOrder', true],
  ['AddOrder', 'AddOrder#3', true],
  ['AddOrder#3', 'AddOrder#3', true],
  ['AddOrder#2', 'AddOrder#3', false],
  ['POST a.test/api/v1/orders', 'POST a.test/api/v1/orders', true],
  ['/api/v1/orders', undefined, true],
  ['POST /api/v1/orders', undefined, true],
  ['GET /api/v1/orders', undefined, false],
  ['/api/*/orders', undefined, true],
  ['/api/*s?', undefined, false],
  ['https://a.test/**x=1', undefined, true],
  ['/other', undefined, false],
])('%s of %s: %s', (wanted, key, expected) => {
  expect(createRequestMatcher(wanted)(POST, key)).toBe(expected);
});

it.each<[string, string, boolean]>([
  ['**/done', 'https://a.test/x/y/done', true],
  ['**/done', 'https://a.test/x/y/done?id=1', true],
  ['https://a.test/*/done', 'https://a.test/x/y/done', false],
  ['/x/', 'https://a.test/x/y', true],
  ['report*.csv', 'report-2024.csv', true],
])('The address pattern %s matches %s: %s', (pattern, address, expected) => {
  expect(createAddressMatcher(pattern)(address)).toBe(expected);
});

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
