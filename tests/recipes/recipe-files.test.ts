// Recipe files: names on several sites, files that are not recipes, and messages for mistakes.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({ '/': '<!doctype html><link rel="icon" href="data:,"><title>Shop</title>' });
const engine = useEngine();

const save = (name: string, host: string): Promise<Record<string, unknown>> =>
  engine.json('oc_recipe', {
    source: `name: ${name}\nsite: ${host}\nsteps:\n  - open: "${site.origin}/?${host}"\n`,
  });

const folderOf = async (host: string): Promise<string> => {
  const { saved } = await save('folder', host);
  return dirname(String(saved));
};

describe('recipes with one name on two sites', () => {
  it('are both listed, and run for the site of the current page', async () => {
    await save('login', 'a.example');
    await save('login', '127.0.0.1');
    const { recipes } = await engine.json<{ recipes: { name: string; site: string }[] }>(
      'oc_recipe',
    );
    const found = recipes.filter(({ name }) => name === 'login').map((one) => one.site);
    expect(found.sort()).toEqual(['127.0.0.1', 'a.example']);
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.json('oc_recipe', { run: 'login' });
    expect(await engine.text('tabs_context')).toContain('/?127.0.0.1');
  });

  it('are rejected with the candidates on a page of another site, unless one is named', async () => {
    await engine.text('navigate', { url: 'about:blank' }, 'other');
    expect(await engine.failure('oc_recipe', { run: 'login' }, 'other')).toMatchObject({
      code: 'invalid_argument',
      message: '2 recipes have the name "login".',
      candidates: ['127.0.0.1/login', 'a.example/login'],
    });
    await engine.json('oc_recipe', { run: 'a.example/login' }, 'other');
    expect(await engine.text('tabs_context', {}, 'other')).toContain('/?a.example');
    expect(await engine.text('oc_recipe', { show: 'a.example/login' })).toContain('a.example');
    const failure = await engine.failure('oc_recipe', { run: 'b.example/login' });
    expect(failure).toMatchObject({
      code: 'recipe_not_found',
      available: expect.arrayContaining(['a.example/login']) as unknown,
    });
  });

  it('are two prompts', async () => {
    const names = (await engine.engine.prompts.list(engine.home)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['127.0.0.1/login', 'a.example/login']));
    const { messages } = await engine.engine.prompts.render('a.example/login', {}, engine.home);
    expect(messages[0]?.content.text).toContain('{"run":"a.example/login"');
  });
});

describe('saving a recipe', () => {
  it('reports that it overwrites a recipe', async () => {
    expect(await save('again', 'a.example')).not.toHaveProperty('overwritten');
    expect(await save('again', 'a.example')).toMatchObject({ overwritten: true });
    expect(await save('again', 'b.example')).not.toHaveProperty('overwritten');
  });

  it('rejects a name that contradicts the source', async () => {
    await save('bbb', 'a.example');
    const source = `name: bbb\nsite: a.example\nsteps: [{ open: "${site.origin}/changed" }]`;
    expect(await engine.failure('oc_recipe', { name: 'aaa', source })).toMatchObject({
      code: 'invalid_argument',
      message: '"name" is "aaa", but the source names "bbb".',
    });
    expect(await engine.text('oc_recipe', { show: 'a.example/bbb' })).not.toContain('changed');
  });

  it('fails for a recipe that is too long to be read again', async () => {
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      objective: 'x',
    });
    for (let index = 0; index < 6; index++)
      await engine.text('navigate', {
        url: `${site.origin}/?${index}${'x'.repeat(7_000)}`,
        taskId: task_id,
      });
    const failure = await engine.failure('oc_recipe', { name: 'long', from_task: task_id });
    expect(failure.code).toBe('recipe_invalid');
    expect(failure.message).toMatch(/^The recipe has \d+ characters; a recipe has at most 32768/);
    expect((await engine.failure('oc_recipe', { show: 'long' })).code).toBe('recipe_not_found');
  });
});

