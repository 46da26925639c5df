// What changed since the last reading, with refs that still lead where they led.
import { describe, expect, it } from 'vitest';
import { readAgain } from '../../src/browser/read/read-tree.ts';
import { renderDiff } from '../../src/render/diff.ts';
import { useReader } from './reader.ts';

const reader = useReader();
const { open, run, signal } = reader;

/** Reads again and says what changed; "all of it" where there is nothing to compare with. */
const changes = async (maxTokens = 10_000): Promise<string> => {
  const { now, before } = await readAgain(reader.tab, {}, signal);
  return before ? renderDiff(before, now, { maxTokens }) : 'all of it';
};

const masked = (text: string): string => text.replace(/\be\d+\b/g, 'e_');

describe('A second reading', () => {
  it('of an unchanged page says only that', async () => {
    await open('<h1>Title</h1><p>Text</p><button>Go</button>');
    expect(await changes()).toBe('all of it');
    expect(await changes()).toBe('unchanged');
  });

  it('says what was added, removed and changed, and where', async () => {
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
});
