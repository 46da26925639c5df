// find: elements by words, role, label, test id, CSS and place; ranked, with refs, in every frame
// and shadow root.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const { text, json, failure } = useEngine();

const open = async (html: string, path = '/find'): Promise<void> => {
  await json('navigate', {
    url: site.page(path, `<!DOCTYPE html><meta charset=utf-8><title>Find</title>${html}`),
  });
};

/** Refs count on over a tab's life: here they start at e1 in every page. */
const found = async (args: object): Promise<string> => {
  const reply = await text('find', args);
  const names = new Map<string, string>();
  return reply.replace(
    /^e\d+(?= )/gm,
    (ref) => names.get(ref) ?? (names.set(ref, `e${names.size + 1}`), names.get(ref) as string),
  );
};

const NAMES = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Ada Byron', 'Edsger Dijkstra'];
const TABLE = `<h1>Orders</h1><table><thead><tr><th>Id<th>Name<th>Action</thead><tbody>${NAMES.map(
  (name, i) =>
    `<tr><td>${1001 + i}<td>${name}<td><button>Approve</button> <button>Reject</button></tr>`,
).join('')}</tbody></table>`;

it('finds the button in the row of a name, and shows the row', async () => {
  await open(TABLE);
  expect(await found({ query: 'Approve', near: 'Ada Lovelace' })).toMatchInlineSnapshot(
    `"e1 button "Approve" — in row "1001 Ada Lovelace""`,
  );
  expect(await found({ role: 'button', near: 'hopper' })).toMatchInlineSnapshot(`
    "e1 button "Approve" — in row "1002 Grace Hopper"
    e2 button "Reject" — in row "1002 Grace Hopper""
  `);
  expect(await found({ role: 'button', near: '1003' })).toMatchInlineSnapshot(`
    "e1 button "Approve" — in row "1003 Alan Turing"
    e2 button "Reject" — in row "1003 Alan Turing""
  `);
  expect(await found({ near: 'Edsger' })).toMatchInlineSnapshot(`
    "e1 button "Approve" — in row "1005 Edsger Dijkstra"
    e2 button "Reject" — in row "1005 Edsger Dijkstra""
  `);
});

it('ranks the row with exactly these words before rows with more words', async () => {
  await open(
    `<table>${['Ann Smithers', 'Ann Smith', 'Ann Smith-Jones'].map((name) => `<tr><td>${name}<td><button>Open</button></tr>`).join('')}</table>`,
  );
  expect(await found({ role: 'button', near: 'Ann Smith' })).toMatchInlineSnapshot(`
    "e1 button "Open" — in row "Ann Smith"
    e2 button "Open" — in row "Ann Smith-Jones""
  `);
});

it('finds words of a row in several cells, in fields, and next to pictures', async () => {
  await open(`<table>
    <tr><td>Ada</td><td>Lovelace</td><td><a href="#1">Open</a></td></tr>
    <tr><td><input value="Grace"></td><td><input value="Hopper"></td><td><a href="#2">Open</a></td></tr>
    <tr><td><img alt="Alan Turing" src="data:,"></td><td></td><td><a href="#3">Open</a></td></tr></table>`);
  expect(await found({ query: 'open', near: 'ada lovelace' })).toMatchInlineSnapshot(
    `"e1 link "Open" — in row "Ada Lovelace""`,
  );
  expect(await found({ query: 'open', near: 'hopper' })).toMatchInlineSnapshot(
    `"e1 link "Open" — in row "Grace Hopper""`,
  );
  expect(await found({ query: 'open', near: 'Alan Turing' })).toMatchInlineSnapshot(
    `"e1 link "Open" — in row "Alan Turing""`,
  );
});

