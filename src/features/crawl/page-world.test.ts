// Tests of page-world.ts: the Markdown of parsed HTML.
import { expect, it } from 'vitest';
import { loadParser, convertToMarkdown } from './page-world.ts';

const read = async (html: string): Promise<string> =>
  convertToMarkdown((await loadParser())(html), 'http://a.test/x', 1e6).markdown;

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
