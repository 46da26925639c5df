// Recipes of a task on pages where a recorded name belongs to another element: right, or stopped.
import { beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

/** The handlers of the pressed buttons, in their order. */
const done: string[] = [];
let page = '';

const site = useSite({
  '/': (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,">
      <title>Page</title>${page}</html>`);
  },
  '/did': (request, response) => {
    done.push(decodeURIComponent((request.url ?? '').split('?')[1] ?? ''));
    response.end();
  },
});
const engine = useEngine();

beforeEach(() => void done.splice(0));

interface TestButton {
  readonly does: string;
  readonly name: string;
  readonly facts?: string;
}

const button = ({ does, name, facts = '' }: TestButton): string =>
  `<button type="button" ${facts} onclick="fetch('/did?${does}')">${name}</button>`;

const row = (who: string, ...buttons: TestButton[]): string =>
  `<tr><td>${who}</td><td>${buttons.map(button).join('')}</td></tr>`;

interface TestCall {
  readonly tool?: string;
  readonly args: object;
}

/** Makes the calls on a page in a task, and saves them as a recipe. */
const record = async (
  name: string,
  shown: string,
  calls: readonly TestCall[],
  params = {},
): Promise<string> => {
  page = shown;
  const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', { objective: name });
  await engine.text('navigate', { url: `${site.origin}/`, taskId: task_id });
  for (const { tool = 'interact', args } of calls)
    await engine.text(tool, { ...args, taskId: task_id });
  await engine.json('oc_recipe', { name, from_task: task_id, params });
  done.splice(0);
  return engine.text('oc_recipe', { show: name });
};

const click = (query: string): TestCall => ({ args: { action: 'click', query } });

const run = async (
  name: string,
  shown: string,
  params = {},
): Promise<{ readonly reason?: unknown; readonly message?: string; readonly healed?: unknown }> => {
  page = shown;
  const { failure, json } = await engine.reply('oc_recipe', { run: name, params });
  if (!failure) return { healed: (json as { healed: unknown }).healed };
  return { reason: failure.details['reason'], message: failure.message };
};

const save = { does: 'save', name: 'Save' };
const remove = { does: 'remove', name: 'Delete' };

describe('a recipe of a task', () => {
  it('contains the facts of its targets', async () => {
    const source = await record(
      'facts',
      `<h2>Users</h2><table>${row('Ada Lovelace', save)}${row('Bob', remove)}</table>
      <form aria-label="Search"><label>Words <input name="q"></label></form>`,
      [click('Delete'), { args: { action: 'fill', query: 'Words', value: 'x' } }],
    );
    const steps = source.slice(source.indexOf('steps:'));
    expect(steps.replaceAll(site.origin, 'SITE')).toMatchInlineSnapshot(`
      "steps:
        - open: SITE/
        - action: click
          target:
            role: button
            name: Delete
            row: Bob
            within:
              - under "Users"
            order:
              - Save
              - Delete
          receipt: {}
        - action: fill
          target:
            role: textbox
            name: Words
            attributes:
              name: q
            within:
              - form "Search"
              - under "Users"
          value: x
          receipt: {}
      "
    `);
  });

  it.each([
    ['test ids', 'data-testid="s"', 'data-testid="d"'],
    ['ids', 'id="s"', 'id="d"'],
    ['no attributes', '', ''],
  ])('stops if two buttons with %s exchange their names', async (_, one, other) => {
    const [a, b] = [
      { ...save, facts: one },
      { ...remove, facts: other },
    ];
    await record('exchange', button(a) + button(b), [click('Save')]);
    const exchanged = button({ ...a, name: 'Delete' }) + button({ ...b, name: 'Save' });
    expect(await run('exchange', exchanged)).toMatchObject({ reason: 'element_not_found' });
    expect(done).toEqual([]);
    expect(await run('exchange', button(a) + button(b))).toEqual({ healed: [] });
    expect(done).toEqual(['save']);
  });

  it('names the fact that belongs to another element', async () => {
    const [a, b] = [
      { ...save, facts: 'data-testid="s"' },
      { ...remove, facts: 'data-testid="d"' },
    ];
    await record('reason', button(a) + button(b), [click('Save')]);
    const { message } = await run(
      'reason',
      button({ ...a, name: 'Delete' }) + button({ ...b, name: 'Save' }),
    );
    expect(message).toBe(
      'The recipe "reason" stopped at step 2 of 2 (click button "Save"): button "Save" is not ' +
        'the recorded element any more: its recorded testId belongs to button "Delete".',
    );
  });

  it('stops if the recorded button is gone and another one has its name', async () => {
    const facts = (id: string): string => `data-testid="${id}"`;
    await record('replaced', button({ ...save, facts: facts('s') }), [click('Save')]);
    const other = button({ does: 'other', name: 'Save', facts: facts('o') });
    expect((await run('replaced', other)).message).toContain('its testId was "s", and is now "o"');
    expect(done).toEqual([]);
  });

  it('presses a button with a test id at any position', async () => {
    const [a, b] = [
      { ...save, facts: 'data-testid="s"' },
      { ...remove, facts: 'data-testid="d"' },
    ];
    await record('position', button(a) + button(b), [click('Save')]);
    const moved = `<main><div>${button(b)}</div><h2>More</h2><div>${button(a)}</div></main>`;
    expect(await run('position', moved)).toEqual({ healed: [] });
    expect(done).toEqual(['save']);
  });

  it('stops if the name belongs to another row, also if the recorded row is gone', async () => {
    const rename = { does: 'rename', name: 'Rename' };
    const [ada, bob] = ['ada', 'bob'].map((who) => [
      { ...remove, does: `remove ${who}` },
      { ...rename, does: `rename ${who}` },
    ]) as [TestButton[], TestButton[]];
    const table = (...rows: string[]): string => `<table>${rows.join('')}</table>`;
    await record('row', table(row('Ada', ...ada), row('Bob', ...bob.slice(1))), [click('Delete')]);
    for (const shown of [
      table(row('Ada', ...ada.slice(1)), row('Bob', ...bob)),
      table(row('Bob', ...bob)),
    ])
      expect(await run('row', shown)).toMatchObject({ reason: 'element_not_found' });
    expect(done).toEqual([]);
    await run('row', table(row('Bob', ...bob), row('Cleo', ...bob), row('Ada', ...ada)));
    expect(done).toEqual(['remove ada']);
  });

  it('stops if the name belongs to an element under another heading', async () => {
    const sections = (first: string, second: string): string =>
      `<section><h2>Billing</h2>${button({ does: 'billing', name: first })}</section>
       <section><h2>Shipping</h2>${button({ does: 'shipping', name: second })}</section>`;
    await record('heading', sections('Save', 'Store'), [click('Save')]);
    expect(await run('heading', sections('Store', 'Save'))).toMatchObject({
      reason: 'element_not_found',
    });
    expect(done).toEqual([]);
  });

  it('stops if two fields exchange their labels', async () => {
    const fields = (first: string, second: string): string =>
      `<label>${first} <input name="from"></label><label>${second} <input name="to"></label>`;
    const fill = (query: string, value: string): TestCall => ({
      args: { action: 'fill', query, value },
    });
    await record('labels', fields('From', 'To'), [fill('From', 'a')]);
    expect(await run('labels', fields('To', 'From'))).toMatchObject({
      reason: 'element_not_found',
    });
    expect(await run('labels', fields('From', 'To'))).toEqual({ healed: [] });
  });

  it.each([
    ['testId', 'data-testid="s"'],
    ['id', 'id="s"'],
  ])('finds a renamed button by its %s, and reports it', async (fact, facts) => {
    await record('renamed', button({ ...save, facts }) + button(remove), [click('Save')]);
    const renamed = button({ ...save, name: 'Store', facts }) + button(remove);
    expect(await run('renamed', renamed)).toEqual({
      healed: [`button "Save" was found by its ${fact}: it is now "Store"`],
    });
    expect(done).toEqual(['save']);
  });

  it('repeats fill_form with its submit button', async () => {
    const form = `<form onsubmit="fetch('/did?' + new URLSearchParams(new FormData(this))); return false">
      <label>Email <input name="email"></label>
      <label><input type="checkbox" name="news"> News</label><button>Send</button></form>`;
    const fields = [
      { label: 'Email', value: 'a@x.org' },
      { label: 'News', value: true },
    ];
    await record('form', form, [{ tool: 'fill_form', args: { fields, submit: true } }], {
      email: 'a@x.org',
    });
    expect(await run('form', form, { email: 'b@x.org' })).toEqual({ healed: [] });
    expect(done).toEqual(['email=b@x.org&news=on']);
  });

  it('acts in the row of a parameter', async () => {
    const rows = ['Ada', 'Bob', 'Cleo'].map((who) => row(who, { ...remove, does: who }));
    const table = `<table>${rows.join('')}</table>`;
    page = table;
    await engine.text('navigate', { url: `${site.origin}/` });
    const { data } = await engine.reply('find', { role: 'button', near: 'Ada' });
    const { hits } = data as { readonly hits: readonly { readonly ref: string }[] };
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      objective: 'row',
    });
    await engine.text('interact', { action: 'click', ref: hits[0]?.ref, taskId: task_id });
    await engine.json('oc_recipe', { name: 'of-row', from_task: task_id, params: { who: 'Ada' } });
    done.splice(0);
    await run('of-row', table, { who: 'Cleo' });
    expect(done).toEqual(['Cleo']);
  });
});