it('finds elements in a list item, in a card, under a heading', async () => {
  await open(`
    <ul><li>Tea <button>Add</button><li>Coffee <button>Add</button></ul>
    <div class=grid>${['Gear 1', 'Gear 2', 'Gear 3'].map((name) => `<div class=card><div class=top><h3>${name}</h3></div><p>Made of brass</p><div class=actions><button>Buy</button></div></div>`).join('')}</div>
    <section><h2>Billing</h2><label>Street <input></label><button>Save</button></section>
    <section><h2>Shipping</h2><label>Street <input></label><button>Save</button></section>`);
  expect(await found({ query: 'Add', near: 'Coffee' })).toMatchInlineSnapshot(
    `"e1 button "Add" — in item "Coffee""`,
  );
  expect(await found({ query: 'Buy', near: 'Gear 2' })).toMatchInlineSnapshot(
    `"e1 button "Buy" — in item "Gear 2""`,
  );
  expect(await found({ query: 'Save', near: 'Shipping' })).toMatchInlineSnapshot(
    `"e1 button "Save" — under "Shipping""`,
  );
  expect(await found({ label: 'Street' })).toMatchInlineSnapshot(`
    "e1 textbox "Street" — under "Billing"
    e2 textbox "Street" — under "Shipping""
  `);
});

it('does not return the button of another row if the words are elsewhere', async () => {
  await open(`<header>Welcome, Zed</header>${TABLE}`);
  expect(await found({ query: 'Approve', near: 'Zed' })).toMatchInlineSnapshot(
    `"No match: no element near "Zed" matches "Approve"."`,
  );
  expect(await found({ query: 'Approve', near: 'Nobody' })).toMatchInlineSnapshot(
    `"No match: "Nobody" does not occur on the page."`,
  );
  expect(await found({ query: 'Archive', near: 'Grace Hopper' })).toMatchInlineSnapshot(`
    "No match: no element near "Grace Hopper" matches "Archive". Near it:
    e1 button "Approve" — in row "1002 Grace Hopper"
    e2 button "Reject" — in row "1002 Grace Hopper""
  `);
  expect(await found({ query: 'Approve', near: 'Grace Kelly' })).toMatchInlineSnapshot(`
    "No match: "Grace Kelly" does not occur on the page. Closest:
    e1 button "Approve" — in row "1002 Grace Hopper""
  `);
});

it('ranks names before texts, whole names before parts of them, and lists each element once', async () => {
  await open(`
    <nav aria-label=Main><a href="#a">Sign in help</a></nav>
    <h2>Sign in</h2>
    <form aria-label=Login><label>Email <input type=email required></label><label for=p>Password</label><input id=p type=password>
    <button disabled><span>Sign</span> <b>in</b></button></form>
    <p>To sign in you need an account. Redesign in progress.</p>
    <input placeholder="Sign in code">`);
  expect(await found({ query: 'sign in' })).toMatchInlineSnapshot(`
    "e1 button "Sign in" disabled — in form "Login"
    e2 heading "Sign in"
    e3 link "Sign in help" — in navigation "Main"
    e4 textbox "Sign in code" — under "Sign in"
    e5 paragraph "To sign in you need an account. Redesign in progress." — under "Sign in""
  `);
  expect(await found({ query: 'Sign in button' })).toMatchInlineSnapshot(
    `"e1 button "Sign in" disabled — in form "Login""`,
  );
  expect(await found({ query: 'sign in', role: 'heading' })).toMatchInlineSnapshot(
    `"e1 heading "Sign in""`,
  );
  expect(await found({ query: 'email' })).toMatchInlineSnapshot(
    `"e1 textbox "Email" required — in form "Login""`,
  );
  expect(await found({ query: 'in sign' })).toMatchInlineSnapshot(`
    "e1 link "Sign in help" — in navigation "Main"
    e2 button "Sign in" disabled — in form "Login"
    e3 textbox "Sign in code" — under "Sign in"
    e4 heading "Sign in"
    e5 paragraph "To sign in you need an account. Redesign in progress." — under "Sign in""
  `);
});

it('finds words in several elements, and shows the part of a long text that contains them', async () => {
  await open(`<p>Total: <b>42</b> €</p><div><span>Grand</span><span>total</span></div>
    <p>${'lorem ipsum '.repeat(40)} the golden needle ${'dolor sit '.repeat(40)}</p><button aria-label="Close dialog">×</button>
    <a href="#"><img alt="Company logo" src="data:,"></a><button><svg width=10 height=10><title>Settings</title></svg></button>`);
  expect(await found({ query: 'total: 42' })).toMatchInlineSnapshot(`"e1 paragraph "Total: 42 €""`);
  expect(await found({ query: 'grand total' })).toMatchInlineSnapshot(`"e1 div "Grand total""`);
  expect(await found({ query: 'golden needle' })).toMatchInlineSnapshot(
    `"e1 paragraph "…ipsum lorem ipsum the golden needle dolor sit dolor sit do…""`,
  );
  expect(await found({ query: 'close' })).toMatchInlineSnapshot(`"e1 button "Close dialog""`);
  expect(await found({ query: '×' })).toMatchInlineSnapshot(`"e1 button "Close dialog""`);
  expect(await found({ query: 'company logo' })).toMatchInlineSnapshot(`"e1 link "Company logo""`);
  expect(await found({ query: 'settings' })).toMatchInlineSnapshot(`"e1 button "Settings""`);
});

