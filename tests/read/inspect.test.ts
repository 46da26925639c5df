// inspect: one element, or one side of the page's state, in a few lines.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { payload, withCountedRefs } from './payload.ts';

const site = useSite();
const elsewhere = useSite();
const { text, reply, json, failure } = useEngine();

const PAGE = `<!doctype html><title>Sign up</title><h1>Sign up</h1>
  <form id="f" aria-label="Account"><label>Name <input name="n" required value="Ada"></label>
  <label>Mail <input id="mail" type="email" value="nope" aria-invalid="true" aria-describedby="m"></label><span id="m" class="error">Mail is wrong</span>
  <label>Password <input type="password" value="hunter2"></label><label>Plan <select><option>Free</option><option selected>Pro</option></select></label>
  <label><input type="checkbox" checked> Terms</label><button id="send" style="position: absolute; left: 900px; top: 80px; width: 60px; height: 24px">Send</button></form>
  <h2>Plans</h2><div role="alert">Server is busy</div><p class="error" hidden>not shown</p>
  <dialog open aria-label="Cookies">We use cookies</dialog>
  <div role="tablist"><button role="tab" aria-selected="true">One</button><button role="tab">Two</button></div>
  <script>mail.setCustomValidity('An address has an @.'); send.addEventListener('click', function onSend(event) { event.preventDefault() }, { capture: true, passive: true }); send.onfocus = () => {}</script>`;

const inspect = async (args: object = {}, html = PAGE): Promise<string> => {
  await json('navigate', { url: site.page('/page', html) });
  return payload(await text('inspect', args));
};

it('reports the state of the page as a whole', async () => {
  expect(withCountedRefs(await inspect())).toMatchInlineSnapshot(`
    "page: 3 buttons, 5 fields
    focus: nothing
    errors:
     e1 textbox "Mail" invalid ="nope" – Mail is wrong
     alert "Server is busy"
    panels:
     e2 dialog "Cookies"
     e3 tab "One" selected – of 2 tabs
    form "Account":
     e4 textbox "Name" required ="Ada"
     e1 email "Mail" invalid ="nope" – An address has an @.
     e5 password "Password" ="[redacted]"
     e6 combobox "Plan" ="Pro"
     e7 checkbox "Terms" checked
     e8 button "Send"
    headings:
     # Sign up
     ## Plans"
  `);
});

it('never shows the value of a password field', async () => {
  expect(await inspect({ query: 'form values' })).not.toContain('hunter2');
});

it.each([
  ['what errors are shown?', 'errors'],
  ['which dialogs and tabs are open', 'panels'],
  ['headings', 'headings'],
  ['what has the focus', 'focus'],
  ['scroll position', 'geometry'],
])('answers "%s" with only that part', async (query, section) => {
  const lines = (await inspect({ query })).split('\n');
  expect(lines.filter((line) => /^[a-z]+:/.test(line)).map((line) => line.split(':')[0])).toEqual([
    'page',
    section,
  ]);
});

it('describes one element: state, geometry, listeners, accessibility', async () => {
  expect(withCountedRefs(await inspect({ selector: '#send' }))).toMatchInlineSnapshot(`
    "e1 button "Send"
    button#send
    geometry: box 900,80 60x24; visible; display block, position absolute
    listeners:
     click (capture, passive) function onSend(event) { event.preventDefault() }
     focus () => {}
    accessibility: role button; name "Send" (from contents); focusable"
  `);
});

it('finds the element named by other words, and by its ref again', async () => {
  const found = await inspect({ query: 'Send' });
  expect(found).toMatch(/^e\d+ button "Send"\nbutton#send\n/);
  const [ref] = found.split(' ');
  expect(payload(await text('inspect', { ref }))).toBe(found);
});

it('shows the page if the words match no element, and reports it', async () => {
  await inspect();
  const { text: shown, notes } = await reply('inspect', { query: 'xylophone' });
  expect(shown).toContain('focus: nothing');
  expect(notes).toEqual(['[No element matches the query; this is a report on the whole page]']);
});

it('reports why an element is not visible', async () => {
  const page =
    '<div style="display:none"><button id="a">A</button></div><button id="b" style="opacity:0">B</button><div style="position:fixed;inset:0;background:#fff" id="cover"></div><button id="c">C</button>';
  const why = async (selector: string): Promise<string | undefined> =>
    /^geometry: [^;]*; ([^;]*)/m.exec(await inspect({ selector, query: 'geometry' }, page))?.[1];
  expect(await why('#a')).toBe('not rendered: display: none on div');
  expect(await why('#b')).toBe('invisible: opacity: 0');
  expect(await why('#c')).toBe('covered by div#cover');
});

it('looks into frames of other sites', async () => {
  const frame = elsewhere
    .page('/frame', '<button id="pay" onclick="pay()">Pay</button>')
    .replace('127.0.0.1', 'localhost');
  const shown = await inspect(
    { selector: '#pay', query: 'listeners' },
    `<iframe src="${frame}"></iframe>`,
  );
  expect(withCountedRefs(shown)).toMatchInlineSnapshot(`
    "e1 button "Pay"
    button#pay[onclick]
    listeners: click function onclick(event) { pay() }"
  `);
});

it('fails on a missing element', async () => {
  await inspect();
  expect(await failure('inspect', { selector: '#none' })).toMatchObject({
    code: 'element_not_found',
  });
  expect(await failure('inspect', { selector: ':::' })).toMatchObject({ code: 'invalid_argument' });
});
