// Secrets in new recipes: references are kept, and the reply names the secrets that a run needs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PASSWORD = 'correct-horse-7';
const folder = mkdtempSync(join(tmpdir(), 'openchrome-recipe-secrets-'));
const file = join(folder, 'secrets.env');
writeFileSync(file, `DOOR@127.0.0.1=${PASSWORD}\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const logins: string[] = [];
const site = useSite({
  '/': `<!doctype html><link rel="icon" href="data:,"><title>Login</title><form action="/in">
    <label>User <input name="user"></label>
    <label>Password <input name="password" type="password"></label><button>Log in</button></form>
    <div style="height:3000px"></div>`,
  '/in': (request, response) => {
    logins.push(new URL(request.url ?? '', 'http://a').searchParams.get('password') ?? '');
    response.setHeader('content-type', 'text/html');
    response.end('<link rel="icon" href="data:,"><title>In</title><h1>Inside</h1>');
  },
});
const engine = useEngine(['--secrets', file]);

beforeEach(() => void logins.splice(0));

const startTask = async (): Promise<string> =>
  (await engine.json<{ task_id: string }>('oc_task_start', { objective: 'log in' })).task_id;

describe('a recipe of a task with secrets', () => {
  it.each([
    ['interact', { action: 'fill', query: 'Password', value: '${SECRET:DOOR}' }],
    ['fill_form', { fields: [{ label: 'Password', value: '${SECRET:DOOR}' }] }],
  ])('contains the reference of %s, and the reply names the secret', async (tool, args) => {
    const taskId = await startTask();
    await engine.text('navigate', { url: `${site.origin}/`, taskId });
    await engine.text(tool, { ...args, taskId });
    await engine.text('interact', { action: 'click', query: 'Log in', taskId });
    const name = `secret-${tool.replace('_', '-')}`;
    const reply = await engine.reply('oc_recipe', { name, from_task: taskId });
    expect(reply.failure).toBeUndefined();
    expect(reply.json).toMatchObject({ steps: 3, secrets: ['DOOR'] });
    expect(reply.notes).toEqual([]);
    expect(await engine.text('oc_recipe', { show: name })).toContain('${SECRET:DOOR}');
    await engine.json('oc_recipe', { run: name });
    expect(logins).toEqual([PASSWORD, PASSWORD]);
  });

  it('is refused if a call contains the secret itself', async () => {
    const taskId = await startTask();
    await engine.text('navigate', { url: `${site.origin}/`, taskId });
    await engine.text('interact', {
      action: 'fill',
      query: 'Password',
      value: 'another-password-1',
      taskId,
    });
    const failure = await engine.failure('oc_recipe', { name: 'hidden', from_task: taskId });
    expect(failure.message).toBe(
      'Call 2 (interact) cannot become a step: it contains a secret, which is not recorded ' +
        '(name it as ${SECRET:NAME} in the call).',
    );
  });
});

describe('a recipe of a recording', () => {
  const record = async (act: () => Promise<unknown>): Promise<string> => {
    await engine.text('navigate', { url: `${site.origin}/` });
    const { task_id: id, folder: first } = await engine.json<{ task_id: string; folder: string }>(
      'recording',
      { action: 'start', exports: ['json'] },
    );
    try {
      await engine.text('navigate', { url: `${site.origin}/` });
      await act();
    } finally {
      await engine.json('recording', { action: 'stop', id });
    }
    return first;
  };

  it('declares the secret of a password that was typed', async () => {
    const from_recording = await record(async () => {
      await engine.text('interact', {
        action: 'fill',
        query: 'Password',
        value: 'typed-by-hand-1',
      });
      await engine.text('interact', { action: 'click', query: 'Log in' });
    });
    const reply = await engine.reply('oc_recipe', { name: 'typed', from_recording });
    expect(reply.json).toMatchObject({ secrets: ['PASSWORD'] });
    expect(reply.notes).toEqual([
      '[the recipe needs the secret PASSWORD, which is not defined: start the server with ' +
        '--secrets FILE that contains it, or change its name in the recipe]',
    ]);
  });

  const replaceSteps = (where: string, steps: readonly object[]): void => {
    const path = join(where, 'recording.json');
    const recording = JSON.parse(readFileSync(path, 'utf8')) as object;
    const timed = steps.map((step, at) => ({ at, by: 'person', ...step }));
    writeFileSync(path, JSON.stringify({ ...recording, steps: timed }));
  };

  it('goes back, answers dialogs, and reports what it does not repeat', async () => {
    const from_recording = await record(async () => {});
    const target = { tag: 'button', role: 'button', name: 'Log in', css: ['button'] };
    replaceSteps(from_recording, [
      { kind: 'goto', url: `${site.origin}/` },
      { kind: 'scroll', x: 0, y: 300 },
      { kind: 'click', target, modifiers: ['Control', 'Shift'] },
      { kind: 'dialog', type: 'prompt', message: 'Name?', accepted: true, text: 'Ada' },
      { kind: 'back', url: `${site.origin}/` },
      { kind: 'reload', url: `${site.origin}/` },
    ]);
    const reply = await engine.json('oc_recipe', { name: 'moves', from_recording });
    expect(reply).toMatchObject({ steps: 5, left_out: ['scroll to 0,300'] });
    const source = await engine.text('oc_recipe', { show: 'moves' });
    expect(source.replace(/^.*steps:\n/s, '').replaceAll(site.origin, 'SITE'))
      .toMatchInlineSnapshot(`
      "  - open: SITE/
        - action: click
          target:
            role: button
            name: Log in
          value: Control+Shift
        - call: handle_dialog
          args:
            accept: true
            text: Ada
        - call: navigate
          args:
            action: back
        - call: navigate
          args:
            action: reload
      "
    `);
  });

  it.each([
    [{ kind: 'upload', files: ['x.pdf'] }, 'upload "x.pdf" to input "File"'],
    [{ kind: 'drag', to: { tag: 'div', css: ['#to'] } }, 'drag input "File" to #to'],
    [{ kind: 'click', button: 'middle' }, 'middle-click input "File"'],
  ])('is refused with the step that it cannot repeat: %j', async (step, described) => {
    const from_recording = await record(async () => {});
    const target = { tag: 'input', role: 'input', name: 'File', css: ['input'] };
    replaceSteps(from_recording, [
      { kind: 'goto', url: `${site.origin}/` },
      { target, ...step },
    ]);
    const failure = await engine.failure('oc_recipe', { name: 'none', from_recording });
    expect(failure).toMatchObject({ code: 'recipe_invalid', step: 2 });
    expect(failure.message).toContain(
      `Step 2 of the recording (${described}) cannot become a step`,
    );
  });
});
