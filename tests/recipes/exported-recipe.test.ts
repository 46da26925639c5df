// A recipe that was exported as a Playwright test runs in Playwright, and fails if the page differs.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const ICON = '<link rel="icon" href="data:,">';

const DELETE =
  "fetch('/api/orders', {method: 'POST', body: button.closest('tr').firstChild.textContent})";
const received: string[] = [];
let thanks = 'Thank you';
let onDelete = '';

const site = useSite({
  '/': `<!doctype html><html lang="en">${ICON}<title>Order</title><form action="/done">
    <label>Email <input name="email"></label>
    <label>Size <select name="size"><option>small</option><option>large</option></select></label>
    <label><input type="checkbox" name="gift"> Gift</label><button>Pay</button></form></html>`,
  '/done': (request, response) => {
    received.push(request.url ?? '');
    response.setHeader('content-type', 'text/html');
    response.end(`${ICON}<title>Done</title><h1>${thanks}</h1>`);
  },
  '/list': (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`${ICON}<title>List</title><table>${['Ada', 'Bob', 'Cleo']
      .map((who) => `<tr><td>${who}</td><td>Total 5</td><td><button>Delete</button></td></tr>`)
      .join('')}</table><label>Note <input></label><script>
      for (const button of document.querySelectorAll('button'))
        button.onclick = () => ${onDelete};</script>`);
  },
  '/api/orders': (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(`${request.method} ${body}`);
      response.writeHead(201).end();
    });
  },
});
const engine = useEngine();

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-playwright-'));
  await symlink(MODULES, join(folder, 'node_modules'));
  const launchOptions = { executablePath: process.env['CHROME_PATH'], args: ['--no-sandbox'] };
  await writeFile(
    join(folder, 'playwright.config.mjs'),
    `export default {
      ...${JSON.stringify({ testDir: folder, reporter: 'line', workers: 1, use: { launchOptions } })},
      expect: { timeout: Number(process.env.EXPECT_MS ?? 5000) },
    }`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  received.splice(0);
  thanks = 'Thank you';
  onDelete = DELETE;
});

const run = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly output: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: folder, env: { ...process.env, ...env, CI: '1' } },
      (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });

/** Runs an exported recipe in Puppeteer. */
const runInPuppeteer = async (name: string, params: object = {}): ReturnType<typeof run> => {
  const source = await engine.text('oc_recipe', { export: name, format: 'puppeteer' });
  const options = { executablePath: process.env['CHROME_PATH'], args: ['--no-sandbox'] };
  const file = join(folder, `${name}.mjs`);
  await writeFile(
    file,
    source
      .replace("from 'puppeteer'", "from 'puppeteer-core'")
      .replace('puppeteer.launch()', `puppeteer.launch(${JSON.stringify(options)})`)
      .replace('browser.newPage();', 'browser.newPage(); page.setDefaultTimeout(3000);'),
  );
  return run([file], { PARAMS: JSON.stringify(params) });
};

/** Runs the exported recipes in one Playwright. */
const runExported = async (
  names: readonly string[],
  params: object,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly output: string }> => {
  const files = names.map((name) => `${name}.spec.mjs`);
  for (const [index, name] of names.entries()) {
    const source = await engine.text('oc_recipe', { export: name });
    await writeFile(join(folder, files[index] ?? ''), source);
  }
  const cli = join(MODULES, '@playwright', 'test', 'cli.js');
  const config = join(folder, 'playwright.config.mjs');
  return run([cli, 'test', '--config', config, ...files], {
    ...env,
    PARAMS: JSON.stringify(params),
  });
};

