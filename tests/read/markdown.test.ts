// read_page {mode: "markdown"}: the readable content, intact, and in pages that join exactly.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { payload } from './payload.ts';

const site = useSite();
const elsewhere = useSite();
const { text, reply, json, failure } = useEngine();

const open = async (html: string): Promise<void> => {
  await json('navigate', { url: site.page('/page', html) });
};
const markdown = async (html: string, args: object = {}): Promise<string> => {
  await open(html);
  return payload(await text('read_page', { mode: 'markdown', ...args }));
};

const SENTENCE =
  'The quick brown fox jumps over the lazy dog, and then it goes home to sleep until the morning comes. ';

it('writes headings, emphasis, code, quotes, rules and breaks', async () => {
  expect(
    await markdown(`<main><h1>Top <b>title</b><a href="#x">¶</a></h1>
      <p>Some <b>bold </b>and <i>leaning</i> text with <code>x = 1</code>, H<sub>2</sub>O, 10<sup>6</sup> and <del>gone</del>.<br># not a heading</p>
      <p>1. Not a list</p><blockquote><p>Said</p><blockquote>inside</blockquote></blockquote><hr><hr>
      <h2>Code</h2><pre class="language-js"><code>const a = 1;
  if (a) { \`x\` }
</code></pre><div role="heading" aria-level="3">Custom</div></main>`),
  ).toMatchInlineSnapshot(`
    "# Top title

    Some **bold** and *leaning* text with \`x = 1\`, H2O, 10^6 and ~~gone~~.
    \\# not a heading

    1\\. Not a list

    > Said
    >
    > > inside

    ---

    ## Code

    \`\`\`js
    const a = 1;
      if (a) { \`x\` }
    \`\`\`

    ### Custom"
  `);
});

it('keeps nested lists, numbers, tasks and definitions', async () => {
  expect(
    await markdown(`<main><p>List:</p><ul><li>one</li><li>two<ul><li>two a<ol start="3"><li>three</li><li value="7">seven</li></ol></li></ul></li>
      <li><p>first</p><p>second</p></li><li><input type="checkbox" checked> done</li></ul>
      <dl><dt>Term</dt><dd>Meaning</dd><dd>Other meaning</dd><div><dt>A</dt><dt>B</dt><dd>Both</dd></div></dl></main>`),
  ).toMatchInlineSnapshot(`
    "List:

    - one
    - two
      - two a

        3. three
        7. seven
    - first

      second
    - [x] done

    Term
    : Meaning
    : Other meaning

    A
    B
    : Both"
  `);
});

it('fills in what spans several cells of a table, and reads ARIA tables', async () => {
  expect(
    await markdown(`<main><table><caption>Sizes</caption><thead><tr><th rowspan="2">Name</th><th colspan="2">Size</th></tr><tr><th>W</th><th>H</th></tr></thead>
      <tbody><tr><td rowspan="2">A</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4 | 5</td></tr><tr><td colspan="3">all<ul><li>x</li><li>y</li></ul></td></tr></tbody></table>
      <table role="presentation"><tr><td>left</td><td>right</td></tr></table>
      <div role="table"><div role="row"><span role="columnheader">K</span><span role="columnheader">V</span></div><div role="row"><span role="cell">a</span><span role="cell">b</span></div></div></main>`),
  ).toMatchInlineSnapshot(`
    "Sizes

    | Name | Size / W | Size / H |
    | - | - | - |
    | A | 1 | 2 |
    | A | 3 | 4 \\| 5 |
    | all<br>- x<br>- y |  |  |

    left

    right

    | K | V |
    | - | - |
    | a | b |"
  `);
});

it('writes formulas as TeX', async () => {
  expect(
    await markdown(`<main><p>Plain <math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>,
      annotated <span class="katex"><span class="katex-mathml"><math><semantics><mi>a</mi><annotation encoding="application/x-tex">\\alpha</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">α</span></span>.</p>
      <math display="block" alttext="E=mc^2"><mi>E</mi></math></main>`),
  ).toMatchInlineSnapshot(`
    "Plain $x^2 + \\frac{1}{2}$, annotated $\\alpha$.

    $$E=mc^2$$"
  `);
});

