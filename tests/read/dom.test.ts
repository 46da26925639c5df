// read_page {mode: "dom"}: the element tree in few lines, with refs that lead to what was folded.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { payload, withCountedRefs } from './payload.ts';

const site = useSite();
const elsewhere = useSite();
const { text, json, failure } = useEngine();

const dom = async (html: string, args: object = {}): Promise<string> => {
  await json('navigate', { url: site.page('/page', html) });
  return payload(await text('read_page', { mode: 'dom', ...args }));
};

const rows = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `<tr><td>${i}</td><td>Name ${i}</td><td><button>Edit</button></td></tr>`,
  ).join('');

it('shows elements as short CSS labels, with their current values', async () => {
  expect(
    withCountedRefs(
      await dom(`<!doctype html><html lang="en"><head><title>T</title><meta charset="utf-8"><script>let a = 1</script></head><body class="app dark">
      <div class="wrap"><div class="inner"><nav aria-label="Main"><a href="/a">A</a><a href="/b">B</a></nav></div></div>
      <main id="content"><h1>Hello <b>World</b></h1><p>Text with <a href="/y?z=1" onclick="go()">link</a> and <em>more</em>.</p>
      <form action="/go" method="post"><label for="n">Name</label><input id="n" name="n" value="a" placeholder="Your name" required>
      <input type="password" value="secret"><input type="checkbox" data-testid="agree"><select name="s"><option>One</option><option selected>Two</option></select>
      <button class="a b c d e f" disabled>Send</button></form><svg class="icon"><path d="M0"/></svg></main>
      <script>n.value = 'Ada'; document.querySelector('[type=checkbox]').click()</script></body></html>`),
    ),
  ).toMatchInlineSnapshot(`
    "html[lang=en]
     e1 head … title, meta, script
     body.app.dark
      div.wrap > div.inner > nav[aria-label=Main]
       e2 a[href=/a] "A"
       e3 a[href=/b] "B"
      main#content
       h1 "Hello World"
       p "Text with and more."
        e4 a[href=/y?z=1][onclick] "link"
       form[action=/go][method=post]
        label[for=n] "Name"
        e5 input#n[name=n][value=a][placeholder="Your name"][required][now "Ada"]
        e6 input[type=password]
        e7 input[type=checkbox][data-testid=agree][now checked]
        e8 select[name=s][now "Two"] … 2 option
        e9 button.a.b.c.d.…2[disabled] "Send"
       svg.icon
      script (66 characters)"
  `);
});

it('folds runs of similar siblings, and opens them by ref', async () => {
  const folded = await dom(`<table><tbody>${rows(2000)}</tbody></table>`);
  expect(withCountedRefs(folded)).toMatchInlineSnapshot(`
    "html
     head
     body > table > tbody
      tr
       td "0"
       td "Name 0"
       e1 td > button "Edit"
      tr
       td "1"
       td "Name 1"
       e2 td > button "Edit"
      … 1,998 more tr like these, expand e3"
  `);
  const ref = /expand (e\d+)$/m.exec(folded)?.[1];
  const opened = payload(await text('read_page', { mode: 'dom', ref, max_tokens: 200 }));
  expect(withCountedRefs(opened)).toMatchInlineSnapshot(`
    "e1 tbody … 1,993 more inside
     tr
      td "0"
      td "Name 0"
      e2 td > button "Edit"
     tr
      td "1"
      td "Name 1"
      e3 td > button "Edit"
     tr
      td "2"
      td "Name 2"
      e4 td > button "Edit"
     tr
      td "3"
      td "Name 3"
      e5 td > button "Edit"
     tr
      td "4"
      td "Name 4"
      e6 td > button "Edit"
     tr
      td "5"
      td "Name 5"
      e7 td > button "Edit"
     tr
      td "6"
      td "Name 6"
      e8 td > button "Edit""
  `);
  expect(encode(opened).length).toBeLessThanOrEqual(200);
});

