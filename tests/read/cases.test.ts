// Pages of every kind, each with its text for the agent.
import { describe, expect, it } from 'vitest';
import { failureOf, useReader } from './reader.ts';

const reader = useReader();
const { open, read, run, site } = reader;

/** The text with refs counted from 1, since they go on from page to page. */
const seen = async (options: Parameters<typeof read>[0] = {}): Promise<string> => {
  const text = await read(options);
  const first = Number(/\be(\d+)\b/.exec(text)?.[1] ?? 1);
  return text.replace(/\be(\d+)\b/g, (_, n: string) => `e${Number(n) - first + 1}`);
};

describe('A page is read as text with refs', () => {
  it('has headings, plain text, links and fields, each once', async () => {
    await open(`<h1>Sign in</h1><p>Use your <b>work</b> account. See <a href=/help>help</a>.</p>
      <form><label for=u>User</label><input id=u required><label>Password <input type=password value=secret></label>
      <button disabled>Go on</button></form>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "# Sign in
      Use your work account. See
      e1 link "help"
      e2 textbox "User" required
      e3 textbox "Password" ="••••••"
      e4 button "Go on" disabled"
    `);
  });

  it('shows the states and values of controls', async () => {
    await open(`<input type=checkbox checked aria-label=Mail><input type=radio aria-label=Red><input type=range aria-label=Volume value=30>
      <select aria-label=Size><option>S<option selected>M</select><textarea aria-label=Note>two
lines</textarea><button aria-expanded=false>Menu</button><button aria-pressed=true>Bold</button>
      <details open><summary>More</summary>Inside</details><input aria-label=Code aria-invalid=true placeholder=1234 readonly>
      <a href=# aria-current=page>Here</a><div role=switch aria-checked=true tabindex=0>Dark</div><div contenteditable aria-label=Text>typed</div>
      <input type=file aria-label=Photo><script>document.querySelectorAll('input')[5]?.focus()</script><progress value=3 max=4 aria-label=Loading></progress>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 checkbox "Mail" checked
      e2 radio "Red"
      e3 slider "Volume" ="30"
      e4 combobox "Size" (S | M) ="M"
      e5 textbox "Note" ="two lines"
      e6 button "Menu" collapsed
      e7 button "Bold" pressed
      e8 button "More" expanded
      Inside
      e9 textbox "Code" readonly invalid placeholder="1234"
      e10 link "Here" current
      e11 switch "Dark" checked
      e12 textbox "Text" ="typed"
      e13 button "Photo" file
      progressbar "Loading" ="3""
    `);
  });

  it('shows descriptions that are not in the text of the page', async () => {
    await open(
      `<button aria-description="Deletes for good">Delete</button><input aria-label=Code aria-describedby="shown hidden"><p id=shown>Six digits</p><p id=hidden hidden>From your mail</p>`,
    );
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 button "Delete" description="Deletes for good"
      e2 textbox "Code" description="From your mail"
      Six digits"
    `);
  });

  it('has a line for every role if the reader wants roles', async () => {
    await open(`<main><h2>Plan <a href=#>B</a></h2><p>Do <em>not</em> wait.</p><blockquote>Later</blockquote>
      <ul><li>One<li>Two</ul><table><tr><th>Id<td>7</table><p></p><hr></main>`);
    expect(await seen({ roles: true })).toMatchInlineSnapshot(`
      "main
       ## Plan B
        e1 link "B"
       paragraph
        Do
        emphasis
         not
        wait.
       blockquote
        Later
       list
        listitem
         One
        listitem
         Two
       table
        rowgroup
         row
          rowheader "Id"
          cell "7"
       separator"
    `);
  });

  it('puts rows on one line and keeps spans in their columns', async () => {
    await open(`<table><caption>Orders</caption><thead><tr><th>Id<th colspan=2>Name<th>Action</thead><tbody>
      <tr><td rowspan=2>1<td>Ada<td>Lovelace<td><button>Open 1</button><tr><td>Ben<td>-<td><button>Open 2</button>
      <tr><td>3<td><a href=#>Cleo</a><td>x<td></tbody></table>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "table "Orders"
       Id | Name |  | Action
       1 | Ada | Lovelace
        e1 button "Open 1"
        | Ben | -
        e2 button "Open 2"
       3
        e3 link "Cleo"
        x"
    `);
  });

  it('shows landmarks, lists and things that only react to clicks', async () => {
    await open(`<header><nav aria-label=Main><ul><li><a href=#>Home</a><li><a href=#>News</a><ul><li><a href=#>World</a></ul></ul></nav></header>
      <main><ul><li><b>Ada</b> wrote <a href=#>notes</a> in 1843<li>Ben</ul>
      <div style="cursor:pointer">Card <b>one</b></div><div onclick="x()"><h3>Two</h3><button>Buy</button> now</div><span tabindex=0>Focusable</span></main>
      <aside>Beside</aside><footer>End</footer>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "banner
       navigation "Main"
        e1 link "Home"
        e2 link "News"
         e3 link "World"
      main
       Ada wrote
        e4 link "notes"
        in 1843
       Ben
       e5 clickable "Card one"
       e6 clickable
        ### Two
        e7 button "Buy"
        now
       e8 clickable "Focusable"
      complementary
       Beside
      contentinfo
       End"
    `);
  });

  it('has a line for named parts and body-level landmarks, and none for parts without a name', async () => {
    await open(`<header>Top</header><main><header>Section top</header><figure aria-label="Sales in May"><p>Up</p></figure><figure>Plain</figure>
      <blockquote title=Ada><p>Words</p></blockquote><blockquote>Other words</blockquote><hr><hr aria-label="End of part 1">
      <div role=note aria-label=Remark>Read this</div><section aria-label=Notes><footer aria-label="Section end">Done</footer></section>
      <details aria-label=More><summary>Show</summary>Hidden</details><dl aria-label=Facts><dt>Age<dd>36</dl>
      <article aria-label="First post">Hello</article><ul><li aria-label="Item 1">One<li>Two</ul>
      <table><tr aria-label="Row 1"><td>a<td>b</table></main><footer>Bottom</footer>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "banner
       Top
      main
       Section top
       figure "Sales in May"
        Up
       Plain
       blockquote "Ada"
        Words
       Other words
       separator "End of part 1"
       note "Remark"
        Read this
       region "Notes"
        sectionfooter "Section end"
         Done
       group "More"
        e1 button "Show" collapsed
       list "Facts"
        Age
        36
       article "First post"
        Hello
       listitem "Item 1"
        One
       Two
       row "Row 1"
        a | b
      contentinfo
       Bottom"
    `);
  });

  it('shows the label of an image that is made of text, also in a link and if it is clickable', async () => {
    await open(`<p>Rated <span role=img aria-label="4 of 5 stars">★★★★☆</span> by 12</p><span role=img>☺</span>
      <span role=img aria-label=Menu style="cursor:pointer">☰</span><a href=#><i role=img aria-label=Home>⌂</i></a>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "Rated
      img "4 of 5 stars"
      by 12
      ☺
      e1 img "Menu"
      e2 link "Home""
    `);
  });

  it('names an area that reacts to clicks by its label, and describes it by its title', async () => {
    await open(`<div onclick=1 style="cursor:pointer" aria-label="Close">x</div><div onclick=1 aria-label="Account menu">Ada Lovelace</div>
      <div onclick=1 title="Opens the map">Oslo</div><div onclick=1 title="Oslo">Oslo, Norway</div><b id=l>Label</b><div onclick=1 aria-labelledby=l>y</div>
      <header onclick=1>Section</header>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 clickable "Close"
      e2 clickable "Account menu"
       Ada Lovelace
      e3 clickable "Oslo" description="Opens the map"
      e4 clickable "Oslo, Norway"
      e5 clickable "Label"
      e6 clickable "Section""
    `);
  });

  it('assigns a ref to focusable grid cells and expandable rows, with their states', async () => {
    await open(`<table role=treegrid aria-label=Mail><tr aria-expanded=false aria-level=1><td>Inbox<td>3<tr aria-level=1><td>Sent<td>0
      <tr tabindex=-1 aria-expanded=true><td tabindex=-1>Drafts<td>1</table>
      <table role=grid aria-label=May><tr><th>Mon<th>Tue<tr><td tabindex=-1 aria-selected=true>1<td tabindex=0 aria-label="2 May">2
      <tr><td tabindex=-1 aria-disabled=true>3<td>4</table>
      <div role=grid><div role=row><div role=gridcell tabindex=-1><a href=#>Link</a></div><div role=gridcell tabindex=-1></div></div></div>
      <table><tr><td tabindex=-1>plain<td>table</table>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "treegrid "Mail"
       e1 row "Inbox | 3" collapsed
       Sent | 0
       e2 row expanded
        e3 gridcell "Drafts"
         1
      grid "May"
       Mon | Tue
       e4 gridcell "1" selected
       e5 gridcell "2 May"
       e6 gridcell "3" disabled
        4
      e7 link "Link"
       e8 gridcell
      plain | table"
    `);
  });

  it('shows the owned elements of a control once, for every kind of owner', async () => {
    await open(`<input role=combobox aria-owns=lb aria-expanded=true aria-label=City><p>Between</p><ul role=listbox id=lb><li role=option>Rome</li></ul>
      <div role=tree><a role=treeitem aria-owns=g1 tabindex=0>Courses</a><a role=treeitem aria-owns=g2 tabindex=0>Staff</a></div>
      <ul id=g1 role=group><li role=treeitem>Maths</li></ul><ul id=g2 role=group hidden><li role=treeitem>Ben</li></ul>
      <img alt=Map aria-owns=o1 src=data:,><p id=o1>Owned by a picture</p><div hidden aria-owns=o2></div><p id=o2>Owner is hidden</p>
      <div aria-hidden=true aria-owns=o3></div><p id=o3>Owner is not in the tree</p><button aria-owns=o4>Play</button><p id=o4>film</p>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 combobox "City" expanded
       e2 listbox
        e3 option "Rome"
      Between
      e4 treeitem "Courses"
       e5 treeitem "Maths"
      e6 treeitem "Staff"
      img "Map"
      Owner is hidden
      Owner is not in the tree
      e7 button "Play film"
      Owned by a picture"
    `);
    expect(await seen({ selector: '#lb' })).toMatchInlineSnapshot(`
      "e1 listbox
       e2 option "Rome""
    `);
  });

  it('shows link addresses only on request', async () => {
    await open('<a href="/a?b=1">Docs</a>');
    expect(await seen()).toBe('e1 link "Docs"');
    expect(await seen({ urls: true })).toBe('e1 link "Docs" /a?b=1');
  });

  it('lists only interactive elements on request', async () => {
    await open('<h1>Title</h1><p>Text <a href=#>one</a></p><ul><li>x <button>two</button></ul>');
    expect(await seen({ filter: 'interactive' })).toBe('e1 link "one"\ne2 button "two"');
  });

  it('shows a part by ref or by selector', async () => {
    await open(
      '<nav><a href=#>Out</a></nav><form id=f aria-label=Search><input aria-label=Words><button>Go</button></form>',
    );
    expect(await seen({ selector: '#f' })).toMatchInlineSnapshot(`
      "form "Search"
       e1 textbox "Words"
       e2 button "Go""
    `);
  });
});

describe('Frames and shadow trees are part of the page', () => {
  it('three nested frames of three origins are one tree', async () => {
    const { port } = site;
    site.page('/inner', '<h3>Innermost</h3><button>Deep</button>');
    site.page(
      '/middle',
      `<h2>Middle</h2><a href=/x>Link</a><iframe title=inner src="http://b.localhost:${port}/inner"></iframe>`,
    );
    await open(
      `<h1>Outer</h1><iframe title=middle src="http://a.localhost:${port}/middle"></iframe><p>After</p>`,
    );
    expect(await seen()).toMatchInlineSnapshot(`
      "# Outer
      iframe "middle"
       ## Middle
       e1 link "Link"
       iframe "inner"
        ### Innermost
        e2 button "Deep"
      After"
    `);
  });

  it('frames in shadow trees and of the same origin are joined in place', async () => {
    site.page('/same', '<button>Same origin</button>');
    await open(`<div id=h></div><iframe src=/same></iframe><iframe src=/same style="display:none"></iframe><script>
      h.attachShadow({mode:'open'}).innerHTML = '<p>In a root</p><iframe title="in a root" src=/same></iframe>'</script>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "In a root
      iframe "in a root"
       e1 button "Same origin"
      iframe
       e2 button "Same origin""
    `);
  });

  it('a closed shadow root in an open one in a frame is seen', async () => {
    const { port } = site;
    site.page(
      '/roots',
      `<x-open></x-open><script>
      customElements.define('x-closed', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = '<button>Closed button</button>'; } });
      customElements.define('x-open', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<h2>Open</h2><x-closed></x-closed>'; } });
      </script>`,
    );
    await open(`<iframe title=roots src="http://c.localhost:${port}/roots"></iframe>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "iframe "roots"
       ## Open
       e1 button "Closed button""
    `);
  });

  it('a closed root on a plain element, with and without children, is read, also one inside a closed root', async () => {
    await open(`<div id=a></div><section id=b><p>never shown</p></section><div>plain</div><script>
      const inner = a.attachShadow({mode:'closed'}); inner.innerHTML = '<p>One</p><span id=s></span>';
      inner.getElementById('s').attachShadow({mode:'closed'}).innerHTML = '<button>Two</button>';
      b.attachShadow({mode:'closed'}).innerHTML = '<h2>Three</h2>';</script>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "One
      e1 button "Two"
      ## Three
      plain"
    `);
  });

  it('a closed root that a page builds when it has been idle for a while is seen, slots and all', async () => {
    await open('<x-late><p>Slotted</p></x-late><x-late></x-late>');
    await run(
      'new Promise((done) => requestIdleCallback(() => requestIdleCallback(() => setTimeout(done))))',
    );
    await run(`customElements.define('x-late', class extends HTMLElement { constructor() { super();
      this.attachShadow({mode:'closed'}).innerHTML = '<h2>Late</h2><slot>none</slot>'; } })`);
    expect(await seen()).toMatchInlineSnapshot(`
      "## Late
      Slotted
      ## Late
      none"
    `);
  });

  it('slots show their assigned nodes in their place', async () => {
    await open(`<x-card><span slot=title>Title</span><p>Body</p><a slot=action href=#>Act</a><i slot=nowhere>unseen</i></x-card><script>
      customElements.define('x-card', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'open'}).innerHTML =
        '<h2><slot name=title>none</slot></h2><nav><slot name=action></slot></nav><slot></slot><slot name=empty>fallback</slot>'; } });</script>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "## Title
      navigation
       e1 link "Act"
      Body
      fallback"
    `);
  });
});

describe('A part of a page', () => {
  it('is found in shadow trees and frames too', async () => {
    site.page('/part', '<p class=other>Out</p><div class=wanted><button>In a frame</button></div>');
    await open(
      `<x-root><template shadowrootmode=open><nav class=inner><a href=#>In a root</a></nav></template></x-root><iframe src=/part></iframe>`,
    );
    expect(await seen({ selector: '.inner' })).toBe('navigation\n e1 link "In a root"');
    expect(await seen({ selector: '.wanted' })).toBe('e1 button "In a frame"');
  });

  it('that does not exist, or an invalid selector, is reported', async () => {
    await open('<p>Text</p>');
    expect(await failureOf(read({ selector: '#nowhere' }))).toMatchObject({
      code: 'element_not_found',
      selector: '#nowhere',
    });
    expect(await failureOf(read({ selector: ':::' }))).toMatchObject({
      code: 'invalid_argument',
      argument: 'selector',
    });
  });
});