it('Recipes of a task and of a request pass in Playwright with their parameters, and fail if the page differs', async () => {
  const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
    objective: 'order',
  });
  const call = (name: string, args: object): Promise<string> =>
    engine.text(name, { ...args, taskId: task_id });
  await call('navigate', { url: `${site.origin}/` });
  await call('interact', { action: 'fill', query: 'Email', value: 'a@x.org' });
  await call('interact', { action: 'select', query: 'Size', value: 'large' });
  await call('interact', { action: 'check', query: 'Gift' });
  await call('interact', { action: 'click', query: 'Pay' });
  const created = await engine.json<{ saved: string }>('oc_recipe', {
    name: 'order',
    from_task: task_id,
    params: { email: 'a@x.org' },
  });
  expect(created).toMatchObject({ steps: 5 });
  const source = await engine.text('oc_recipe', { show: 'order' });
  await engine.json('oc_recipe', { source: `${source}  - expect: { text: Thank you }\n` });
  await engine.json('oc_recipe', {
    source: `name: post\nsite: 127.0.0.1\nparams: { item: { default: book }, count: { type: number, default: 1 } }
steps:
  - request:
      method: POST
      url: ${site.origin}/api/orders
      json: { item: "{{item}}", count: "{{count}}" }
      status: 201`,
  });
  received.splice(0);
  const passed = await runExported(['order', 'post'], {
    email: 'b@x.org',
    item: 'a "pen"',
    count: 2,
  });
  expect(passed).toMatchObject({ status: 0 });
  expect(received).toEqual([
    '/done?email=b%40x.org&size=large&gift=on',
    'POST {"item":"a \\"pen\\"","count":2}',
  ]);
  thanks = 'Out of stock';
  const failed = await runExported(['order'], {}, { EXPECT_MS: '2000' });
  expect(failed.status).toBe(1);
  expect(failed.output).toContain('Thank you');
}, 120_000);

const saveList = (name: string, target: string): Promise<unknown> =>
  engine.json('oc_recipe', {
    source: `name: ${name}
site: 127.0.0.1
params: { who: { default: Ada }, x: { default: "{{x}}" } }
steps:
  - open: ${site.origin}/list
  - action: fill
    target: { role: textbox, name: Note }
    value: "Use {{x}} for {{who}}"
  - action: click
    target: ${target}
    receipt: { sent: true }
  - expect: { role: textbox, query: Note, value: "Use {{x}} for {{who}}" }`,
  });

it('A Playwright test acts in the recorded row, keeps unknown marks and needs the recorded effects', async () => {
  await saveList('row', '{ role: button, name: Delete, row: Bob Total 5 }');
  await saveList('near', '{ role: button, name: Delete, near: "{{who}}" }');
  const passed = await runExported(['row', 'near'], { who: 'Cleo' });
  expect(passed).toMatchObject({ status: 0 });
  expect(received.toSorted()).toEqual(['POST Bob', 'POST Cleo']);
  onDelete = 'undefined';
  const failed = await runExported(['row'], {}, { EXPECT_MS: '2000' });
  expect(failed).toMatchObject({ status: 1 });
  expect(failed.output).toContain('waitForRequest');
}, 120_000);

it('A Puppeteer script sends the request of a recipe, and fails if its status differs', async () => {
  const save = (name: string, status: number): Promise<unknown> =>
    engine.json('oc_recipe', {
      source: `name: ${name}\nsite: 127.0.0.1\nparams: { item: {} }
steps:
  - open: ${site.origin}/
  - action: select
    target: { role: combobox, name: Size }
    value: large
  - action: check
    target: { role: checkbox, name: Gift }
  - request: { method: POST, url: "${site.origin}/api/orders", json: { item: "{{item}}" }, status: ${status} }
  - action: click
    target: { role: button, name: Pay }
    receipt: { url: /done }`,
    });
  await save('puppeteer-post', 201);
  expect(await runInPuppeteer('puppeteer-post', { item: 'pen' })).toMatchObject({ status: 0 });
  expect(received).toEqual(['POST {"item":"pen"}', '/done?email=&size=large&gift=on']);
  expect(await runInPuppeteer('puppeteer-post')).toMatchObject({
    status: 1,
    output: expect.stringContaining('The parameter "item" is missing.') as unknown,
  });
  await save('puppeteer-wrong', 200);
  expect(await runInPuppeteer('puppeteer-wrong', { item: 'pen' })).toMatchObject({
    status: 1,
    output: expect.stringContaining('The response has the status 201.') as unknown,
  });
}, 120_000);

it.each(['playwright', 'puppeteer'])(
  'A step that cannot be exported for %s throws in the exported file',
  async (format) => {
    await engine.json('oc_recipe', {
      source: `name: not-exported\nsite: 127.0.0.1\nsteps:
  - action: click
    target: { role: button, name: Pay }
    receipt: { dialog: confirm }
  - action: click
    target: { role: button, name: Pay }
    receipt: { problem: true }
  - expect: { text: Done, request: POST /api }
  - wait: { selector: main, function: "1" }
  - action: fill
    target: { role: textbox, name: Code }
    value: "\${TOTP:CODE}"`,
    });
    const source = await engine.text('oc_recipe', { export: 'not-exported', format });
    const thrown = source.split('\n').filter((line) => line.startsWith('  throw new Error("Step '));
    expect(thrown).toHaveLength(5);
    expect(source).not.toContain('// not exported');
  },
);
