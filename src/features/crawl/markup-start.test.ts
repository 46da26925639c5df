// Tests of markup-start.ts: skipping of the prolog, in linear time for many comments.
import { expect, it } from 'vitest';
import { endOfDoctype, startsAsHtml } from './markup-start.ts';

it.each([
  ['<!doctype html><p>x', 15],
  ['  <!-- a --> <!-- b -->\n<!DOCTYPE html><p>', 39],
  ['<?xml version="1.0"?><!doctype html>', 36],
  ['<!-- <!doctype html> --><p>', 0],
  ['<p>x<!doctype html>', 0],
  ['<!doctype html', 0],
  ['', 0],
])('finds the end of the doctype of %j', (html, end) => {
  expect(endOfDoctype(html)).toBe(end);
});

it.each(['<html>', '<!-- a --><HEAD >', '<?xml version="1.0"?> <!doctype html>', '\uFEFF<body>'])(
  'takes %j for HTML',
  (text) => {
    expect(startsAsHtml(text)).toBe(true);
  },
);

it.each(['', 'plain', '<htmlx>', '<!-- <html>', '<rss>', '<?xml version="1.0"?><feed>'])(
  'does not take %j for HTML',
  (text) => {
    expect(startsAsHtml(text)).toBe(false);
  },
);

it('scans a million comments once', () => {
  const comments = '<!-- -->\n'.repeat(1_000_000);
  expect(endOfDoctype(`${comments}<p>`)).toBe(0);
  expect(startsAsHtml(`${comments}<!--`)).toBe(false);
});
