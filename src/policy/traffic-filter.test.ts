// Tests of what a listing leaves out: by type and by host, never by the words of a path.
import { expect, it } from 'vitest';
import { classifyFiltered } from './traffic-filter.ts';

const verdict = (
  resourceType: string,
  url: string,
  contentType = 'application/json',
  failed = false,
  page = 'https://shop.test/',
): string | undefined =>
  classifyFiltered({ method: 'GET', resourceType, url, contentType, failed, documentUrl: page });

it.each([
  ['Image', 'https://shop.test/a.png', 'image/png'],
  ['Font', 'https://shop.test/a.woff2', 'font/woff2'],
  ['Stylesheet', 'https://shop.test/a.css', 'text/css'],
  ['Script', 'https://shop.test/a.js', 'text/javascript'],
  ['Media', 'https://shop.test/a.mp4', 'video/mp4'],
  ['Manifest', 'https://shop.test/m.json', 'application/manifest+json'],
  ['Document', 'https://shop.test/', 'text/html'],
  ['Other', 'https://shop.test/favicon.ico', 'image/x-icon'],
])('static: %s %s', (type, url, contentType) => {
  expect(verdict(type, url, contentType)).toBe('static');
});

it.each([
  ['Fetch', 'https://www.google-analytics.com/g/collect'],
  ['XHR', 'https://o123.ingest.sentry.io/api/1/envelope/'],
  ['Fetch', 'https://api.segment.io/v1/t'],
  ['Fetch', 'https://PX.Doubleclick.NET/x'],
  ['Ping', 'https://shop.test/beacon'],
])('telemetry: %s %s', (type, url) => {
  expect(verdict(type, url)).toBe('telemetry');
});

it.each([
  ['Fetch', 'https://shop.test/api/pixel-art.json'],
  ['Fetch', 'https://shop.test/analytics/track/collect'],
  ['XHR', 'https://shop.test/static/fonts.css'],
  ['Fetch', 'https://notsentry.io/api'],
  ['Fetch', 'https://sentry.io.evil.test/api'],
  ['Fetch', 'https://shop.test/?ref=google-analytics.com'],
  ['Fetch', 'https://google-analytics.com@shop.test/'],
  ['EventSource', 'https://shop.test/events'],
  ['WebSocket', 'wss://shop.test/live'],
  ['Document', 'https://shop.test/data'],
  ['Other', 'https://shop.test/data.json'],
])('kept: %s %s', (type, url) => {
  expect(verdict(type, url)).toBeUndefined();
});

const judgeDocument = (method: string, url: string): string | undefined =>
  classifyFiltered({
    method,
    resourceType: 'Document',
    url,
    contentType: 'text/html',
    failed: false,
    documentUrl: 'https://shop.test/',
  });

it.each(['POST', 'post', 'PUT'])(
  'a document that is requested with %s is kept, because it sends data',
  (method) => {
    expect(judgeDocument(method, 'https://shop.test/login')).toBeUndefined();
  },
);

it('a document that is requested with GET is static, in any spelling of the method', () => {
  expect(judgeDocument('GET', 'https://shop.test/login')).toBe('static');
  expect(judgeDocument('get', 'https://shop.test/login')).toBe('static');
});

it('a form that a frame posts to a measuring host is telemetry', () => {
  expect(judgeDocument('POST', 'https://www.google-analytics.com/g/collect')).toBe('telemetry');
});

it('a failed request is kept, of any kind', () => {
  expect(verdict('Image', 'https://shop.test/a.png', '', true)).toBeUndefined();
  expect(verdict('Fetch', 'https://www.google-analytics.com/g/collect', '', true)).toBeUndefined();
});

it('a telemetry host on its own page is the site itself', () => {
  expect(
    verdict(
      'Fetch',
      'https://api.mixpanel.com/report',
      'application/json',
      false,
      'https://mixpanel.com/app',
    ),
  ).toBeUndefined();
});
