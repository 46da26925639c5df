// Tests of page-facts.ts.
import { describe, expect, it } from 'vitest';
import { type DocumentFacts, readDocumentFacts } from './page-facts.ts';
import { parsePage } from './page-world.ts';

const facts = async (html: string): Promise<DocumentFacts> =>
  readDocumentFacts(parsePage(html), 'https://a.test/dir/page');
const PROSE =
  '<p>The first survey was made on foot and took eleven summers. Old maps disagree about where it begins.</p>'.repeat(
    4,
  );

it('finds links once each, relative to the base', async () => {
  const { links } = await facts(
    '<base href="/root/"><a href="x">1</a><a href="x#y">2</a><a href="mailto:a@b">3</a><area href="/z"><a>4</a><iframe src="in"></iframe><meta http-equiv=refresh content="0; url=next">',
  );
  expect(links).toEqual([
    'https://a.test/root/x',
    'https://a.test/z',
    'https://a.test/root/in',
    'https://a.test/root/next',
  ]);
});

it('knows title, canonical address and the wish not to be followed', async () => {
  expect(
    await facts(
      '<title> A\n title </title><link rel="canonical" href="/c?utm_source=x"><meta name="robots" content="noindex, nofollow">',
    ),
  ).toMatchObject({
    title: 'A title',
    canonical: 'https://a.test/c',
    nofollow: true,
  });
});

describe('scripts are needed', () => {
  it.each([
    ['no', '<p>Page 1</p><a href="/2">next</a>', false],
    ['no', `${PROSE}<script src="analytics.js"></script>`, false],
    ['no', '<p>short</p><script type="application/ld+json">{}</script>', false],
    ['yes', '<div id="root"></div><script src="app.js"></script>', true],
    [
      'yes',
      `<div id="app"></div><footer>${PROSE}</footer><script type="module" src="app.js"></script>`,
      true,
    ],
    [
      'yes',
      '<noscript>You need to enable JavaScript to run this app.</noscript><script>go()</script>',
      true,
    ],
    ['no', `<div id="root">${PROSE}</div><script src="app.js"></script>`, false],
  ])('%s: %s', async (_, html, needed) => {
    expect((await facts(html)).needsScripts).toBe(needed);
  });
});