it('shows shadow roots, frames of any site and hidden elements', async () => {
  const inner = elsewhere.page('/inner', '<button>Pay</button>').replace('127.0.0.1', 'localhost');
  const outer = elsewhere.page('/outer', `<p>outer</p><iframe src="${inner}"></iframe>`);
  const shown =
    await dom(`<x-card><template shadowrootmode="open"><slot></slot><b class="x">in shadow</b></template><span class="l">light</span></x-card><x-shut></x-shut><script>document.querySelector('x-shut').attachShadow({ mode: 'closed' }).innerHTML = '<i class="y">shut in</i>'</script>
    <iframe src="${outer}" title="shop"></iframe><div hidden id="hid"><p>a</p><p>b</p></div><template><p>no</p></template>`);
  expect(withCountedRefs(shown.replaceAll(/:\d+\//g, ':PORT/'))).toMatchInlineSnapshot(`
    "html
     head
     body
      x-card
       #shadow-root (open)
        slot
        b.x "in shadow"
       span.l "light"
      x-shut
       #shadow-root (closed)
        i.y "shut in"
      script (104 characters)
      e1 iframe[src=http://127.0.0.1:PORT/outer][title=shop]
       #document (http://127.0.0.1:PORT/outer)
        html
         head
         body
          p "outer"
          e2 iframe[src=http://localhost:PORT/inner]
           #document (http://localhost:PORT/inner)
            html
             head
             e3 body > button "Pay"
      e4 div#hid[hidden] (hidden) … 2 inside
      template"
  `);
});

it('keeps the top of the tree if the budget is too small', async () => {
  const page = `<main>${Array.from({ length: 40 }, (_, i) => `<section id="s${i}" class="c${i}"><h2>Section ${i}</h2><p>First</p><div class="d${i}"><a href="/${i}">link ${i}</a></div></section>`).join('')}</main>`;
  const shown = await dom(page, { max_tokens: 500 });
  expect(encode(shown).length).toBeLessThanOrEqual(500);
  expect(shown).toContain('section#s0');
  expect(shown).toMatch(/… \d+ more inside/);
  expect(withCountedRefs(await dom(page, { depth: 2 }))).toMatchInlineSnapshot(`
    "html
     head
     e1 body > main … 40 inside"
  `);
});

it('reads a single element, and reports if it is missing', async () => {
  expect(
    await dom(
      '<ul id="u"><li class="a">1</li><li class="a">2</li><li class="a">3</li><li class="a">4</li><li class="a">5</li></ul>',
      {
        selector: '#u',
      },
    ),
  ).toMatchInlineSnapshot(`
    "ul#u
     li.a "1"
     li.a "2"
     li.a "3"
     li.a "4"
     li.a "5""
  `);
  expect(await failure('read_page', { mode: 'dom', selector: '#none' })).toMatchObject({
    code: 'element_not_found',
  });
  expect(await failure('read_page', { mode: 'dom', ref: 'e999999' })).toMatchObject({
    code: 'element_not_found',
  });
});

it('does not break on a form that clobbers its own properties, or on thousands of attributes', async () => {
  const shown =
    await dom(`<form id="f"><input name="children"><input name="attributes"><input name="firstChild"><input name="id"></form>
    <p id="many">x</p><script>for (let i = 0; i < 1e4; i++) many.setAttribute('a' + i, i)</script>`);
  expect(withCountedRefs(shown)).toMatchInlineSnapshot(`
    "html
     head
     body
      form#f
       e1 input[name=children]
       e2 input[name=attributes]
       e3 input[name=firstChild]
       e4 input[name=id]
      p#many "x"
      script (59 characters)"
  `);
});

it('returns refs that can be acted on, also in frames of other sites', async () => {
  const frame = elsewhere
    .page('/pay', '<button onclick="this.textContent = `Paid`">Pay</button>')
    .replace('127.0.0.1', 'localhost');
  const shown = await dom(
    `<button onclick="this.textContent = 'Saved'">Save</button><iframe src="${frame}"></iframe>`,
  );
  for (const name of ['Save', 'Pay'])
    await text('interact', {
      action: 'click',
      ref: new RegExp(`(e\\d+) [^\n]*"${name}"`).exec(shown)?.[1],
    });
  const after = payload(await text('read_page', { mode: 'dom' }));
  expect(after).toContain('"Saved"');
  expect(after).toContain('"Paid"');
});
