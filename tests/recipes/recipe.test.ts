// Recipes: created, replayed with parameters, healed, stopped and exported.
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const done: string[] = [];

const form = (button: string): string => `<!doctype html><html lang="en">
  <link rel="icon" href="data:,"><title>Order</title>
  <form action="/done"><label>Email <input name="email"></label>${button}
  <button type="button" onclick="fetch('/did?cancel')">Cancel</button></form></html>`;

const site = useSite({
  '/': form('<button data-testid="pay">Pay</button>'),
  '/renamed': form('<button data-testid="pay">Pay now</button>'),
  '/gone': form(''),
  '/twice': form('<button>Pay</button><button>Pay</button>'),
  '/done': (request, response) => {
    done.push(request.url ?? '');
    response.setHeader('content-type', 'text/html');
    response.end('<link rel="icon" href="data:,"><title>Done</title><h1>Thank you</h1>');
  },
  '/did': (request, response) => {
    done.push(request.url ?? '');
    response.end();
  },
  '/api/orders': (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      done.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end('{"id":7}');
    });
  },
  '/changed': form('<a href="/other"><button type="button">Pay</button></a>'),
  '/other': '<link rel="icon" href="data:,"><title>Other</title>',
  '/icons': `<!doctype html><link rel="icon" href="data:,"><title>Icons</title>
    <button class="go" onclick="fetch('/did?go')"></button>
    <button class="two" onclick="fetch('/did?two')"></button><button class="two"></button>
    <a class="link" href="#" onclick="fetch('/did?link')"></a>`,
  '/api/items': (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"items":[1,2]}');
  },
});
const engine = useEngine();

beforeEach(() => void done.splice(0));

const save = (name: string, path: string): Promise<unknown> =>
  engine.json('oc_recipe', {
    source: `name: ${name}
site: 127.0.0.1
params:
  email: { default: ada@example.com }
steps:
  - open: ${site.origin}${path}
  - action: fill
    target: { role: textbox, name: Email }
    value: "{{email}}"
  - action: click
    target: { role: button, name: Pay, testId: pay }
    expect: { url: /done, text: Thank you }
`,
  });