it('reads every script: case and accents folded, no spaces needed, right to left', async () => {
  await open(`<button>Über uns</button><button>CAFÉ</button><button>新規登録する</button><button>ﾛｸﾞｲﾝ</button>
    <button dir=rtl>إرسَال</button><a href="#" dir=rtl>התחברות</a><button>ส่งแบบฟอร์ม</button><button>Отправить всё</button><button>회원가입</button>
    <table><tr><td>田中太郎<td><button>承認</button></tr><tr><td>鈴木花子<td><button>承認</button></tr></table>`);
  expect(await found({ query: 'uber uns' })).toMatchInlineSnapshot(`"e1 button "Über uns""`);
  expect(await found({ query: 'cafe' })).toMatchInlineSnapshot(`"e1 button "CAFÉ""`);
  expect(await found({ query: '登録' })).toMatchInlineSnapshot(`"e1 button "新規登録する""`);
  expect(await found({ query: 'ログイン' })).toMatchInlineSnapshot(`"e1 button "ﾛｸﾞｲﾝ""`);
  expect(await found({ query: 'ارسال' })).toMatchInlineSnapshot(`"e1 button "إرسَال""`);
  expect(await found({ query: 'התחברות' })).toMatchInlineSnapshot(`"e1 link "התחברות""`);
  expect(await found({ query: 'แบบฟอร์ม' })).toMatchInlineSnapshot(`"e1 button "ส่งแบบฟอร์ม""`);
  expect(await found({ query: 'отправить все' })).toMatchInlineSnapshot(
    `"e1 button "Отправить всё""`,
  );
  expect(await found({ query: '회원' })).toMatchInlineSnapshot(`"e1 button "회원가입""`);
  expect(await found({ query: '承認', near: '花子' })).toMatchInlineSnapshot(
    `"e1 button "承認" — in row "鈴木花子""`,
  );
});

it('finds fields by every kind of label', async () => {
  await open(`<form>
    <label>First name <input></label> <label for=l>Last name *</label><input id=l required>
    <input aria-label="Phone"> <span id=s>Street</span><input aria-labelledby=s> <input placeholder="City">
    <label>Country <select><option>Norway<option>Peru</select></label>
    <fieldset><legend>Size</legend><label><input type=radio name=z checked> Small</label><label><input type=radio name=z> Large</label></fieldset>
    <label>Notes <textarea></textarea></label><div role=textbox contenteditable aria-label=Comment></div><label>Photo <input type=file></label>
    <button>First name help</button></form>`);
  expect(await found({ label: 'First name' })).toMatchInlineSnapshot(`"e1 textbox "First name""`);
  expect(await found({ label: 'last name' })).toMatchInlineSnapshot(
    `"e1 textbox "Last name *" required"`,
  );
  for (const [label, role] of Object.entries({
    Phone: 'textbox',
    Street: 'textbox',
    City: 'textbox',
    Country: 'combobox',
    Size: 'group',
    Large: 'radio',
    Notes: 'textbox',
    Comment: 'textbox',
    Photo: 'button',
  }))
    expect(await found({ label })).toMatch(new RegExp(`^e1 ${role} "`));
  expect(await found({ query: 'Peru' })).toMatchInlineSnapshot(
    `"e1 combobox "Country" option="Peru""`,
  );
});

