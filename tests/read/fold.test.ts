// Reading within a budget: folded parts are reported and can be expanded by ref.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { useReader } from './reader.ts';

const reader = useReader();
const { open, read, run } = reader;

const rows = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `<tr><td>${1000 + i}<td>Person ${i}<td>Oslo<td><button>Approve ${1000 + i}</button>`,
  ).join('');

const foldOf = (text: string): string => /^ *….*expand (e\d+)$/m.exec(text)?.[1] ?? 'no fold';

describe('A page that is too large for the budget', () => {
  it('folds long tables and shows how many rows are left', async () => {
    await open(
      `<h1>Orders</h1><table><tr><th>Id<th>Name<th>City<th>Action${rows(500)}</table><footer><a href=#>Imprint</a></footer>`,
    );
    const text = await read({ maxTokens: 300 });
    expect(text.replace(/expand e\d+/, 'expand e_').replace(/^( *)e\d+/gm, '$1e_'))
      .toMatchInlineSnapshot(`
      "# Orders
      Id | Name | City | Action
      1000 | Person 0 | Oslo
       e_ button "Approve 1000"
      1001 | Person 1 | Oslo
       e_ button "Approve 1001"
      1002 | Person 2 | Oslo
       e_ button "Approve 1002"
      1003 | Person 3 | Oslo
       e_ button "Approve 1003"
      1004 | Person 4 | Oslo
       e_ button "Approve 1004"
      1005 | Person 5 | Oslo
       e_ button "Approve 1005"
      1006 | Person 6 | Oslo
       e_ button "Approve 1006"
      1007 | Person 7 | Oslo
       e_ button "Approve 1007"
      1008 | Person 8 | Oslo
       e_ button "Approve 1008"
      1009 | Person 9 | Oslo
       e_ button "Approve 1009"
      1010 | Person 10 | Oslo
       e_ button "Approve 1010"
      1011 | Person 11 | Oslo
       e_ button "Approve 1011"
      … 488 more rows like this, expand e_
      contentinfo
       e_ link "Imprint""
    `);
  });

  it('expands the folded parts step by step, until everything was shown', async () => {
    await open(`<table>${rows(120)}</table>`);
    let text = await read({ maxTokens: 600 });
    const seen = new Set(text.match(/Approve \d+/g));
    for (let steps = 0; text.includes('expand') && steps < 30; steps++) {
      text = await read({ ref: foldOf(text), maxTokens: 600 });
      expect(countTokens(text)).toBeLessThanOrEqual(600);
      for (const name of text.match(/Approve \d+/g) ?? []) {
        expect(seen.has(name)).toBe(false);
        seen.add(name);
      }
    }
    expect(seen.size).toBe(120);
  });

  it('folds interactive elements in view last', async () => {
    await open(
      `<p>${'Words before. '.repeat(400)}</p><p>${'More words. '.repeat(400)}</p>${'<a href=#>Above</a> '.repeat(200)}<div id=here><button>In view</button></div>${'<p>After</p>'.repeat(500)}`,
    );
    await run('here.scrollIntoView()');
    const text = await read({ maxTokens: 200 });
    expect(text).toContain('button "In view"');
    expect(countTokens(text)).toBeLessThanOrEqual(200);
  });

  it('keeps the outline of a long article', async () => {
    const section = (i: number): string =>
      `<h2>Part ${i}</h2>${'<p>The engine reads a card and moves the barrel, so that each wheel turns by one tooth.</p>'.repeat(30)}`;
    await open(`<h1>Article</h1>${Array.from({ length: 12 }, (_, i) => section(i)).join('')}`);
    const text = await read({ maxTokens: 1000 });
    expect(text.match(/^## Part \d+/gm)).toHaveLength(12);
    expect(countTokens(text)).toBeLessThanOrEqual(1000);
    const opened = await read({ ref: foldOf(text), maxTokens: 1000 });
    expect(opened).toMatch(/^The engine reads a card/);
  });

  it('cuts a single endless text, and continues at the cut', async () => {
    const words = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ');
    await open(`<p>${words}</p>`);
    let text = await read({ maxTokens: 1500 });
    let whole = '';
    for (let steps = 0; steps < 40; steps++) {
      expect(countTokens(text)).toBeLessThanOrEqual(1500);
      const [first = '', fold] = text.split('\n');
      whole += fold ? first.replace(/…$/, '') : first;
      if (!fold) break;
      text = await read({ ref: foldOf(text), maxTokens: 1500 });
    }
    expect(whole === words).toBe(true);
  });

  it('shows only the requested number of levels', async () => {
    await open(
      '<nav aria-label=Main><ul><li><a href=#>One</a><ul><li><a href=#>Below</a><li><a href=#>Other</a></ul></ul></nav>',
    );
    const text = await read({ depth: 2 });
    expect(text.replace(/e\d+/g, 'e_')).toMatchInlineSnapshot(`
      "navigation "Main"
       e_ link "One"
        … 2 more links like this, expand e_"
    `);
    expect((await read({ ref: foldOf(text) })).replace(/e\d+/g, 'e_')).toMatchInlineSnapshot(`
      "e_ link "Below"
      e_ link "Other""
    `);
  });

  it.each([100, 250, 700, 2000, 10_000])('never takes more than %i tokens', async (maxTokens) => {
    const parts = [
      rows(300),
      '<p>Ελληνικά кириллица 東京都 العربية ไทย हिन्दी</p>'.repeat(50),
      `<p>${Array.from({ length: 500 }, (_, i) => ((i * 2654435761) >>> 0).toString(36)).join(' ')}</p>`,
      '<a href=#>😀🎉👩‍👩‍👧</a>'.repeat(100),
      '<div><div><div><ul><li><a href=#>x</a><li><b>y</b></ul></div></div></div>'.repeat(80),
    ];
    await open(`<table>${parts[0]}</table>${parts.slice(1).join('')}`);
    const text = await read({ maxTokens });
    expect(countTokens(text)).toBeLessThanOrEqual(maxTokens);
    expect(text).toMatch(/expand e\d+/);
  });
});