describe('a recipe', () => {
  it('that was written by hand runs with parameters', async () => {
    await save('order', '/');
    expect(await engine.json('oc_recipe', { run: 'order', params: { email: 'b@x.org' } })).toEqual({
      recipe: 'order',
      steps: 3,
      healed: [],
    });
    expect(done).toEqual(['/done?email=b%40x.org']);
  });

  it('of more than 4 KB is parsed in another thread, with the line of an error', async () => {
    const steps = Array.from({ length: 200 }, (_, index) => `  - open: ${site.origin}/?${index}`);
    const source = `name: long\nsite: 127.0.0.1\nsteps:\n${steps.join('\n')}\n`;
    expect(source.length).toBeGreaterThan(4096);
    expect(await engine.json('oc_recipe', { source })).toMatchObject({ name: 'long', steps: 200 });
    expect(await engine.text('oc_recipe', { show: 'long' })).toContain('name: long');
    const failure = await engine.failure('oc_recipe', { source: `${source}  - [` });
    expect(failure.code).toBe('recipe_invalid');
    expect(failure.message).toMatch(/^Line 20\d: /);
  });

  it('with many errors does not block the server', async () => {
    const answer = engine.failure('oc_recipe', { source: '[]'.repeat(16_000) });
    expect(await engine.json('oc_connection_health')).toHaveProperty('server');
    expect(await answer).toMatchObject({ code: 'recipe_invalid' });
  });

  it('is listed and shown', async () => {
    expect(await engine.json('oc_recipe')).toMatchObject({
      recipes: expect.arrayContaining([
        expect.objectContaining({ name: 'order', site: '127.0.0.1', params: ['email'], steps: 3 }),
      ]) as unknown,
    });
    const text = await engine.text('oc_recipe', { show: 'order' });
    expect(text).toContain('name: order');
    const { path } = (await engine.reply('oc_recipe', { show: 'order' })).data as { path: string };
    expect(path.startsWith(engine.home)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('finds a renamed element by its test id, and reports it', async () => {
    await save('renamed', '/renamed');
    const reply = await engine.reply('oc_recipe', { run: 'renamed' });
    expect(reply.notes.join()).toBe(
      '[healed: button "Pay" was found by its testId: it is now "Pay now"]',
    );
    expect(done).toEqual(['/done?email=ada%40example.com']);
  });

  // The runs wait for their targets, so they run at once, each in its session.
  it('stops if its target is gone or twice, with the step, the reason and the page', async () => {
    const stops = { gone: 'element_not_found', twice: 'ambiguous_target' };
    const runs = Object.entries(stops).map(async ([name, reason]) => {
      await save(name, `/${name}`);
      expect(await engine.failure('oc_recipe', { run: name }, name)).toMatchObject({
        code: 'recipe_stopped',
        step: 3,
        reason,
        page: { url: `${site.origin}/${name}`, title: 'Order' },
        done: [`open ${site.origin}/${name}`, 'fill textbox "Email"'],
      });
    });
    await Promise.all(runs);
    expect(done).toEqual([]);
  });

  it('stops if an expectation fails', async () => {
    await engine.json('oc_recipe', {
      source: `name: wrong\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/
    expect: { text: Welcome, timeout_ms: 100 }`,
    });
    const failure = await engine.failure('oc_recipe', { run: 'wrong' });
    expect(failure).toMatchObject({ step: 1, reason: 'expectation_failed' });
    expect(failure.message).toContain('): the expectation failed: text: expected "Welcome"');
  });

  it('rejects a call that both runs and shows a recipe', async () => {
    expect(await engine.failure('oc_recipe', { run: 'order', show: 'order' })).toMatchObject({
      code: 'invalid_argument',
      message: 'Only one of run, show can be given.',
    });
  });

  it('rejects unknown recipes, parameters and files', async () => {
    expect(await engine.failure('oc_recipe', { run: 'none' })).toMatchObject({
      code: 'recipe_not_found',
      available: expect.arrayContaining(['order']) as unknown,
    });
    expect(await engine.failure('oc_recipe', { run: 'order', params: { x: 1 } })).toMatchObject({
      code: 'invalid_argument',
      known: ['email'],
    });
    for (const source of [
      'name: [',
      'name: x',
      'name: ../x\nsite: a\nsteps: [{ open: x }]',
      'name: x\nsite: ..\nsteps: [{ open: x }]',
      'name: x\nsite: a\nsteps: [{ run: x }]',
    ])
      expect([source, await engine.failure('oc_recipe', { source })]).toEqual([
        source,
        expect.objectContaining({ code: 'recipe_invalid' }),
      ]);
  });

  it('is created from the calls of a task, with parameters', async () => {
    const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
      objective: 'order',
    });
    const call = (name: string, args: object): Promise<string> =>
      engine.text(name, { ...args, taskId: task_id });
    await call('navigate', { url: `${site.origin}/` });
    await call('interact', { action: 'fill', query: 'Email', value: 'c@x.org' });
    await call('read_page', {});
    await call('interact', { action: 'click', query: 'Pay' });
    expect(
      await engine.json('oc_recipe', {
        name: 'from-task',
        from_task: task_id,
        params: { email: 'c@x.org' },
      }),
    ).toMatchObject({ name: 'from-task', steps: 3 });
    await engine.json('oc_recipe', { run: 'from-task', params: { email: 'd@x.org' } });
    expect(done).toEqual(['/done?email=c%40x.org', '/done?email=d%40x.org']);
  });

  it('is created from a recording', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    const { task_id, folder } = await engine.json<{ task_id: string; folder: string }>(
      'recording',
      { action: 'start', exports: ['json'] },
    );
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('interact', { action: 'fill', query: 'Email', value: 'e@x.org' });
    await engine.text('interact', { action: 'click', query: 'Pay' });
    const stopped = await engine.json<{ folder?: string }>('recording', {
      action: 'stop',
      id: task_id,
    });
    await engine.json('oc_recipe', {
      name: 'recorded',
      from_recording: stopped.folder ?? folder,
      params: { email: 'e@x.org' },
    });
    await engine.json('oc_recipe', { run: 'recorded', params: { email: 'f@x.org' } });
    expect(done).toEqual(['/done?email=e%40x.org', '/done?email=f%40x.org']);
  });

  it('is created from a captured request, and returns its response', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('javascript_tool', { code: 'await fetch("/api/items"); return 1' });
    const { entries } = await engine.json<{ entries: { key: string }[] }>('network', {
      url: '/api/items',
    });
    await engine.json('oc_recipe', { name: 'items', from_request: entries[0]?.key });
    expect(await engine.json('oc_recipe', { run: 'items' })).toMatchObject({
      result: { status: 200, body: { items: [1, 2] } },
    });
  });

  const capture = async (code: string): Promise<string> => {
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('javascript_tool', { code });
    const { entries } = await engine.json<{ entries: { key: string }[] }>('network', {
      url: '/api/orders',
    });
    return entries.at(-1)?.key ?? '';
  };

  it('repeats a captured request with a JSON body, with parameters of its types', async () => {
    const key = await capture(`await fetch('/api/orders?shop=a%26b', {method: 'POST', headers:
      {'content-type': 'application/json'}, body: JSON.stringify({item: 'book', count: 2})}); return 1`);
    await engine.json('oc_recipe', {
      name: 'order-json',
      from_request: key,
      params: { item: 'book', count: '2', shop: 'a&b' },
    });
    const source = await engine.text('oc_recipe', { show: 'order-json' });
    expect(source).toContain('count:\n    type: number');
    expect(source).toContain('query:\n        shop: "{{shop}}"');
    done.splice(0);
    const run = await engine.json('oc_recipe', {
      run: 'order-json',
      params: { item: 'a "b", "admin": true', count: 3, shop: 'x&y=1' },
    });
    expect(run).toMatchObject({ result: { status: 201, body: { id: 7 } } });
    expect(done).toEqual([
      'POST /api/orders?shop=x%26y%3D1 application/json ' +
        '{"item":"a \\"b\\", \\"admin\\": true","count":3}',
    ]);
    expect(
      await engine.failure('oc_recipe', { run: 'order-json', params: { count: 'many' } }),
    ).toMatchObject({ code: 'invalid_argument' });
  });

  it('gives the parameters of a request the types of its values', async () => {
    const key = await capture(`await fetch('/api/orders?page=2&gift=true&zip=01234', {
      method: 'POST', headers: {'content-type': 'application/json'},
      body: JSON.stringify({size: 4, paid: false, code: '77'})}); return 1`);
    const params = { page: 2, gift: 'true', zip: '01234', size: '4', paid: false, code: 77 };
    await engine.json('oc_recipe', { name: 'order-types', from_request: key, params });
    const source = await engine.text('oc_recipe', { show: 'order-types' });
    expect(source.replace(/steps:.*$/s, '').replace(/^.*params:\n/s, '')).toMatchInlineSnapshot(`
      "  page:
          type: number
          default: 2
        gift:
          type: boolean
          default: true
        zip:
          type: string
          default: "01234"
        size:
          type: number
          default: 4
        paid:
          type: boolean
          default: false
        code:
          type: string
          default: "77"
      "
    `);
  });

  it('repeats a captured request with a form body', async () => {
    const key = await capture(
      "await fetch('/api/orders', {method: 'POST', body: new URLSearchParams({item: 'pen'})}); return 1",
    );
    await engine.json('oc_recipe', {
      name: 'order-form',
      from_request: key,
      params: { item: 'pen' },
    });
    done.splice(0);
    await engine.json('oc_recipe', { run: 'order-form', params: { item: 'a&b=c' } });
    expect(done[0]).toMatch(/^POST \/api\/orders application\/x-www-form-urlencoded/);
    expect(done[0]).toMatch(/ item=a%26b%3Dc$/);
  });

  it('is not created with a parameter that no step contains', async () => {
    const key = await capture("await fetch('/api/orders', {method: 'POST', body: 'x'}); return 1");
    const failure = await engine.failure('oc_recipe', {
      name: 'unused',
      from_request: key,
      params: { item: 'book' },
    });
    expect(failure.message).toBe('No step contains the value of the parameter "item".');
  });

  it('stops if an action has another effect than in the recording', async () => {
    await engine.json('oc_recipe', {
      source: `name: effect\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/changed
  - action: click
    target: { role: button, name: Pay }
    receipt: { url: /done }`,
    });
    const failure = await engine.failure('oc_recipe', { run: 'effect' });
    expect(failure).toMatchObject({ step: 2, reason: 'effects_differ' });
    expect(failure.message).toContain(
      'the address after the action differs from the recording: recorded "/done", now "/other"',
    );
  });

  it('checks the element of a selector', async () => {
    const reasons = {
      go: undefined,
      two: 'ambiguous_target',
      link: 'element_not_found',
      none: 'element_not_found',
    };
    const runs = Object.keys(reasons).map(async (name) => {
      await engine.json('oc_recipe', {
        source: `name: ${name}\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/icons
  - action: click
    target: { role: button, selector: ".${name}" }`,
      });
      const { failure } = await engine.reply('oc_recipe', { run: name }, name);
      return [name, failure?.details['reason']];
    });
    expect(Object.fromEntries(await Promise.all(runs))).toEqual(reasons);
    expect(done).toEqual(['/did?go']);
  });

  it('is exported as a Playwright test with expectations', async () => {
    const text = await engine.text('oc_recipe', { export: 'order' });
    expect(text.replaceAll(site.origin, 'SITE')).toMatchInlineSnapshot(`
      "import { expect, test } from '@playwright/test';

      const defaults = {"email":"ada@example.com"};
      const params = { ...defaults, ...JSON.parse(process.env.PARAMS ?? '{}') };

      test("order", async ({ page }) => {
        await page.goto("SITE/");
        await page.getByRole("textbox", { name: "Email", exact: true }).fill(String(params["email"]));
        await page.getByRole("button", { name: "Pay", exact: true }).click();
        await expect(page).toHaveURL(({ href }) =>
          ["/done"].every((part) => href.includes(part)));
        await expect(page.getByText("Thank you").first()).toBeVisible();
      });
      "
    `);
    expect(await engine.text('oc_recipe', { export: 'order', format: 'puppeteer' })).toContain(
      `'::-p-aria([name="' + "Pay" + '"][role="button"])'`,
    );
  });
});