it('uses the text before a field as its label if it has no other', async () => {
  await open(
    `<div><div>E-mail address</div><div><input id=a></div></div><table><tr><td>Quantity:<td><input type=number><td>Price:<td><input></tr></table>`,
  );
  expect(await found({ label: 'e-mail address' })).toMatchInlineSnapshot(
    `"e1 textbox — after "E-mail address""`,
  );
  expect(await found({ label: 'quantity' })).toMatchInlineSnapshot(
    `"e1 spinbutton — after "Quantity:""`,
  );
  expect(await found({ label: 'price' })).toMatchInlineSnapshot(`"e1 textbox — after "Price:""`);
});

it('knows roles by their names and by the words that people use for them', async () => {
  await open(`<div contenteditable>Draft</div><select aria-label=Size><option>Small<option>Large</select><details><summary>More</summary></details>
    <div role=switch aria-checked=true tabindex=0>Dark mode</div><div inert><button>Asleep</button></div><img alt=Chart src="data:,"><h2>Part</h2>`);
  expect(await found({ role: 'textbox' })).toMatchInlineSnapshot(`"e1 textbox"`);
  expect(await found({ role: 'option' })).toMatchInlineSnapshot(`
    "e1 option "Small" selected
    e2 option "Large""
  `);
  expect(await found({ role: 'Button' })).toMatchInlineSnapshot(`
    "e1 button "More" collapsed
    e2 button "Asleep" inert"
  `);
  expect(await found({ role: 'toggle' })).toMatchInlineSnapshot(`
    "e1 switch "Dark mode" checked
    e2 button "Asleep" inert"
  `);
  expect(await found({ role: 'image' })).toMatchInlineSnapshot(`"e1 img "Chart""`);
  expect(await found({ role: 'heading' })).toMatchInlineSnapshot(`"e1 heading "Part""`);
});

it('finds by test id and by CSS, separately and combined with others', async () => {
  await open(
    `<button data-testid=save-order>Save</button><button data-test=save-draft>Save draft</button><div class=box>One</div><div class=box>Two</div><button class=box>Three</button>`,
  );
  expect(await found({ testId: 'save-order' })).toMatchInlineSnapshot(`"e1 button "Save""`);
  expect(await found({ testId: 'save' })).toMatchInlineSnapshot(`
    "e1 button "Save" testId="save-order"
    e2 button "Save draft" testId="save-draft""
  `);
  expect(await found({ testId: 'safe-ordre' })).toMatchInlineSnapshot(`
    "No match for testId "safe-ordre". Closest:
    e1 button "Save" testId="save-order"
    e2 button "Save draft" testId="save-draft""
  `);
  expect(await found({ selector: '.box' })).toMatchInlineSnapshot(`
    "e1 div "One"
    e2 div "Two"
    e3 button "Three""
  `);
  expect(await found({ selector: '.box', role: 'button' })).toMatchInlineSnapshot(
    `"e1 button "Three""`,
  );
  expect(await found({ selector: '.box', query: 'two' })).toMatchInlineSnapshot(`"e1 div "Two""`);
  expect(await found({ selector: '.none' })).toMatchInlineSnapshot(
    `"No match for selector .none."`,
  );
});

it('marks hidden elements, and lists them last', async () => {
  await open(`<button hidden>Delete all</button><button style="visibility:hidden">Delete</button><button>Delete</button><div style="display:none"><a href="#">Delete account</a></div>
    <label style="padding:5px"><input type=checkbox style="position:absolute;opacity:0;width:0;height:0">Delete too</label>`);
  expect(await found({ query: 'delete' })).toMatchInlineSnapshot(`
    "e1 button "Delete"
    e2 checkbox "Delete too"
    e3 button "Delete" hidden
    e4 button "Delete all" hidden
    e5 link "Delete account" hidden"
  `);
  await open(
    '<button>OK</button><dialog id=d><button>OK</button></dialog><script>d.showModal()</script>',
  );
  expect(await found({ query: 'OK' })).toMatchInlineSnapshot(`
    "e1 button "OK" — in dialog
    e2 button "OK" behind-dialog"
  `);
});

