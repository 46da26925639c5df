// script: many calls in one, through the whole pipeline.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
    <h1>Shop</h1><a href="/two">Two</a><label>Email <input></label>
    <button onclick="document.querySelector('h1').textContent = 'Paid'">Pay</button></html>`,
  '/two': '<!doctype html><link rel="icon" href="data:,"><title>Second</title><h1>Two</h1>',
  '/slow': () => {}, // never answers
});
const engine = useEngine();

const run = (code: string, more: object = {}): Promise<string> =>
  engine.text('script', { code, ...more });

describe('script', () => {
  it('returns the value of an expression', async () => {
    expect(await run('1 + 1')).toBe('2');
    expect(await run('"text"')).toBe('text');
    expect(await run('({ a: [1, null] })')).toBe('{"a":[1,null]}');
  });

  it('runs statements with loops, conditions and the given arguments', async () => {
    const code =
      'let sum = 0;\nfor (const n of args.numbers) if (n > 1) sum += n;\nreturn { sum };';
    expect(await run(code, { args: { numbers: [1, 2, 3] } })).toBe('{"sum":5}');
  });

  it('calls tools, which return their data', async () => {
    const code = `
      const { title, status } = await navigate({ url: args.origin });
      const page = await read_page();
      const { hits } = await find({ role: 'link' });
      const { receipt } = await interact({ action: 'click', ref: hits[0].ref });
      const { state } = await read_page();
      return { title, status, names: page.lines.map((line) => line.name), did: receipt.did,
        after: state.title, text: page.text.split('\\n')[0] };`;
    expect(JSON.parse(await run(code, { args: { origin: site.origin } }))).toEqual({
      title: 'Shop',
      status: 200,
      names: ['Shop', 'Two', 'Email', 'Pay'],
      did: expect.stringContaining('clicked'),
      after: 'Second',
      text: '# Shop',
    });
  });

  it('reports a failed call that the script caught as one line, with the line of the script', async () => {
    const code = `let code;
try {
  await interact({ action: 'click', query: 'No such thing', wait_ms: 0 });
} catch (error) {
  code = error.code;
}
return code;`;
    const reply = await engine.reply('script', { code });
    expect(reply.text).toBe('element_not_found');
    expect(reply.notes).toEqual([
      expect.stringMatching(/^\[line 3: interact failed: element_not_found: .+\]$/),
    ]);
  });

  it('fails with the code and the line of a failed call that the script did not catch', async () => {
    const failure = await engine.failure('script', {
      code: 'const a = 1;\n\nawait interact({ action: "click", ref: "e999" });',
    });
    expect(failure).toMatchObject({ tool: 'interact', line: 3 });
    expect(failure.code).not.toBe('script_failed');
    expect(failure.message).toMatch(/^Line 3: interact: /);
  });

  it('fails with the line of an error in the script', async () => {
    expect(await engine.failure('script', { code: 'const a = 1;\nnull.x;' })).toMatchObject({
      code: 'script_failed',
      line: 2,
      message: expect.stringMatching(/^Line 2: TypeError: /),
    });
    expect(await engine.failure('script', { code: '\n\nlet = ;' })).toMatchObject({
      code: 'script_failed',
      line: 3,
      message: expect.stringMatching(/^Line 3: SyntaxError: /),
    });
  });

  it('adds log lines after the value, truncated', async () => {
    const reply = await engine.reply('script', {
      code: 'log("a", {b: 1}); console.log("x".repeat(600)); for (let i = 0; i < 60; i++) log(i); return 7',
    });
    expect(reply.text).toBe('7');
    expect(reply.notes.slice(0, 3)).toEqual([
      'log: a {"b":1}',
      `log: ${'x'.repeat(500)}…`,
      'log: 0',
    ]);
    expect(reply.notes.at(-1)).toBe('log: … 12 more lines');
  });

  it('sleeps', async () => {
    expect(await run('await sleep(5); return "awake"')).toBe('awake');
  });

  it('makes calls in parallel', async () => {
    const code = `const all = await Promise.all([1, 2, 3].map((n) =>
      javascript_tool({ code: String(n * 2) })));
      return all.map(({ value }) => value);`;
    expect(await run(code)).toBe('[2,4,6]');
  });

  it('stores a large value and returns a handle', async () => {
    const code = 'return Array.from({ length: 5000 }, (_, i) => ({ i, name: "item " + i }))';
    const stored = await engine.json<{ output_handle: string; item_count: number }>('script', {
      code,
      output_mode: 'auto',
    });
    expect(stored.item_count).toBe(5000);
    const page = await engine.json('oc_output_fetch', {
      output_handle: stored.output_handle,
      offset: 4999,
    });
    expect(page).toMatchObject({ content: [{ i: 4999, name: 'item 4999' }] });
  });

  it('waits for calls that the script did not await', async () => {
    await run('navigate({ url: args.url }); return 1', { args: { url: `${site.origin}/two` } });
    expect(await run('(await read_page()).state.title')).toBe('Second');
  });

  it('records every call in the journal and in the task', async () => {
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      objective: 'test',
      policy: { maxToolCalls: 3, enforce: true },
    });
    const failure = await engine.failure('script', {
      code: 'for (;;) await tabs_context()',
      taskId: task_id,
    });
    expect(failure).toMatchObject({ code: 'budget_exceeded', tool: 'tabs_context', line: 1 });
    const recent = await engine.json<{ tool?: string }[]>('oc_journal', { count: 5 });
    expect(recent.map(({ tool }) => tool)).toContain('tabs_context');
  });

  it('cannot count its calls against another task than its own', async () => {
    const open = async (): Promise<string> =>
      (await engine.json<{ task_id: string }>('oc_task_start', { objective: 'test' })).task_id;
    const [own, other] = [await open(), await open()];
    const code = 'await tabs_context({ taskId: args.id }); return 1';
    expect(
      await engine.failure('script', { code, args: { id: other }, taskId: own }),
    ).toMatchObject({ code: 'invalid_argument', argument: 'taskId', tool: 'tabs_context' });
    expect(await run(code, { args: { id: own }, taskId: own })).toBe('1');
    expect(await run(code, { args: { id: other } })).toBe('1');
  });

  it('is ended by its deadline together with the call in flight', async () => {
    const failure = await engine.failure('script', {
      code: 'await navigate({ url: args.url })',
      args: { url: `${site.origin}/slow` },
      timeout_ms: 1500,
    });
    expect(failure.code).toBe('timeout');
    // the tab is free again
    expect(
      await run('(await navigate({ url: args.url })).title', { args: { url: site.origin } }),
    ).toBe('Shop');
  });

  it('is ended when the client cancels, together with the call in flight', async () => {
    const cancel = new AbortController();
    const slow = new Promise<void>((resolve) => site.page('/waits', () => resolve()));
    const reply = engine.engine.call({
      name: 'script',
      arguments: { code: `await navigate({ url: '${site.origin}/waits' })` },
      signal: cancel.signal,
    });
    await slow;
    cancel.abort();
    expect((await reply).failure?.code).toBe('cancelled');
    expect(
      await run('(await navigate({ url: args.url })).title', { args: { url: site.origin } }),
    ).toBe('Shop');
  });
});
