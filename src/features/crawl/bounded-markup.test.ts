// Tests of bounded-markup.ts: ordinary pages stay unchanged, oversized ones are cut.
import { describe, expect, it } from 'vitest';
import { boundMarkup, decode, endOfDoctype, isBinary, startsAsHtml } from './bounded-markup.ts';

describe('a page', () => {
  it.each([
    ['with a long list', '<ul>' + '<li>x'.repeat(50_000)],
    ['with a long table', `<table>${'<tr><td>1<td>2'.repeat(30_000)}</table>`],
    ['with many elements beside each other', '<div><b>x</b></div>'.repeat(24_000)],
    ['with markup in a script', `<script>${"'<div>'+".repeat(40_000)}''</script><p>after</p>`],
    ['with a large picture inside', `<img src="data:image/png;base64,${'A b'.repeat(500_000)}">`],
    ['with a comment', `<!-- ${'<div>'.repeat(40_000)} --><p>x</p>`],
    ['that is text', 'a < b and c > d'.repeat(1000)],
  ])('%s is left as it is', (_, html) => {
    expect(boundMarkup(html)).toBe(html);
  });
});

describe('a bomb', () => {
  it.each([
    ['of depth', '<div>', '', 12_001 * 5],
    ['of formatting', '<b>x', '', 12_001 * 4],
    ['of elements', '<i></i>', '', 100_000 * 4],
    ['of signs', '<', '', 100_000],
  ])('%s is cut, and quickly', (_, unit, start, length) => {
    const before = performance.now();
    expect(boundMarkup(start + unit.repeat(1_000_000)).length).toBeLessThanOrEqual(length);
    expect(performance.now() - before).toBeLessThan(5000);
  });

  it('of attributes is cut before its element', () => {
    expect(boundMarkup(`<p>kept</p><p ${'a=1 '.repeat(10_000)}>`)).toBe('<p>kept</p>');
  });

  it('of quotes that never end costs no time', () => {
    const before = performance.now();
    boundMarkup('<a b="'.repeat(300_000));
    boundMarkup(`<a b=${'"'.repeat(300_001)}`);
    expect(performance.now() - before).toBeLessThan(5000);
  });
});

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
  'treats %j as HTML',
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

const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array =>
  Buffer.from(text, encoding);

it('takes the charset of the server, else that of the page', () => {
  expect(decode(bytes('caf\u00e9', 'latin1'), 'iso-8859-1')).toBe('café');
  expect(decode(bytes('<meta charset="windows-1252">caf\u00e9', 'latin1'))).toContain('café');
  expect(
    decode(
      bytes(
        '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">\u00fc',
        'latin1',
      ),
    ),
  ).toContain('ü');
  expect(decode(bytes('漢字'))).toBe('漢字');
});

it('believes a byte order mark more than anything', () => {
  expect(decode(Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('hé', 'utf16le')]), 'utf-8')).toBe(
    'hé',
  );
});

it('never fails: unknown charsets and broken bytes are read as far as can be', () => {
  expect(decode(bytes('plain'), 'x-unheard-of')).toBe('plain');
  expect(decode(Buffer.from([0x61, 0xff, 0xc3, 0x62]))).toBe('a\uFFFD\uFFFDb');
});

it('detects content that is not text', () => {
  expect(isBinary(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toBe(true);
  expect(isBinary(bytes('text'))).toBe(false);
});