describe('a file that is not a recipe', () => {
  it('is listed with its reason, and does not hide other recipes', async () => {
    const folder = await folderOf('broken.example');
    await mkdir(join(folder, 'folder-inside.yaml'));
    await writeFile(join(folder, 'large.yaml'), '#'.repeat(1_100_000));
    await writeFile(join(folder, 'wrong.yaml'), 'name: wrong\nsteps: []');
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    const { recipes, broken } = await engine.json<{
      recipes: { site: string }[];
      broken: { path: string; problem: string }[];
    }>('oc_recipe');
    expect(recipes.filter((one) => one.site === 'broken.example')).toHaveLength(1);
    const reasons = new Map(broken.map(({ path, problem }) => [path.split('/').at(-1), problem]));
    expect(reasons.get('folder-inside.yaml')).toBe('it is not a regular file.');
    expect(reasons.get('large.yaml')).toBe('it is 1100000 bytes long.');
    expect(reasons.get('wrong.yaml')).toBe('"site" is missing.');
    if (process.platform !== 'win32')
      expect(reasons.get('pipe.yaml')).toBe('it is not a regular file.');
  });

  it.each(['folder-inside', 'large', 'wrong'])('is reported by a run of %s', async (name) => {
    const failure = await engine.failure('oc_recipe', { run: name });
    expect(failure.code).toBe('recipe_invalid');
    expect(failure.message).toContain(`${name}.yaml is not a recipe: `);
  });

  it('is not opened if it is a named pipe', async () => {
    if (process.platform === 'win32') return;
    const path = join(await folderOf('broken.example'), 'pipe.yaml');
    const writing = writeFile(path, 'for the reader'); // waits until a reader opens the pipe
    expect(await engine.failure('oc_recipe', { run: 'pipe' })).toMatchObject({
      code: 'recipe_invalid',
      message: expect.stringContaining('it is not a regular file') as unknown,
    });
    expect(await readFile(path, 'utf8')).toBe('for the reader');
    await writing;
  });
});

const STEPS = {
  'steps: [{ click: Pay }]':
    'step 1: it needs one of the keys open, action, wait, request, call, expect',
  'steps: [{ open: x }, { open: x, expct: {} }]':
    'step 2: it has the unknown key "expct" (allowed: open, expect)',
  'steps: [{ action: klick, target: { name: Pay } }]':
    'step 1: "action" must be one of "click", "double_click", "right_click", "hover", "fill", ' +
    '"type", "select", "check", "uncheck", "press", "upload", "clear", "focus", "scroll"',
  'steps: [{ action: fill, target: { name: Email } }]': 'step 1: "fill" needs "value"',
  'steps: [{ action: click }]': 'step 1: "click" needs "target"',
  'steps: [{ action: click, target: { near: Ada } }]':
    'step 1: "target" needs one of role, name, label, testId, selector',
  'steps: [{ action: click, target: { nmae: Pay } }]':
    'step 1: "target" has the unknown key "nmae" (allowed: role, name, label, testId, attributes, ' +
    'row, within, order, near, selector)',
  'steps: [{ open: x, expect: {} }]':
    'step 1: "expect" is empty: it needs at least one condition, for example text or url',
  'steps: [{ wait: { timeout_ms: 5 } }]':
    'step 1: "wait" is empty: it needs at least one condition, for example text or url',
  'steps: [{ action: fill, target: { name: Email }, value: "{{who}}" }]':
    'step 1: {{who}} is not a parameter: declare it under "params"; for these braces as text, ' +
    'declare a parameter with this text as its default',
  'params: { who: {} }\nsteps: [{ open: "{{ who }}" }]':
    'step 1: write {{who}} instead of {{ who }}',
  'params: { who: { typ: string } }\nsteps: [{ open: x }]':
    '"params.who" has the unknown key "typ" (allowed: type, default, values, description)',
  'steps: []': '"steps" must not be empty',
  'step: [{ open: x }]': '"steps" is missing',
};

describe('a mistake in a recipe', () => {
  it.each(Object.entries(STEPS))('in %j is named', async (rest, problem) => {
    const source = `name: mistake\nsite: a.example\n${rest}\n`;
    expect(await engine.failure('oc_recipe', { source })).toMatchObject({
      code: 'recipe_invalid',
      message: `source is not a recipe: ${problem}.`,
    });
  });

  it.each([
    ['{ wait: { txt: x } }', 'Step 1: "wait" has the unknown condition "txt".'],
    [
      '{ expect: { text: x, state: shown } }',
      'Step 1: "expect" has a condition that is not valid: "state" must be one of ',
    ],
  ])('in the conditions of %s is named before the recipe is saved', async (step, message) => {
    const source = `name: mistake\nsite: a.example\nsteps: [${step}]\n`;
    const failure = await engine.failure('oc_recipe', { source });
    expect(failure).toMatchObject({ code: 'recipe_invalid', step: 1 });
    expect(failure.message).toContain(message);
  });
});

it('a recipe accepts numbers without quotes as values', async () => {
  const source = `name: numbers\nsite: a.example\nsteps:
  - action: fill
    target: { name: Count }
    value: 42
  - request: { url: "${site.origin}/", query: { page: 2, all: true } }\n`;
  await engine.json('oc_recipe', { source });
  expect(await engine.text('oc_recipe', { show: 'numbers' })).toContain('value: "42"');
});

it('the recipe in docs/recipes.md is valid', async () => {
  const page = await readFile('docs/recipes.md', 'utf8');
  const [, source] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  expect(await engine.json('oc_recipe', { source })).toMatchObject({
    name: 'order',
    steps: 10,
    secrets: ['SHOP'],
  });
});