it('distinguishes hits by their place', async () => {
  await open(`<header><button>Search</button></header>
    <nav aria-label=Main><ul><li><a href="#">Home</a><li><a href="#">Shop</a></ul></nav>
    <nav aria-label=Footer><ul><li><a href="#">Home</a><li><a href="#">Terms</a></ul></nav>
    <dialog open aria-label=Settings><button>Search</button></dialog>`);
  expect(await found({ query: 'home' })).toMatchInlineSnapshot(`
    "e1 link "Home" — in navigation "Main"
    e2 link "Home" — in navigation "Footer""
  `);
  await open(
    `<article><h1>On Metal</h1><h2>Brass</h2><p>See <a href="#">note</a></p><h2>Iron</h2><p>See <a href="#">note</a></p></article>`,
  );
  expect(await found({ query: 'note' })).toMatchInlineSnapshot(`
    "e1 link "note" — under "Brass"
    e2 link "note" — under "Iron""
  `);
  await open(
    `<header><button>Search</button></header><dialog open aria-label=Settings><button>Search</button></dialog>`,
  );
  expect(await found({ query: 'search' })).toMatchInlineSnapshot(`
    "e1 button "Search" — in banner
    e2 button "Search" — in dialog "Settings""
  `);
});

it('lists the closest elements if none matches', async () => {
  await open(
    '<button>Approve order</button><button>Cancel order</button><a href="#">Orders</a><h1>Shop</h1>',
  );
  expect(await found({ query: 'aprove' })).toMatchInlineSnapshot(`
    "No match for "aprove". Closest:
    e1 button "Approve order""
  `);
  expect(await found({ query: 'submit order' })).toMatchInlineSnapshot(`
    "No match for "submit order". Closest:
    e1 link "Orders"
    e2 button "Approve order"
    e3 button "Cancel order""
  `);
  expect(await found({ query: 'xyzzy' })).toMatchInlineSnapshot(`"No match for "xyzzy"."`);
  expect(await found({ role: 'checkbox' })).toMatchInlineSnapshot(`
    "No match for role checkbox.
    Roles here: button 2, link 1"
  `);
  expect(await found({ query: 'Shop', role: 'button' })).toMatchInlineSnapshot(`
    "No match for "Shop", role button. Closest:
    e1 heading "Shop""
  `);
  expect(await found({ label: 'Name' })).toMatchInlineSnapshot(`"No match for label "Name"."`);
});

it('does not mind where words are joined', async () => {
  await open('<button>Log in</button><label>E-mail <input></label><a href="#">Check-out</a>');
  expect(await found({ query: 'login' })).toMatchInlineSnapshot(`"e1 button "Log in""`);
  expect(await found({ label: 'email' })).toMatchInlineSnapshot(`"e1 textbox "E-mail""`);
  expect(await found({ query: 'checkout' })).toMatchInlineSnapshot(`"e1 link "Check-out""`);
});

it('looks into open and closed shadow roots, and through slots', async () => {
  await open(`<x-open></x-open><x-closed></x-closed><x-card><b>Ada</b></x-card><x-card><b>Grace</b></x-card><script>
    for (const mode of ['open', 'closed']) customElements.define('x-' + mode, class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode }).innerHTML = '<section><label>Name in ' + mode + ' <input></label><button>Press ' + mode + '</button></section>'; }
    });
    customElements.define('x-card', class extends HTMLElement {
      constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<article><slot></slot> <button>Greet</button></article>'; }
    });</script>`);
  expect(await found({ query: 'press' })).toMatchInlineSnapshot(`
    "e1 button "Press open"
    e2 button "Press closed""
  `);
  expect(await found({ label: 'name in closed' })).toMatchInlineSnapshot(
    `"e1 textbox "Name in closed""`,
  );
  expect(await found({ role: 'button', near: 'Grace' })).toMatchInlineSnapshot(
    `"e1 button "Greet" — in article "Grace""`,
  );
});

it('searches every frame, also out-of-process ones, and names the frame', async () => {
  site.page(
    '/inner',
    '<!DOCTYPE html><button>Pay now</button><iframe srcdoc="<button>Pay later</button>" name=nested></iframe>',
  );
  await open(
    `<button>Pay</button><iframe name=shop src="http://localhost:${site.port}/inner"></iframe>`,
  );
  expect(await found({ query: 'pay' })).toMatchInlineSnapshot(`
    "e1 button "Pay"
    e2 button "Pay now" — in frame "shop"
    e3 button "Pay later" — in frame "nested""
  `);
});

