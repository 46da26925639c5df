// Refs: an element keeps its ref, no other gets it, and a stale ref describes its old element.
import { describe, expect, it } from 'vitest';
import { inspect } from '../../src/browser/read/inspect-page.ts';
import { requestHandle, resolveRef } from '../../src/browser/read/resolve-ref.ts';
import { failureOf, useReader } from './reader.ts';

const reader = useReader();
const { open, read, run, signal, site } = reader;

const refOf = (text: string, line: string): string =>
  new RegExp(`\\b(e\\d+) ${line}`).exec(text)?.[1] ?? `no ${line}`;
const resolve = (ref: string) => resolveRef(reader.tab, ref, signal);
const stale = (ref: string) => failureOf(resolve(ref));

/** The outer HTML of the element behind a ref. */
const htmlOf = async (ref: string): Promise<unknown> => {
  const place = await resolve(ref);
  const objectId = (await requestHandle(place, signal)) ?? '';
  const { result } = await place.frame.session.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function () { return this.outerHTML }',
    returnByValue: true,
  });
  return result.value;
};

describe('A ref', () => {
  it('stays with its element when others are added and removed around it', async () => {
    await open('<button>One</button><button>Two</button>');
    const before = refOf(await read(), 'button "Two"');
    await run(
      `document.querySelector('button').remove(); document.body.insertAdjacentHTML('afterbegin', '<button>New</button><button>Newer</button>')`,
    );
    const text = await read();
    expect(refOf(text, 'button "Two"')).toBe(before);
    expect(new Set(text.match(/e\d+/g)).size).toBe(3);
    expect(await htmlOf(before)).toBe('<button>Two</button>');
  });

  it('leads into frames of other origins and closed shadow roots', async () => {
    const { port } = site;
    site.page(
      '/deep',
      `<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<button>Inside</button>'</script>`,
    );
    await open(`<iframe src="http://d.localhost:${port}/deep"></iframe>`);
    expect(await htmlOf(refOf(await read(), 'button "Inside"'))).toBe('<button>Inside</button>');
  });

  it('is never used again after a navigation', async () => {
    await open('<button>Same</button>');
    const first = refOf(await read(), 'button "Same"');
    await open('<button>Same</button>');
    expect(refOf(await read(), 'button "Same"')).not.toBe(first);
  });

  it('of a nested list is accepted while nothing changes', async () => {
    await open(
      '<ul><li><a href="#1">Introduction</a><ul><li><a href="#2">Notes</a></li><li><a href="#3">History</a></li></ul></li>' +
        '<li><a href="#4">Functions</a></li></ul>',
    );
    const text = await read();
    for (const name of ['Introduction', 'Notes', 'History', 'Functions'])
      expect(await htmlOf(refOf(text, `link "${name}"`))).toContain(`>${name}</a>`);
  });

  it('is accepted if the rows got other words between two reads, and rejected after the second', async () => {
    await open('<ul><li>Ada <button>Edit</button><li>Ben <button>Edit</button></ul>');
    await read();
    const rename = (name: string) =>
      run(`document.querySelector('li').firstChild.data = '${name} '; 0`);
    await rename('Eve');
    const ref = refOf(await read(), 'button "Edit"');
    expect(await htmlOf(ref)).toBe('<button>Edit</button>');
    await rename('Ada');
    expect(await stale(ref)).toMatchObject({ code: 'stale_ref' });
  });

  it('of a row is accepted in the second read after a hidden shadow root was attached', async () => {
    await open(
      '<ul><li>Ada <span hidden></span> <button>Edit</button><li>Ben <button>Edit</button></ul>',
    );
    await read();
    await run(
      `document.querySelector('span').attachShadow({mode:'open'}).innerHTML = 'Old name'; 0`,
    );
    const ref = refOf(await read(), 'button "Edit"');
    await resolve(ref).catch(() => {});
    expect(await htmlOf(refOf(await read(), 'button "Edit"'))).toBe('<button>Edit</button>');
  });

  it('of a plain element that reacts to clicks is still accepted after it was inspected', async () => {
    await open('<p>Lorem <span style="cursor:pointer">Neque,</span> porro</p>');
    const ref = refOf(await read(), 'clickable "Neque,"');
    await inspect(reader.tab, { ref }, ['geometry'], signal);
    expect(await htmlOf(ref)).toContain('Neque,');
  });

  it('of a tree entry is still accepted after the entries below it were added or removed', async () => {
    await open(
      '<ul><li><a href="#1">Fruit</a><ul><li><a href="#2">Apple</a></li></ul></li><li><a href="#3">Bread</a></li></ul>',
    );
    const text = await read();
    await run(`document.querySelector('ul ul').remove()`);
    expect(await htmlOf(refOf(text, 'link "Fruit"'))).toContain('Fruit');
    expect(await htmlOf(refOf(text, 'link "Bread"'))).toContain('Bread');
  });

  it('of a stepper in a row is still accepted after the count of the row has changed', async () => {
    await open(
      '<ul><li>Apple <i>1</i> <button>+</button></li><li>Pear <i>1</i> <button>+</button></li></ul>',
    );
    const ref = /Apple 1\n\s+(e\d+)/.exec(await read())?.[1] ?? '';
    await run(`document.querySelector('i').textContent = '2'`);
    expect(await htmlOf(ref)).toBe('<button>+</button>');
  });

  it('of an earlier page reports it, and names the only matching element', async () => {
    await open('<button id=x>Save</button>');
    const ref = refOf(await read(), 'button "Save"');
    await open('<button id=x>Save</button><button>Other</button>');
    const failure = await stale(ref);
    expect(failure).toMatchObject({ code: 'stale_ref', reason: 'navigated', was: 'button "Save"' });
    expect(await htmlOf(String(failure['new_ref']))).toBe('<button id="x">Save</button>');
  });

  it('of a removed element reports the old element', async () => {
    await open('<p>Text</p><button>Gone</button>');
    const ref = refOf(await read(), 'button "Gone"');
    await run(`document.querySelector('button').remove()`);
    expect(await stale(ref)).toMatchObject({
      code: 'stale_ref',
      reason: 'removed',
      was: 'button "Gone"',
      message: `${ref} was button "Gone"; it has been removed.`,
    });
  });

  it('of a re-rendered element names its successor, if there is exactly one', async () => {
    const rows = (...names: string[]): string =>
      names.map((name) => `<li>${name} <button>Delete</button></li>`).join('');
    await open(`<ul>${rows('Ada', 'Ben', 'Cleo')}</ul>`);
    const text = await read();
    const ben = /Ben\n\s+(e\d+)/.exec(text)?.[1] ?? '';
    await run(
      `document.querySelector('ul').innerHTML = ${JSON.stringify(rows('Zoe', 'Ada', 'Ben'))}`,
    );
    const failure = await stale(ben);
    expect(failure).toMatchObject({ reason: 're-rendered', was: 'button "Delete" beside "Ben"' });
    expect(/Ben\n\s+(e\d+)/.exec(await read())?.[1]).toBe(failure['new_ref']);
    await run(`document.querySelector('ul').innerHTML = ${JSON.stringify(rows('Zoe', 'Ada'))}`);
    expect(await stale(ben)).not.toHaveProperty('new_ref');
  });

  it('of a row that now shows another entry is rejected once, with the new content of the row', async () => {
    await open(
      '<ul><li><b>Ada</b> <button>Pay</button><li><b>Ben</b> <button>Pay</button><li><b>Cleo</b> <button>Pay</button></ul>',
    );
    const ref = /Ada\n\s+(e\d+)/.exec(await read())?.[1] ?? '';
    await run(`document.querySelector('b').textContent = 'Mallory'`);
    const failure = await stale(ref);
    expect(failure).toMatchObject({
      code: 'stale_ref',
      reason: 're-rendered',
      message:
        `${ref} was button "Pay" beside "Ada"; the page has changed it to button "Pay" ` +
        `beside "Mallory".`,
    });
    expect(await htmlOf(ref)).toBe('<button>Pay</button>');
  });

  it('of a button that changes its words is still good, also in a toolbar', async () => {
    await open(
      '<button>Play</button><button>Stop</button><button>Next</button><button>Loud</button>',
    );
    const ref = refOf(await read(), 'button "Play"');
    await run(`document.querySelector('button').textContent = 'Pause'`);
    expect(await htmlOf(ref)).toBe('<button>Pause</button>');
  });

  it('of an entry of a long list that shows another one now is refused', async () => {
    await open(
      `<ul>${Array.from({ length: 20 }, (_, i) => `<li><a href=#>Person ${i}</a>`).join('')}</ul>`,
    );
    const ref = refOf(await read(), 'link "Person 3"');
    await run(
      `document.querySelectorAll('a').forEach((a, i) => (a.textContent = 'Person ' + (i + 5)))`,
    );
    const failure = await stale(ref);
    expect(failure).toMatchObject({
      code: 'stale_ref',
      message: `${ref} was link "Person 3"; the page has changed it to link "Person 8".`,
    });
    expect(failure).not.toHaveProperty('new_ref');
  });

  it('that was never returned is not found', async () => {
    await open('<button>x</button>');
    expect(await stale('e99999')).toMatchObject({ code: 'element_not_found' });
    expect(await stale('nonsense')).toMatchObject({ code: 'element_not_found' });
  });

  it('shows its element when it is read', async () => {
    await open(
      '<main><div role=listbox aria-label=Fruit><div role=option>Apple</div></div><p>Text</p></main>',
    );
    const ref = refOf(await read(), 'listbox');
    expect((await read({ ref })).replace(/e\d+/g, 'e_')).toBe(
      'e_ listbox "Fruit"\n e_ option "Apple"',
    );
  });
});