describe('Visible content is read, hidden content is not', () => {
  it('a portal is in the place where it is drawn', async () => {
    await open(`<div id=app><button aria-haspopup=listbox aria-expanded=true aria-controls=pop>Choose</button></div>
      <div id=pop role=listbox aria-label=Choices style="position:absolute;top:40px"><div role=option aria-selected=true>One</div><div role=option>Two</div></div>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 button "Choose" expanded
      e2 listbox "Choices"
       e3 option "One" selected
       e4 option "Two""
    `);
  });

  it('a modal dialog makes everything else unreachable, another kind does not', async () => {
    await open(
      `<h1>Page</h1><button id=o>Open</button><dialog id=d aria-labelledby=t><h2 id=t>Sure?</h2><p>It cannot be undone.</p><button>Yes</button></dialog>`,
    );
    await run('d.show()');
    expect(await seen()).toMatchInlineSnapshot(`
      "# Page
      e1 button "Open"
      dialog
       ## Sure?
       It cannot be undone.
       e2 button "Yes" focused"
    `);
    await run('d.close(), d.showModal()');
    expect(await seen()).toMatchInlineSnapshot(`
      "dialog
       ## Sure?
       It cannot be undone.
       e1 button "Yes" focused
      (the content behind this dialog cannot be reached while it is open)"
    `);
  });

  it('inert, hidden, collapsed and skipped content is left out', async () => {
    await open(`<div inert><button>Inert</button></div><div hidden>Hidden</div><div style="visibility:hidden">Invisible <b style="visibility:visible">but this</b></div>
      <details><summary>Closed</summary>Inside</details><div style="content-visibility:hidden"><p>Skipped</p></div>
      <div style="content-visibility:auto"><p>Later</p></div><div style="display:contents"><button>Contents</button></div>
      <p style="opacity:0">Transparent</p><template>Template</template><noscript>Noscript</noscript>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "but this
      e1 button "Closed" collapsed
      Later
      e2 button "Contents"
      Transparent"
    `);
  });

  it('aria-owns moves an element to its owner', async () => {
    await open(
      `<div role=menu aria-label=File aria-owns="x y"><div role=menuitem>New</div></div><p>Between</p><div role=menuitem id=y>Late</div><div role=menuitem id=x>Early</div>`,
    );
    expect(await seen()).toMatchInlineSnapshot(`
      "menu "File"
       e1 menuitem "New"
       e2 menuitem "Early"
       e3 menuitem "Late"
      Between"
    `);
  });

  it('what aria-hidden hides is left out, but things to act on in it are counted and can be shown', async () => {
    await open(
      `<p>Seen <i aria-hidden=true>decoration</i></p><div aria-hidden=true>Quiet <button>Loud</button> <a href=#>Link</a></div>`,
    );
    const text = await read();
    expect(text.replace(/e\d+/, 'e1')).toMatchInlineSnapshot(`
      "Seen
      e1 aria-hidden 2 controls"
    `);
    expect((await read({ ref: /e\d+/.exec(text)?.[0] })).replace(/e(\d+)/g, 'e_'))
      .toMatchInlineSnapshot(`
      "Quiet
      e_ button "Loud"
      e_ link "Link""
    `);
  });

  it('drawings have their titles, pixels are named as such', async () => {
    await open(`<svg width=20 height=20><title>A chart</title><text y=9>42 %</text><a href=#><text y=9>Details</text></a></svg>
      <button><svg width=9 height=9><title>Close</title></svg></button><svg width=9 height=9><path d="M0 0"/></svg>
      <canvas width=300 height=150 aria-label=Map></canvas><img alt="A cat" width=9 height=9><img alt="" width=9 height=9><video controls width=100 height=50></video>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "img "A chart"
      42 %
      e1 link "Details"
      e2 button "Close"
      e3 canvas "Map" 300x150
      img "A cat"
      e4 video paused 100x50"
    `);
  });

  it('right-to-left and East Asian text is kept as it is', async () => {
    await open(
      `<div dir=rtl lang=ar><h1>مرحبا بالعالم</h1><a href=#>اقرأ المزيد</a></div><p lang=ja>東京は<ruby>日本<rt>にほん</rt></ruby>の首都です。</p><button lang=he dir=rtl>שלח</button><p>👩‍👩‍👧 می‌خواهم</p>`,
    );
    expect(await seen()).toMatchInlineSnapshot(`
      "# مرحبا بالعالم
      e1 link "اقرأ المزيد"
      東京は日本にほんの首都です。
      e2 button "שלח"
      👩‍👩‍👧 می‌خواهم"
    `);
  });

  it('a styled label represents the checkbox that it hides', async () => {
    await open(
      `<input type=checkbox id=c checked style="display:none"><label for=c>Dark mode</label><label for=v>Visible</label><input id=v type=checkbox>`,
    );
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 checkbox "Dark mode" checked
      e2 checkbox "Visible""
    `);
  });

  it('text in style sheets, preformatted text and lists read naturally', async () => {
    await open(`<style>.n::before{content:"New: "}.r::after{content:" *"}</style><a class=n href=#>Post</a><label class=r>Mail <input></label>
      <pre>if (x) {\n  y();\n}</pre><p>Line one<br>line two</p><span style="display:inline-block">A</span><span style="display:inline-block">B</span>
      <div style="display:flex"><span>Price</span><span>5 €</span></div>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "e1 link "New: Post"
      e2 textbox "Mail *"
      if (x) {
        y();
      }
      Line one
      line two
      A B
      Price 5 €"
    `);
  });

  it('words of style sheets are read next to the text if they are visible; symbols and hidden words are not', async () => {
    await open(`<style>.q::after{content:" required"}.t::after{content:"Tip";opacity:0}.s::before{content:"/"}td::before{content:attr(data-label) ": "}</style>
      <div class=q>id</div><p class=t>Text</p><p class=s>Path</p><table><tr><td data-label=Price>5 €</td><td data-label=Stock>3</td></tr></table>`);
    expect(await seen()).toMatchInlineSnapshot(`
      "id required
      Text
      Path
      Price: 5 € | Stock: 3"
    `);
  });
});
