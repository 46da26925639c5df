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

const received: string[] = [];
let thanks = 'Thank you';

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
});

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
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, 'test', '--config', join(folder, 'playwright.config.mjs'), ...files],
      { cwd: folder, env: { ...process.env, ...env, PARAMS: JSON.stringify(params), CI: '1' } },
      (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), output: stdout + stderr }),
    );
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