it('omits a frame that hangs, and reports it', async () => {
  site.page(
    '/hang',
    '<!DOCTYPE html><button>Never</button><script>onmessage = () => { for (;;); }</script>',
  );
  await open(
    `<button>Ready</button><iframe src="http://localhost:${site.port}/hang" onload="this.contentWindow.postMessage(1, '*')"></iframe>`,
  );
  expect((await found({ query: 'ready' })).replace(String(site.port), 'PORT'))
    .toMatchInlineSnapshot(`
    "e1 button "Ready"
    (frame did not respond: http://localhost:PORT/hang)"
  `);
});

it('returns as soon as the awaited element exists', async () => {
  await open(
    '<div id=list></div><button hidden id=late>Late</button><script>onclick = () => setTimeout(() => (list.innerHTML = "<button>Done</button>"), 150)</script>',
  );
  await text('javascript_tool', { code: 'dispatchEvent(new Event("click")), 0' });
  const before = performance.now();
  expect(await found({ query: 'done', waitForMs: 20_000 })).toBe('e1 button "Done"');
  await text('javascript_tool', { code: 'setTimeout(() => (late.hidden = false), 100), 0' });
  expect(await found({ query: 'late', waitForMs: 20_000 })).toBe('e1 button "Late"');
  expect(performance.now() - before).toBeLessThan(5000);
});

it('waits for an element in a new frame, in a shadow root, in the next page', async () => {
  site.page('/soon', '<!DOCTYPE html><button>Framed</button>');
  await open(
    '<div id=host></div><script>host.attachShadow({ mode: "open" }).innerHTML = "<p>empty</p>"</script>',
  );
  const later = (code: string): Promise<string> =>
    text('javascript_tool', { code: `setTimeout(() => { ${code} }, 100), 0` });
  await later(
    `const f = document.createElement('iframe'); f.name = 'late'; f.src = 'http://localhost:${site.port}/soon'; document.body.append(f)`,
  );
  expect(await found({ query: 'framed', waitForMs: 20_000 })).toBe(
    'e1 button "Framed" — in frame "late"',
  );
  await later('host.shadowRoot.innerHTML = "<button>Shadowed</button>"');
  expect(await found({ query: 'shadowed', waitForMs: 20_000 })).toBe('e1 button "Shadowed"');
  await later(
    'customElements.define("x-late", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<button>Locked</button>" } }); document.body.append(document.createElement("x-late"))',
  );
  expect(await found({ query: 'locked', waitForMs: 20_000 })).toBe('e1 button "Locked"');
  await later(`location.href = '/soon'`);
  expect(await found({ query: 'framed', waitForMs: 20_000 })).toMatch(/^e1 button "Framed"/);
});

it('reports if the awaited element does not appear', async () => {
  await open(
    '<p>Nothing here</p><script>setInterval(() => document.title = Math.random(), 5)</script>',
  );
  expect(await found({ query: 'Done', waitForMs: 200 })).toMatchInlineSnapshot(
    `"No match within 200 ms for "Done"."`,
  );
});

it('returns refs that can be acted on, the same for the same element', async () => {
  await open(
    `${TABLE}<p id=log></p><script>document.onclick = (e) => { log.textContent = e.target.textContent + ' ' + e.target.closest('tr').cells[1].textContent }</script>`,
  );
  const first = await text('find', { query: 'Approve', near: 'Alan Turing' });
  const ref = /^(e\d+) button/.exec(first)?.[1];
  expect(await text('find', { query: 'Approve', near: '1003' })).toBe(first);
  await text('interact', { action: 'click', ref });
  expect(await text('javascript_tool', { code: 'log.textContent' })).toContain(
    'Approve Alan Turing',
  );
});

it('knows by a ref that a row has been filled with another', async () => {
  await open(TABLE);
  const ref = /^(e\d+) button/.exec(
    await text('find', { query: 'Approve', near: 'Alan Turing' }),
  )?.[1];
  await text('javascript_tool', {
    code: 'const row = document.querySelectorAll("tbody tr")[2]; row.cells[0].textContent = "2002"; row.cells[1].textContent = "Donald Knuth"',
  });
  expect((await failure('interact', { action: 'click', ref })).code).toBe('stale_ref');
});