it('omits link addresses unless requested', async () => {
  const page = `<main><p>See <a href="/docs">the docs</a> and <a href="https://example.com/a b">others</a> <img src="/cat.png" alt="A cat"><img src="/deco.png" alt=""></p>
    <a href="/card"><h3>Card</h3><p>with text</p></a></main>`;
  expect(await markdown(page)).toMatchInlineSnapshot(`
    "See the docs and others ![A cat]

    ### Card

    with text"
  `);
  expect(await markdown(page, { urls: true })).toMatchInlineSnapshot(`
    "See [the docs](/docs) and [others](https://example.com/a%20b) ![A cat](/cat.png)

    ### [Card](/card)

    with text"
  `);
});

it('reads visible content: shadow trees and frames of any site, nothing hidden', async () => {
  const other = elsewhere
    .page('/frame', '<h2>From another site</h2><p>Its text.</p>')
    .replace('127.0.0.1', 'localhost');
  expect(
    await markdown(`<main><x-box><template shadowrootmode="open"><p>In shadow: <slot></slot></p></template>slotted</x-box><x-shut></x-shut><script>document.querySelector('x-shut').attachShadow({ mode: 'closed' }).innerHTML = '<p>In a closed root.</p>'</script>
      <iframe srcdoc="<p>In a frame.</p>"></iframe><iframe src="${other}" width="400" height="200"></iframe>
      <p hidden>no</p><p style="display:none">no</p><p style="visibility:hidden">no <b style="visibility:visible">but yes</b></p>
      <details><summary>Folded</summary>no</details><details open><summary>Open</summary>yes</details></main>`),
  ).toMatchInlineSnapshot(`
    "In shadow: slotted

    In a closed root.

    In a frame.

    ## From another site

    Its text.

    **but yes**

    ▸ Folded

    Open

    yes"
  `);
});

it('shows the article and reports the omitted words', async () => {
  const page = `<header><a href="/">Site</a></header><nav>${'<a href="/x">Menu entry</a> '.repeat(30)}</nav>
    <article><h1>Headline</h1>${`<p>${SENTENCE.repeat(3)}</p>`.repeat(4)}<h2><a href="#sizes">Sizes</a></h2><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></article>
    <aside>${'<a href="/y">Related</a> '.repeat(20)}</aside><footer>Imprint</footer>`;
  await open(page);
  const { text: shown = '', notes } = await reply('read_page', { mode: 'markdown' });
  expect(payload(shown)).toBe(
    `# Headline\n\n${Array(4).fill(SENTENCE.repeat(3).trim()).join('\n\n')}\n\n## Sizes\n\n| a | b |\n| - | - |\n| 1 | 2 |`,
  );
  expect(notes).toEqual([
    '[article only, 82 words around it left out; selector: "body" includes them]',
  ]);
  expect(payload(await text('read_page', { mode: 'markdown', selector: 'body' }))).toContain(
    'Related',
  );
});

const paragraphs = (count: number, start: string): string =>
  Array.from({ length: count }, (_, i) => `<p>${start} ${i + 1}. ${SENTENCE.repeat(3)}</p>`).join(
    '',
  );

