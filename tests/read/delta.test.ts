// What changed since the last reading, with refs that still lead where they led.
import { describe, expect, it } from 'vitest';
import { readAgain } from '../../src/browser/read/read-tree.ts';
import { renderDiff } from '../../src/render/diff.ts';
import { useReader } from './reader.ts';

const reader = useReader();
const { open, run, signal } = reader;

/** Reads again and returns the changes; "all of it" if the page was not read before. */
const changes = async (maxTokens = 10_000): Promise<string> => {
  const { now, before } = await readAgain(reader.tab, {}, signal);
  return before ? renderDiff(before, now, { maxTokens }) : 'all of it';
};

const masked = (text: string): string => text.replace(/\be\d+\b/g, 'e_');

describe('A second reading', () => {
  it('of an unchanged page reports only that', async () => {
    await open('<h1>Title</h1><p>Text</p><button>Go</button>');
    expect(await changes()).toBe('all of it');
    expect(await changes()).toBe('unchanged');
  });

  it('lists added, removed and changed lines, with their place', async () => {
    await open(
      `<h1>Shop</h1><p id=n>0 in cart</p><ul><li>Gear <button>Add</button><li>Wheel <button>Add</button></ul><input aria-label=Name>`,
    );
    await changes();
    await run(`n.textContent = '1 in cart'; document.querySelector('li button').disabled = true; document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>Card <button>Add</button>');
      document.querySelector('input').value = 'Ada'`);
    expect(masked(await changes())).toMatchInlineSnapshot(`
      "@ # Shop
      - 0 in cart
      + 1 in cart
      @ Gear
      ~ e_ button "Add" disabled
      @ # Shop
      + Card
      +  e_ button "Add"
      ~ e_ textbox "Name" ="Ada""
    `);
    await run(`document.querySelector('li').remove()`);
    expect(masked(await changes())).toMatchInlineSnapshot(`
      "@ # Shop
      - Gear
      -  e_ button "Add" disabled"
    `);
    expect(await changes()).toBe('unchanged');
  });

  it('of another page has nothing to compare with', async () => {
    await open('<p>One</p>');
    await changes();
    await open('<p>Two</p>');
    expect(await changes()).toBe('all of it');
  });

  it('keeps within its budget', async () => {
    await open('<div id=d></div>');
    await changes();
    await run(`d.innerHTML = '<p>A new paragraph of text</p>'.repeat(2000)`);
    const text = await changes(200);
    expect(text.length).toBeLessThan(1200);
    expect(text).toMatch(/… [\d,]+ more changes: read the page again$/);
  });

  const PAGE = `<h1>Shop</h1><nav><a href=#>Home</a><a href=#>Cart</a></nav><p>Many words about gears</p><ul><li>Gear <button>Add</button><li>Wheel <button>Add</button></ul><iframe srcdoc="<button>Inside</button>"></iframe>`;

  it('does not list the page behind a modal dialog as removed, or as new when the dialog closes', async () => {
    await open(`${PAGE}<dialog id=d aria-label=Confirm><p>Sure?</p><button>Yes</button></dialog>`);
    await changes();
    await run('d.showModal()');
    expect(masked(await changes())).toMatchInlineSnapshot(`
      "+ dialog "Confirm"
      +  Sure?
      +  e_ button "Yes" focused
      + (the content behind this dialog cannot be reached while it is open)"
    `);
    await run(
      `document.querySelector('nav a').textContent = 'Start'; d.querySelector('p').textContent = 'Really?'`,
    );
    expect(masked(await changes())).toMatchInlineSnapshot(`
      "@ dialog "Confirm"
      - Sure?
      + Really?"
    `);
    await run('d.close()');
    expect(masked(await changes())).toMatchInlineSnapshot(`
      "- dialog "Confirm"
      -  Really?
      -  e_ button "Yes" focused
      - (the content behind this dialog cannot be reached while it is open)
      @ navigation
      ~ e_ link "Start""
    `);
  });

  it('does not take a page that a dialog makes inert or aria-hidden for removed', async () => {
    for (const attribute of ['inert', 'aria-hidden']) {
      await open(
        `<div id=app>${PAGE}</div><div id=d hidden role=dialog aria-modal=true aria-label=Confirm><button>Yes</button></div>`,
      );
      await changes();
      await run(`app.setAttribute('${attribute}', 'true'); d.hidden = false`);
      const opened = masked(await changes());
      expect(opened).toContain('+ dialog "Confirm"');
      expect(opened).not.toMatch(/^-/m);
      await run(
        `app.removeAttribute('${attribute}'); d.hidden = true; app.querySelector('li').remove()`,
      );
      const closed = masked(await changes());
      expect(closed).not.toMatch(/^\+/m);
      expect(closed).toContain('- Gear');
      expect(closed).not.toContain('Many words');
    }
  });
});
