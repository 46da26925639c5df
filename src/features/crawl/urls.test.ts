// Tests of urls.ts.
import { expect, it } from 'vitest';
import { isNotPage, buildUrlKey, normaliseUrl } from './urls.ts';

it.each([
  ['/b?x=1#part', 'https://a.test/b?x=1'],
  ['https://A.test:443/b', 'https://a.test/b'],
  ['../c/./d', 'https://a.test/c/d'],
  ['?utm_source=x&utm_medium=y', 'https://a.test/dir/'],
  ['?id=7&fbclid=abc&gclid=q', 'https://a.test/dir/?id=7'],
  ['/p;jsessionid=ABC123?x=1', 'https://a.test/p?x=1'],
  ['https://user:secret@a.test/', 'https://a.test/'],
  ['//b.test/x', 'https://b.test/x'],
  ['/a?q=1%202&r=a+b', 'https://a.test/a?q=1%202&r=a+b'],
])('requests %s as %s', (link, url) => {
  expect(normaliseUrl(link, 'https://a.test/dir/')).toBe(url);
});

it.each([
  'mailto:a@b.test',
  'javascript:void(0)',
  'tel:+1',
  'data:text/html,x',
  'ftp://a.test/',
  'http://[',
  `/${'x'.repeat(5000)}`,
])('does not follow %s', (link) => {
  expect(normaliseUrl(link, 'https://a.test/')).toBeUndefined();
});

it.each([
  ['https://a.test/x/', 'https://a.test/x'],
  ['https://a.test', 'https://a.test/'],
  ['https://a.test/?b=1&a=2', 'https://a.test/?a=2&b=1'],
  ['https://a.test/%7Ejo/%c3%a9', 'https://a.test/~jo/%C3%A9'],
  ['https://a.test./x', 'https://a.test/x'],
  ['https://a.test/x#y', 'https://a.test/x'],
])('knows %s and %s as one page', (one, other) => {
  expect(buildUrlKey(one)).toBe(buildUrlKey(other));
});

it.each([
  ['https://a.test/x', 'http://a.test/x'],
  ['https://a.test/x', 'https://a.test/X'],
  ['https://a.test/x?a=1', 'https://a.test/x?a=2'],
  ['https://a.test/a%2Fb', 'https://a.test/a/b'],
  ['https://a.test/', 'https://www.a.test/'],
])('distinguishes %s from %s', (one, other) => {
  expect(buildUrlKey(one)).not.toBe(buildUrlKey(other));
});

it('knows pictures and archives by their names', () => {
  expect(isNotPage('https://a.test/x.JPG?y')).toBe(true);
  expect(isNotPage('https://a.test/x.html')).toBe(false);
  expect(isNotPage('https://a.test/report.pdf')).toBe(false);
});
