// Recipes of a task on pages where a recorded name belongs to another element: right, or stopped.
import { describe, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

/** What the pages show, and the handlers of the pressed buttons in their order, by path. */
const pages = new Map<string, TestPage>();

interface TestPage {
  shown: string;
  readonly done: string[];
}

const site = useSite({
  '/did': (request, response) => {
    const [path = '', does = ''] = (request.url ?? '').split('?')[1]?.split('&&') ?? [];
    pages.get(path)?.done.push(decodeURIComponent(does));
    response.end();
  },
});
const engine = useEngine();

interface TestButton {
  readonly does: string;
  readonly name: string;
  readonly facts?: string;
}

const button = ({ does, name, facts = '' }: TestButton): string =>
  `<button type="button" ${facts} onclick="fetch('/did?' + location.pathname + '&&${does}')">${name}</button>`;

const row = (who: string, ...buttons: TestButton[]): string =>
  `<tr><td>${who}</td><td>${buttons.map(button).join('')}</td></tr>`;

interface TestCall {
  readonly tool?: string;
  readonly args: object;
}

const click = (query: string): TestCall => ({ args: { action: 'click', query } });

interface RecipeTest {
  /** Sets the content of the page, and returns its address. */
  readonly show: (shown: string) => string;
  /** The text of a call in the session. */
  readonly text: (tool: string, args: object) => Promise<string>;
  /** The handlers of the pressed buttons, in their order. */
  readonly done: string[];
  /** Makes the calls on a page in a task, and saves them as a recipe. Returns its source. */
  readonly record: (shown: string, calls: readonly TestCall[], params?: object) => Promise<string>;
  readonly run: (shown: string, params?: object) => Promise<RecipeReply>;
}

interface RecipeReply {
  readonly reason?: unknown;
  readonly message?: string;
  readonly healed?: unknown;
}

/** A page and a session of one test. Most tests wait for a missing element, so they run at once. */
const startTest = (name: string): RecipeTest => {
  const page: TestPage = { shown: '', done: [] };
  pages.set(`/${name}`, page);
  const address = site.page(`/${name}`, (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,">
      <title>Page</title>${page.shown}</html>`);
  });
  const show = (shown: string): string => {
    page.shown = shown;
    return address;
  };
  const text: RecipeTest['text'] = (tool, args) => engine.text(tool, args, name);
  return {
    done: page.done,
    text,
    show,
    record: async (shown, calls, params = {}) => {
      const task = { objective: name };
      const start = await engine.json<{ task_id: string }>('oc_task_start', task, name);
      const taskId = start.task_id;
      await text('navigate', { url: show(shown), taskId });
      for (const { tool = 'interact', args } of calls) await text(tool, { ...args, taskId });
      await text('oc_recipe', { name, from_task: taskId, params });
      page.done.splice(0);
      return text('oc_recipe', { show: name });
    },
    run: async (shown, params = {}) => {
      show(shown);
      const { failure, json } = await engine.reply('oc_recipe', { run: name, params }, name);
      if (!failure) return { healed: (json as { healed: unknown }).healed };
      return { reason: failure.details['reason'], message: failure.message };
    },
  };
};

const save = { does: 'save', name: 'Save' };
const remove = { does: 'remove', name: 'Delete' };

describe.concurrent('a recipe of a task', () => {
  it('contains the facts of its targets', async ({ expect }) => {
    const { record } = startTest('facts');
    const source = await record(
      `<h2>Users</h2><table>${row('Ada Lovelace', save)}${row('Bob', remove)}</table>
      <form aria-label="Search"><label>Words <input name="q"></label></form>`,
      [click('Delete'), { args: { action: 'fill', query: 'Words', value: 'x' } }],
    );
    const steps = source.slice(source.indexOf('steps:'));
    expect(steps.replaceAll(site.origin, 'SITE')).toMatchInlineSnapshot(`
      "steps:
        - open: SITE/facts
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
          receipt:
            requested: true
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

  it.for([
    ['test-ids', 'data-testid="s"', 'data-testid="d"'],
    ['ids', 'id="s"', 'id="d"'],
    ['no-facts', '', ''],
  ] as const)('stops if buttons with %s exchange names', async ([kind, one, other], { expect }) => {
    const { done, record, run } = startTest(`exchange-${kind}`);
    const [a, b] = [
      { ...save, facts: one },
      { ...remove, facts: other },
    ];
    await record(button(a) + button(b), [click('Save')]);
    const exchanged = button({ ...a, name: 'Delete' }) + button({ ...b, name: 'Save' });
    expect(await run(exchanged)).toMatchObject({ reason: 'element_not_found' });
    expect(done).toEqual([]);
    expect(await run(button(a) + button(b))).toEqual({ healed: [] });
    expect(done).toEqual(['save']);
  });

  it('names the fact that belongs to another element', async ({ expect }) => {
    const { record, run } = startTest('reason');
    const [a, b] = [
      { ...save, facts: 'data-testid="s"' },
      { ...remove, facts: 'data-testid="d"' },
    ];
    await record(button(a) + button(b), [click('Save')]);
    const { message } = await run(
      button({ ...a, name: 'Delete' }) + button({ ...b, name: 'Save' }),
    );
    expect(message).toBe(
      'The recipe "reason" stopped at step 2 of 2 (click button "Save"): button "Save" is not ' +
        'the recorded element any more: its recorded testId belongs to button "Delete".',
    );
  });

  it('stops if the recorded button is gone and another one has its name', async ({ expect }) => {
    const { done, record, run } = startTest('replaced');
    const facts = (id: string): string => `data-testid="${id}"`;
    await record(button({ ...save, facts: facts('s') }), [click('Save')]);
    const other = button({ does: 'other', name: 'Save', facts: facts('o') });
    expect((await run(other)).message).toContain('its testId was "s", and is now "o"');
    expect(done).toEqual([]);
  });

  it('presses a button with a test id at any position', async ({ expect }) => {
    const { done, record, run } = startTest('position');
    const [a, b] = [
      { ...save, facts: 'data-testid="s"' },
      { ...remove, facts: 'data-testid="d"' },
    ];
    await record(button(a) + button(b), [click('Save')]);
    const moved = `<main><div>${button(b)}</div><h2>More</h2><div>${button(a)}</div></main>`;
    expect(await run(moved)).toEqual({ healed: [] });
    expect(done).toEqual(['save']);
  });

  it('stops if the name belongs to another row, also if the recorded row is gone', async ({
    expect,
  }) => {
    const { done, record, run } = startTest('row');
    const rename = { does: 'rename', name: 'Rename' };
    const [ada, bob] = ['ada', 'bob'].map((who) => [
      { ...remove, does: `remove ${who}` },
      { ...rename, does: `rename ${who}` },
    ]) as [TestButton[], TestButton[]];
    const table = (...rows: string[]): string => `<table>${rows.join('')}</table>`;
    await record(table(row('Ada', ...ada), row('Bob', ...bob.slice(1))), [click('Delete')]);
    for (const shown of [
      table(row('Ada', ...ada.slice(1)), row('Bob', ...bob)),
      table(row('Bob', ...bob)),
    ])
      expect(await run(shown)).toMatchObject({ reason: 'element_not_found' });
    expect(done).toEqual([]);
    await run(table(row('Bob', ...bob), row('Cleo', ...bob), row('Ada', ...ada)));
    expect(done).toEqual(['remove ada']);
  });

  it('stops if the name belongs to an element under another heading', async ({ expect }) => {
    const { done, record, run } = startTest('heading');
    const sections = (first: string, second: string): string =>
      `<section><h2>Billing</h2>${button({ does: 'billing', name: first })}</section>
       <section><h2>Shipping</h2>${button({ does: 'shipping', name: second })}</section>`;
    await record(sections('Save', 'Store'), [click('Save')]);
    expect(await run(sections('Store', 'Save'))).toMatchObject({
      reason: 'element_not_found',
    });
    expect(done).toEqual([]);
  });

  it('stops if two fields exchange their labels', async ({ expect }) => {
    const { record, run } = startTest('labels');
    const fields = (first: string, second: string): string =>
      `<label>${first} <input name="from"></label><label>${second} <input name="to"></label>`;
    const fill = (query: string, value: string): TestCall => ({
      args: { action: 'fill', query, value },
    });
    await record(fields('From', 'To'), [fill('From', 'a')]);
    expect(await run(fields('To', 'From'))).toMatchObject({
      reason: 'element_not_found',
    });
    expect(await run(fields('From', 'To'))).toEqual({ healed: [] });
  });

  it.for([
    ['testId', 'data-testid="s"'],
    ['id', 'id="s"'],
  ] as const)(
    'finds a renamed button by its %s, and reports it',
    async ([fact, facts], { expect }) => {
      const { done, record, run } = startTest(`renamed-${fact.toLowerCase()}`);
      await record(button({ ...save, facts }) + button(remove), [click('Save')]);
      const renamed = button({ ...save, name: 'Store', facts }) + button(remove);
      expect(await run(renamed)).toEqual({
        healed: [`button "Save" was found by its ${fact}: it is now "Store"`],
      });
      expect(done).toEqual(['save']);
    },
  );

  it('repeats fill_form with its submit button', async ({ expect }) => {
    const { done, record, run } = startTest('form');
    const form = `<form onsubmit="fetch('/did?' + location.pathname + '&&' + new URLSearchParams(new FormData(this))); return false">
      <label>Email <input name="email"></label>
      <label><input type="checkbox" name="news"> News</label><button>Send</button></form>`;
    const fields = [
      { label: 'Email', value: 'a@x.org' },
      { label: 'News', value: true },
    ];
    await record(form, [{ tool: 'fill_form', args: { fields, submit: true } }], {
      email: 'a@x.org',
    });
    expect(await run(form, { email: 'b@x.org' })).toEqual({ healed: [] });
    expect(done).toEqual(['email=b@x.org&news=on']);
  });

  it('acts in the row of a parameter', async ({ expect }) => {
    const { done, show, text, run } = startTest('of-row');
    const rows = ['Ada', 'Bob', 'Cleo'].map((who) => row(who, { ...remove, does: who }));
    const table = `<table>${rows.join('')}</table>`;
    await text('navigate', { url: show(table) });
    const found = await engine.reply('find', { role: 'button', near: 'Ada' }, 'of-row');
    const { hits } = found.data as { readonly hits: readonly { readonly ref: string }[] };
    const task = JSON.parse(await text('oc_task_start', { objective: 'row' })) as {
      task_id: string;
    };
    await text('interact', { action: 'click', ref: hits[0]?.ref, taskId: task.task_id });
    await text('oc_recipe', { name: 'of-row', from_task: task.task_id, params: { who: 'Ada' } });
    done.splice(0);
    await run(table, { who: 'Cleo' });
    expect(done).toEqual(['Cleo']);
  });
});