it('acts on a plain text by its ref', async () => {
  await open(
    '<p id=t>Just a <b>text</b></p><script>t.addEventListener("click", () => (document.title = "clicked"))</script>',
  );
  const ref = /^(e\d+) /.exec(await text('find', { query: 'just a text' }))?.[1];
  await text('interact', { action: 'click', ref });
  expect(await text('javascript_tool', { code: 'document.title' })).toContain('clicked');
});

const ROWS = Array.from(
  { length: 2000 },
  (_, i) =>
    `<tr><td>${1000 + i}<td>Name ${i}<td>Oslo<td>12.50<td>open<td><button>Approve ${1000 + i}</button></tr>`,
);

it('finds and clicks the button of a row among 2,000 in three calls and 400 tokens', async () => {
  const url = site.page(
    '/orders',
    `<!DOCTYPE html><title>Orders</title><table>${ROWS.join('')}</table><script>onclick = (e) => (document.title = e.target.textContent)</script>`,
  );
  let tokens = 0;
  const call = async (name: string, args: object): Promise<string> => {
    const reply = await text(name, args);
    tokens += encode(name + JSON.stringify(args)).length + encode(reply).length;
    return reply;
  };
  await call('navigate', { url });
  const hit = await call('find', { role: 'button', near: 'Name 1500' });
  expect(hit).toMatch(/^e\d+ button "Approve 2500" — in row "2500 Name 1500"$/);
  await call('interact', { action: 'click', ref: hit.split(' ')[0] });
  expect(tokens).toBeLessThan(400);
  expect(await text('javascript_tool', { code: 'document.title' })).toContain('Approve 2500');
});

it('costs few tokens for each of many hits, and reports how many more there are', async () => {
  await open(`<table>${ROWS.join('')}</table>`);
  const many = await found({ role: 'button' });
  expect(many.split('\n')).toHaveLength(11);
  expect(many).toContain('… 1,990 more');
  expect(encode(many).length).toBeLessThan(25 * 11);
});

it('stays bounded on a hostile page', async () => {
  await open(`<form name=querySelectorAll><input name=textContent><input name=parentNode><input name=parentElement><input name=assignedSlot><input name=checkVisibility><input name=getClientRects><input name=labels>Clobbered <b>form</b><button name=localName aria-label="Line\nbreak \u001b[31m &quot;quoted&quot;">x</button></form>
    <p id=big></p><div id=deep></div><script>
    big.textContent = 'needle ' + 'x '.repeat(1_000_000);
    let at = deep; for (let i = 0; i < 1000; i++) { const d = document.createElement('div'); at.append(d); at = d; } at.innerHTML = '<button>Deep</button>';
    Object.defineProperty(Element.prototype, 'textContent', { get() { throw new Error('no') } });
    setInterval(() => { at.className = 'c' + Math.random() }, 1);</script>`);
  expect(await found({ query: 'needle' })).toMatchInlineSnapshot(
    `"e1 paragraph "needle x x x x x x x x x x x x x x x x x x x x x x x x x x…""`,
  );
  expect(await found({ query: 'deep' })).toMatchInlineSnapshot(`"e1 button "Deep""`);
  expect(await found({ query: 'line break' })).toMatchInlineSnapshot(
    `"e1 button "Line break [31m \\"quoted\\"""`,
  );
  expect(await found({ query: 'clobbered form' })).toMatchInlineSnapshot(
    `"e1 form "Clobbered form x""`,
  );
  expect(await found({ role: 'button', near: 'clobbered' })).toMatchInlineSnapshot(
    `"e1 button "Line break [31m \\"quoted\\"""`,
  );
  expect((await found({ query: 'nothing like it', waitForMs: 300 })).length).toBeLessThan(1000);
});

it('rejects an empty query, and an invalid selector', async () => {
  await open('<p>x</p>');
  expect(await failure('find', {})).toMatchObject({ code: 'invalid_argument', argument: 'query' });
  expect(await failure('find', { limit: 3 })).toMatchObject({ code: 'invalid_argument' });
  expect(await failure('find', { query: '  ' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'query',
  });
  expect(await failure('find', { selector: 'a[' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'selector',
  });
  expect(await failure('find', { query: 'x', limit: 0 })).toMatchObject({
    code: 'invalid_argument',
    argument: 'limit',
  });
});
