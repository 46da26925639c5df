// Tests of read-page.ts: the text and the structured content of a page.
import { expect, it } from 'vitest';
import { readPage } from './read-page.ts';

const read = async (html: string, format: 'text' | 'structured'): Promise<unknown> =>
  (await readPage({ url: 'http://a.test/x', body: html, type: 'text/html', format })).content;

it('lists the rows and the text of a table inside of another one once', async () => {
  const html = '<table><tr><td>a <table><tr><td>b<td>c</table> d<tr><th>e</table>';
  expect(await read(html, 'structured')).toMatchObject({
    tables: [[['a d'], ['e']], [['b', 'c']]],
  });
});

it('does not repeat a text for each element around it', async () => {
  const words = 'word '.repeat(2_000);
  for (const open of ['<table><tr><td>', '<h1><div>', '<a href=/x><div>'])
    expect(JSON.stringify(await read(open.repeat(500) + words, 'structured')).length).toBeLessThan(
      100 * words.length,
    );
});

it('reads the text below many elements', async () => {
  expect(await read(`${'<div>'.repeat(3_000)}deep <b>text</b>`, 'text')).toBe('deep text');
});