it('keeps a short article on a page with longer comments and related links', async () => {
  const page = `<nav>${'<a href="/x">Menu entry</a> '.repeat(20)}</nav>
    <div class="story"><h1>Bridge closed</h1>${paragraphs(4, 'Report')}</div>
    <div class="related-links"><h2>Related</h2>${`<div><h3>Other story</h3><p>${SENTENCE.repeat(2)}</p></div>`.repeat(8)}</div>
    <section id="comments"><h2>Comments</h2>${paragraphs(20, 'Reader')}</section>`;
  const shown = await markdown(page);
  expect(shown).toMatch(/^# Bridge closed\n\nReport 1\. /);
  expect(shown).toContain('Report 4.');
  expect(shown).not.toMatch(/Reader|Other story|Menu entry/);
});

it.each([
  ['Open Graph', '<meta property="og:type" content="article">'],
  [
    'JSON-LD',
    '<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":"NewsArticle"}]}</script>',
  ],
])('keeps a short article if %s metadata describes the page as one', async (_, metadata) => {
  const box = `<div><div><div><h3>Other news</h3><div><p>${SENTENCE.repeat(2)}</p></div></div></div></div>`;
  const page = `<div class="page"><div>Today</div><div class="story"><h1>Bridge closed</h1>${paragraphs(4, 'Report')}</div></div>
    <div class="rows">${box.repeat(12)}</div>`;
  expect(await markdown(page)).toContain('Other news');
  const shown = await markdown(metadata + page);
  expect(shown).toContain('Report 4.');
  expect(shown).not.toContain('Other news');
});

it('keeps the text of an article that is directly in a div', async () => {
  const shown =
    await markdown(`<nav><a href="/">Start</a></nav><article><h1>Report</h1>${paragraphs(3, 'First')}
    <h2>Details</h2><div>Text without a paragraph. ${SENTENCE.repeat(3)}</div></article>`);
  expect(shown).toContain('## Details\n\nText without a paragraph.');
});

it('keeps all entries of an index page, also if one is long or the entries are called teasers', async () => {
  const entry = (name: string, count: number): string =>
    `<div class="teaser"><h2><a href="/${name}">${name}</a></h2>${paragraphs(count, name)}</div>`;
  const names = Array.from({ length: 12 }, (_, i) => `Entry${i}`);
  const shown = await markdown(
    `<h1>News</h1><div>${names.map((name, i) => entry(name, i === 0 ? 4 : 1)).join('')}</div>`,
  );
  for (const name of names) expect(shown).toContain(`## ${name}`);
});

it('keeps all sections of a documentation page inside of a wrapper that is named after its sidebar', async () => {
  const section = (name: string): string =>
    `<section><h2>${name}</h2><p>${SENTENCE.repeat(2)}</p><pre><code>${name}()</code></pre><table><tr><th>a</th></tr><tr><td>${name} value</td></tr></table></section>`;
  const names = ['Install', 'Configure', 'Run', 'Deploy'];
  const shown =
    await markdown(`<div class="with sidebar"><ul>${'<li><a href="/x">Chapter</a></li>'.repeat(30)}</ul>
    <div class="docs"><h1>Guide</h1>${names.map(section).join('')}</div></div>`);
  for (const name of names) expect(shown).toContain(`${name} value`);
});

it('keeps all parts of an application page with one long text', async () => {
  const panel = (name: string): string =>
    `<div><h3>${name}</h3><div>${name} is 42</div><button>Open</button></div>`;
  const names = Array.from({ length: 30 }, (_, i) => `Gauge ${i}`);
  const shown = await markdown(
    `<div><div>${names.map(panel).join('')}</div><div><div>${SENTENCE.repeat(5)}</div></div></div>`,
  );
  for (const name of names) expect(shown).toContain(`${name} is 42`);
});

it('keeps the answers to a question', async () => {
  const shown =
    await markdown(`<h1>How do I sort?</h1><div class="question">${paragraphs(2, 'Question')}</div>
    <div class="answers">${Array.from({ length: 6 }, (_, i) => `<div class="answer">${paragraphs(2, `Answer${i}`)}</div>`).join('')}</div>`);
  for (let i = 0; i < 6; i++) expect(shown).toContain(`Answer${i} 1.`);
});

it('shows the whole page if there is no article', async () => {
  expect(
    await markdown(
      '<nav><a href="/a">Start</a></nav><div><h2>Cards</h2><div>One</div><div>Two</div></div><footer>Imprint</footer>',
    ),
  ).toMatchInlineSnapshot(`
    "Start

    ## Cards

    One

    Two

    Imprint"
  `);
});

it('cuts between blocks, outline first, and continues exactly at the cut', async () => {
  const page = `<main><h1>Book</h1>${Array.from({ length: 12 }, (_, i) => `<h2>Chapter ${i + 1}</h2><p>${SENTENCE.repeat(8)}</p><ul><li>point ${i}</li><li>${SENTENCE}</li></ul>`).join('')}</main>`;
  const whole = await markdown(page, { max_tokens: 1_000_000 });
  const first = await markdown(page, { max_tokens: 800 });
  expect(first.slice(0, 120)).toMatchInlineSnapshot(`
    "Outline (cursor, heading):
    0 # Book
    8 ## Chapter 1
    945 ## Chapter 2
    1882 ## Chapter 3
    2819 ## Chapter 4
    3756 ## Chapter "
  `);
  expect(first).toMatch(/\n… [\d,]+ of about [\d,]+ tokens; continue with cursor "\d+-\w+"$/);

  const cursorOf = (page: string): string | undefined => /cursor "([^"]+)"$/.exec(page)?.[1];
  const bodyOf = (page: string): string =>
    page.replace(/^Outline \(cursor, heading\):\n[^]*?\n---\n/, '').replace(/\n… [^\n]*$/, '');
  const bodies = [bodyOf(first)];
  for (let cursor = cursorOf(first); cursor;) {
    const next = payload(await text('read_page', { mode: 'markdown', max_tokens: 800, cursor }));
    expect(encode(next).length).toBeLessThanOrEqual(800);
    bodies.push(bodyOf(next));
    cursor = cursorOf(next);
  }
  expect(bodies.length).toBeGreaterThan(2);
  expect(bodies.join('')).toBe(whole);
  expect(encode(first).length).toBeLessThanOrEqual(800);
});

