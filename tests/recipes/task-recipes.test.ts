// Recipes of tasks: each call is a step, or the creation fails and names the call.
import { beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const hits: string[] = [];

const site = useSite({
  '/': `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><h1>Shop</h1>
    <label>Email <input name="email"></label><label>Count <input name="count"></label>
    <label>Country <select name="country"><option>Spain<option>Norway</select></label>
    <label><input type="checkbox" name="gift"> Gift</label>
    <label>Password <input type="password" name="password"></label>
    <button onclick="confirm('Sure?') && fetch('/hit?confirmed')">Ask</button>
    <button onclick="fetch('/hit?' + [...document.querySelectorAll('input,select')].map((one) =>
      one.type === 'checkbox' ? one.checked : one.value).join() + ',' +
      (localStorage.getItem('theme') ?? ''))">Send</button>
    <input aria-label="Search" onkeydown="event.key === 'Enter' && fetch('/hit?' + this.value)">
    <div style="height:3000px"></div><a href="/second">Second</a>`,
  '/frames': `<!doctype html><link rel="icon" href="data:,"><title>Frames</title>
    <label>First <input name="first"></label><label>Last <input name="last"></label>
    <iframe srcdoc="<label>Inner <input name=inner></label>"></iframe>`,
  '/second': '<!doctype html><link rel="icon" href="data:,"><title>Second</title><h1>Second</h1>',
  '/hit': (request, response) => {
    hits.push(request.url ?? '');
    response.end('ok');
  },
});
const engine = useEngine(['--all-tools']);

beforeEach(() => void hits.splice(0));

interface Task {
  readonly id: string;
  call(name: string, args?: object): Promise<string>;
}

const startTask = async (): Promise<Task> => {
  const { task_id: id } = await engine.json<{ task_id: string }>('oc_task_start', {
    objective: 'order',
  });
  return { id, call: (name, args = {}) => engine.text(name, { ...args, taskId: id }) };
};

const create = (name: string, { id }: Task): Promise<unknown> =>
  engine.json('oc_recipe', { name, from_task: id });

/** The steps of the saved recipe, without the facts of their targets. */
const show = async (name: string): Promise<string> =>
  (await engine.text('oc_recipe', { show: name })).replaceAll(site.origin, 'SITE');

const refuse = async (task: Task): Promise<string> =>
  (await engine.failure('oc_recipe', { name: 'refused', from_task: task.id })).message;

describe('a recipe of a task', () => {
  it('contains waits, expectations, and changes of the storage and of the tab', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('wait_for', { text: 'Shop', timeout_ms: 4_000 });
    await task.call('expect', { text: 'Shop' });
    await task.call('expect', { text: 'never there', timeout_ms: 1 });
    await task.call('storage', { action: 'set', key: 'theme', value: 'dark' });
    await task.call('storage', { action: 'list' });
    await task.call('cookies', { action: 'set', name: 'seen', value: 'yes' });
    await task.call('emulate', { viewport: { width: 900, height: 700 } });
    await task.call('navigate', { action: 'reload' });
    await create('kinds', task);
    expect((await show('kinds')).replace(/^.*steps:\n/s, '')).toMatchInlineSnapshot(`
      "  - open: SITE/
        - wait:
            text: Shop
            timeout_ms: 4000
        - expect:
            text: Shop
        - call: storage
          args:
            action: set
            key: theme
            value: dark
        - call: cookies
          args:
            action: set
            name: seen
            value: yes
        - call: emulate
          args:
            viewport:
              width: 900
              height: 700
        - call: navigate
          args:
            action: reload
      "
    `);
    await engine.json('oc_recipe', { run: 'kinds' });
  });

  it('contains keys without a target, numbers, scrolling, focus and answered dialogs', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('interact', { action: 'focus', query: 'Search' });
    await task.call('interact', { action: 'type', value: 'pens' });
    await task.call('interact', { action: 'press', value: 'Enter' });
    await task.call('interact', { action: 'scroll', value: 'down 300' });
    await task.call('interact', { action: 'fill', query: 'Count', value: 12 });
    await task.call('interact', { action: 'click', query: 'Ask' });
    await task.call('handle_dialog', { accept: true });
    await create('keys', task);
    await expect.poll(() => hits).toEqual(['/hit?pens', '/hit?confirmed']);
    hits.splice(0);
    expect(await engine.json('oc_recipe', { run: 'keys' })).toMatchObject({ steps: 8 });
    await expect.poll(() => hits).toEqual(['/hit?pens', '/hit?confirmed']);
  });

  it('contains all fields of a form, with numbers, options and boxes', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('fill_form', {
      fields: [
        { label: 'Email', value: 'ada@example.com' },
        { label: 'Count', value: 3 },
        { label: 'Country', value: 'Norway' },
        { label: 'Gift', value: true },
      ],
    });
    await task.call('interact', { action: 'click', query: 'Send' });
    await create('form', task);
    await expect.poll(() => hits).toHaveLength(1);
    hits.splice(0);
    await engine.json('oc_recipe', { run: 'form' });
    await expect
      .poll(() => hits)
      .toEqual([expect.stringContaining('ada@example.com,3,Norway,true')]);
  });

  it('contains each field of a form over several frames with its own value', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/frames` });
    await task.call('fill_form', {
      fields: [
        { label: 'First', value: 'a' },
        { label: 'Inner', value: 'b' },
        { label: 'Last', value: 'c' },
      ],
    });
    await create('frames', task);
    const steps = (await show('frames')).replace(/^.*?open:/s, '');
    const named = [...steps.matchAll(/name: (\w+)\n.*?value: (\w)/gs)];
    expect(named.map(([, name, value]) => `${name} ${value}`)).toEqual([
      'First a',
      'Inner b',
      'Last c',
    ]);
  });

  it('leaves out the calls of the ledger and failed calls', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await engine.failure('interact', { action: 'click', query: 'Nothing', taskId: task.id });
    await engine.text('oc_task_update', { taskId: task.id, note: 'half' });
    await task.call('interact', { action: 'click', query: 'Second' });
    await engine.text('oc_task_finish', { task_id: task.id, outcome: 'completed' });
    expect(await create('ledger', task)).toMatchObject({ steps: 2 });
  });

  it('contains the calls of a script, also if the code of the script is long', async () => {
    const task = await startTask();
    await task.call('script', {
      code: `await navigate({ url: ${JSON.stringify(`${site.origin}/`)} });
        await interact({ action: 'click', query: 'Second' }); // ${'x'.repeat(9_000)}`,
    });
    expect(await create('script', task)).toMatchObject({ steps: 2 });
  });

  it('is complete after more than 1,000 other calls', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    for (let index = 0; index < 1_010; index++) await engine.text('oc_journal', { count: 1 });
    await task.call('interact', { action: 'click', query: 'Second' });
    expect(await create('late', task)).toMatchObject({ steps: 2 });
  });

  it('is refused if the arguments of a call were too long to be recorded', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('interact', { action: 'fill', query: 'Email', value: 'x'.repeat(9_000) });
    expect(await refuse(task)).toMatch(
      /^Call 2 \(interact\) cannot become a step: its arguments were not recorded \(\d+ characters\)\.$/,
    );
  });

  it('is refused with the number of the call that has no step', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('read_page');
    await task.call('javascript_tool', { code: 'return 1' });
    const failure = await engine.failure('oc_recipe', { name: 'x', from_task: task.id });
    expect(failure).toMatchObject({ code: 'recipe_invalid', call: 3, tool: 'javascript_tool' });
    expect(failure.message).toBe(
      'Call 3 (javascript_tool) cannot become a step: no kind of step repeats this tool.',
    );
  });

  it('is refused if it works in two tabs', async () => {
    const task = await startTask();
    await task.call('navigate', { url: `${site.origin}/` });
    await task.call('tabs', { action: 'new', url: `${site.origin}/second` });
    await task.call('expect', { text: 'Second' });
    expect(await refuse(task)).toBe(
      'Call 2 (tabs) cannot become a step: a recipe works in one tab, and this call uses another one.',
    );
  });

  it('begins with the address of a new tab', async () => {
    const task = await startTask();
    await task.call('tabs', { action: 'new', url: `${site.origin}/` });
    await task.call('interact', { action: 'click', query: 'Second' });
    await task.call('tabs', { action: 'close' });
    expect(await create('new-tab', task)).toMatchObject({ steps: 2 });
    expect(await show('new-tab')).toContain('- open: SITE/\n');
  });

  it('is not created from an unknown task', async () => {
    const failure = await engine.failure('oc_recipe', {
      name: 'x',
      from_task: '0123456789abcdef',
    });
    expect(failure.code).toBe('task_not_found');
  });

  it('cannot call tools that change other things than the page', async () => {
    for (const step of [
      '{ call: oc_stop }',
      '{ call: javascript_tool, args: { code: "1" } }',
      '{ call: navigate, args: { url: "about:blank" } }',
      '{ call: emulate, args: { session: other, device: iphone-15 } }',
    ]) {
      const source = `name: calls\nsite: a\nsteps: [${step}]`;
      expect(await engine.failure('oc_recipe', { source })).toMatchObject({
        code: 'recipe_invalid',
        available: expect.arrayContaining(['storage', 'emulate']) as unknown,
      });
    }
  });
});
