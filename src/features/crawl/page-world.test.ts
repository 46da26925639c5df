// Tests of page-world.ts: the Markdown of parsed HTML.
import { expect, it } from 'vitest';
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