it('opens a chapter by the cursor of the outline', async () => {
  const page = `<main><h1>Book</h1>${['One', 'Two', 'Three'].map((name) => `<h2>${name}</h2><p>${SENTENCE.repeat(10)}</p>`).join('')}</main>`;
  const outline = await markdown(page, { max_tokens: 300 });
  const cursor = /^(\d+) ## Three$/m.exec(outline)?.[1];
  expect(payload(await text('read_page', { mode: 'markdown', max_tokens: 300, cursor }))).toMatch(
    /^## Three\n\nThe quick/,
  );
});

it('finds its position again after the page changed, and reports if it cannot', async () => {
  const chapter = (n: number): string => `<p>${SENTENCE.repeat(2)} Paragraph ${n} ends.</p>`;
  const page = `<main>${Array.from({ length: 30 }, (_, i) => chapter(i)).join('')}</main>`;
  const first = await markdown(page, { max_tokens: 400 });
  const cursor = /cursor "([^"]+)"$/.exec(first)?.[1];
  const before = payload(await text('read_page', { mode: 'markdown', max_tokens: 400, cursor }));
  await text('javascript_tool', {
    code: 'document.querySelector("main").prepend(Object.assign(document.createElement("p"), { textContent: "News at the top." }))',
  });
  expect(
    payload(await text('read_page', { mode: 'markdown', max_tokens: 400, cursor })).slice(0, 200),
  ).toBe(before.slice(0, 200));
  await text('javascript_tool', {
    code: 'document.querySelector("main").textContent = "Nothing left."',
  });
  expect(await failure('read_page', { mode: 'markdown', cursor })).toMatchObject({
    code: 'page_changed',
    retryable: false,
  });
  expect(await failure('read_page', { mode: 'markdown', cursor: 'nonsense' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'cursor',
  });
});

it('stays bounded on hostile pages', async () => {
  await open('<title>Deep</title><main id="m"></main>');
  await text('javascript_tool', {
    code: `let at = m; for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep';
      m.append(new Text('x'.repeat(5_000_000)))`,
    timeout_ms: 30_000,
  });
  const answer = await reply('read_page', { mode: 'markdown', max_tokens: 500 });
  expect(answer.failure).toBeUndefined();
  expect(encode(answer.text ?? '').length).toBeLessThan(700);
});

it('names the missing element', async () => {
  await open('<p>x</p>');
  expect(await failure('read_page', { mode: 'markdown', selector: '#no' })).toMatchObject({
    code: 'element_not_found',
    selector: '#no',
  });
  expect(await failure('read_page', { mode: 'markdown', selector: 'a[' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'selector',
  });
});
