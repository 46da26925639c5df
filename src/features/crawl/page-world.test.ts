// Tests of page-world.ts: the Markdown of parsed HTML.
import { expect, it } from 'vitest';
import type { MarkupNode } from './markup-tree.ts';
import { convertToMarkdown, parsePage } from './page-world.ts';

const read = async (html: string): Promise<string> =>
  convertToMarkdown(parsePage(html), 'http://a.test/x', 1e6).markdown;

it('reads headings, lists, links, code and tables', async () => {
  const html = `<title>T</title><h1>One</h1><p>Some <b>bold</b> text<br>and <a href="/y">a link</a>.</p>
    <ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><pre><code class="language-js">let a = 1;\nlet b;</code></pre>
    <table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table><blockquote>said</blockquote><hr><ol><li>x</li></ol>`;
  expect(await read(html)).toMatchInlineSnapshot(`
    "# One

    Some **bold** text
    and a link.

    - a
      - b
    - c

    \`\`\`js
    let a = 1;
    let b;
    \`\`\`

    | k | v |
    | - | - |
    | 1 | 2 |

    > said

    ---

    1. x"
  `);
});

it('omits content that the page hides itself', async () => {
  expect(
    await read(
      '<p>seen</p><p hidden>a</p><p style="display: none">b</p><div style="visibility:hidden"><p>c</p></div><script>d</script>',
    ),
  ).toBe('seen');
});

it('reads pages without html, head or body, and broken ones', async () => {
  expect(await read('<p>plain')).toBe('plain');
  expect(await read('plain')).toBe('plain');
  expect(await read('<!doctype html><title>Page 1</title><p>Page 1</p><a href="/2">next</a>')).toBe(
    'Page 1\n\nnext',
  );
  expect(await read('')).toBe('');
  expect(await read('<html><head><title>x</title><body><p>a<p>b</html>')).toBe('a\n\nb');
  expect(await read('<div>'.repeat(5000) + 'deep')).toBe('deep');
});

it('finds an article of short Chinese paragraphs between lists of links', async () => {
  const links = (n: number): string =>
    `<ul>${Array.from({ length: n }, (_, i) => `<li><a href="/${i}">栏目链接${i}的标题文字</a></li>`).join('')}</ul>`;
  const paragraph =
    '香港行政长官在各方压力下就其住宅的违章建筑问题到立法会接受质询，并向香港民众道歉。' +
    '一些议员欢迎他的道歉，并认为应能获得民众的接受，但也质问他有否施压。';
  const html = `<title>T</title><div class="menu">${links(20)}</div>
    <div class="story"><h1>新闻标题</h1>${`<p>${paragraph}</p>`.repeat(12)}</div>
    <div class="index">${links(40)}</div>`;
  const answer = convertToMarkdown(parsePage(html), 'http://a.test/x', 1e6);
  expect(answer.part).toBe('article');
  expect(answer.markdown).toContain(paragraph);
  expect(answer.markdown).not.toContain('栏目链接');
});

it('reads attributes in any case, checked boxes, and text with entities', async () => {
  expect(
    await read(
      '<P HIDDEN>a</P><label><INPUT TYPE="checkbox" CHECKED>Fish &amp; chips</label><p>x &lt;y&gt;</p>',
    ),
  ).toBe('[x] Fish & chips\n\nx <y>');
});

it('does not look for an article in a page with less text than an article has', async () => {
  const short = parsePage(`<nav>menu</nav><p>${'Short text. '.repeat(20)}</p>`);
  expect(convertToMarkdown(short, 'http://a.test/x', 1e6).part).toBe('page');
  const long = parsePage(`<nav>menu</nav><p>${'Long text. '.repeat(60)}</p>`);
  expect(convertToMarkdown(long, 'http://a.test/x', 1e6)).toMatchObject({
    part: 'article',
    markdown: 'Long text. '.repeat(60).trim(),
  });
});

it('closes an open paragraph and the item around it at the next item, as browsers do', async () => {
  expect(await read('<ol><p><li>one<p>more<li>two<p><b>bold<li>three</ol>after')).toBe(
    '1. one\n\n   more\n2. two\n\n   **bold**\n3. three\n\nafter',
  );
  expect(await read('<ul><li>a<ul><p><li>b<p>c<li>d</ul><li>e</ul><p>f')).toBe(
    '- a\n  - b\n\n    c\n  - d\n- e\n\nf',
  );
  expect(await read('<dl><dt>term<dd>a<p>b<dt>next<dd>c</dl><p>d')).toBe(
    'term\n: a\n\n  b\n\nnext\n: c\n\nd',
  );
});

it('lists the rows of tables inside of tables once', async () => {
  const outer = (inner: string): string =>
    `<div role=table><div role=row><div role=cell>a</div><div role=cell>${inner}</div></div></div>`;
  expect(await read(outer(outer('b')))).toBe('a\n\na\n\nb');
  expect(await read('<table><tr><td>a<table><tr><td>b</table><tr><td>c</table>')).toBe(
    'a\n\nb\n\nc',
  );
});

it('writes text below many lists, quotes and links', async () => {
  expect(await read(`${'<ul><li>'.repeat(100)}deep`)).toMatch(/^(?:- )+deep$/);
  expect(await read(`${'<blockquote>'.repeat(100)}deep`)).toMatch(/^(?:> )+deep$/);
  expect(await read(`${'<a href=/y>'.repeat(100)}deep`)).toBe('deep');
  expect(await read(`${'<code>'.repeat(100)}deep`)).toBe('`deep`');
});

/** Counts the links between nodes and the texts that are read, and the characters written. */
const countSteps = (html: string): number => {
  const document = parsePage(html);
  let steps = 0;
  const watch = (node: MarkupNode): void => {
    for (let child = node.firstChild; child; child = child.nextSibling) watch(child);
    for (const name of ['firstChild', 'nextSibling', 'parentNode', 'data'] as const) {
      const value: unknown = Reflect.get(node, name);
      Object.defineProperty(node, name, { get: () => (steps++, value) });
    }
  };
  watch(document);
  return convertToMarkdown(document, 'http://a.test/x', 1e6).markdown.length + steps;
};

it.each([
  '<table><tr><td>',
  '<table><tr><th>1<td>2<tr><td>',
  '<div role=table><div role=row><div role=cell>',
  '<div role=grid><div role=row><div role=columnheader>a</div><div role=cell>',
  '<ul><li>',
  '<ol><li>1',
  '<ul><ul>',
  '<dl><dt>t<dd>',
  '<blockquote>',
  '<details open><summary>s</summary>',
  '<div><a href=x>',
  '<div><code>',
  '<div><span>',
  '<main><section>',
  '<div class=katex><div>',
])('a page twice as deep and twice as long needs twice the work: %s', (open) => {
  const nested = (n: number): string => `<body>${open.repeat(n)}${'<p>x <i>1</i> '.repeat(10 * n)}`;
  expect(countSteps(nested(260)) / countSteps(nested(130))).toBeLessThan(2.4);
});
