// The built server with a real Chrome, over every way to it: the same dozen cases give the same
// answers.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveHome } from '../../src/core/home.ts';
import {
  overCli,
  type TestClient,
  type ToolResult,
  waysInto,
  waysTo,
} from '../frontends/clients.ts';

const DIST =
  process.env['OPENCHROME_BINARY'] ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const FLAGS = ['--headless', '--isolated', '--log-level', 'error'];

let site: Server;
let origin = '';
let home = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  process.env['OPENCHROME_HOME'] = home;
  site = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Shop</title><h1>Shop</h1>'),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});

afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

const textOf = ({ content }: ToolResult): string =>
  content.find(({ type }) => type === 'text')?.text ?? '';
const errorOf = (result: ToolResult): Record<string, unknown> => {
  expect(result.isError).toBe(true);
  return (JSON.parse(textOf(result)) as { error: Record<string, unknown> }).error;
};

describe.each([
  overCli(async () => DIST),
  ...waysTo(async () => DIST as never),
  ...waysInto((config) => createEngine({ config, home: resolveHome() })),
])('$title', ({ connect }) => {
  let client: TestClient;
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    client = await connect(FLAGS, (end) => void ends.push(end));
  });
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });

  test('lists the default tools, the first of them navigate', async () => {
    expect((await client.listTools())[0]).toMatchObject({
      name: 'navigate',
      inputSchema: { type: 'object' },
    });
  });

  test('opens a page and reports the result', async () => {
    expect(JSON.parse(textOf(await client.call('navigate', { url: origin })))).toMatchObject({
      url: `${origin}/`,
      title: 'Shop',
      status: 200,
    });
  });

  test('runs code in the page', async () => {
    const text = textOf(
      await client.call('javascript_tool', { code: 'document.querySelector("h1").textContent' }),
    );
    // The command line prints the JSON form of the result.
    expect(['Shop', '{"type":"string","value":"Shop"}']).toContain(text);
  });

  test('returns a picture as an image', async () => {
    const { content } = await client.call('page_screenshot', { format: 'jpeg' });
    expect(content).toEqual([
      { type: 'image', mimeType: 'image/jpeg', data: expect.stringMatching(/^\/9j\//) },
    ]);
  });

  test('lists the tab', async () => {
    expect(JSON.parse(textOf(await client.call('tabs_context')))).toMatchObject({
      tabs: [{ url: `${origin}/`, title: 'Shop', active: true }],
    });
  });

  test.each([
    ['navigate', {}, 'invalid_argument', {}],
    ['navigate', { url: 5 }, 'invalid_argument', { argument: 'url' }],
    ['navigate', { url: 'javascript:alert(1)' }, 'url_not_allowed', {}],
    ['navigate', { ulr: 'http://127.0.0.1' }, 'invalid_argument', { closest: 'url' }],
    ['navigate', { url: 'http://127.0.0.1:9' }, 'navigation_failed', {}],
    ['navigatte', {}, 'unknown_tool', { closest: 'navigate' }],
  ])('%s %j is a structured failure: %s', async (name, args, code, data) => {
    expect(errorOf(await client.call(name, args))).toMatchObject({
      code,
      retryable: expect.any(Boolean),
      message: expect.any(String),
      ...data,
    });
  });

  test('an unknown tab is a failure that lists the tabs', async () => {
    const { tabs, ...error } = errorOf(
      await client.call('javascript_tool', { code: '1', tabId: 'nope' }),
    );
    expect(error).toMatchObject({ code: 'tab_not_found' });
    expect(tabs).toContainEqual(expect.objectContaining({ tabId: expect.any(String) }));
  });

  test('reports an open dialog in a separate note', async () => {
    // the previous page is Chrome's error page, which reloads itself
    await client.call('navigate', { url: origin });
    const blocked = await client.call('javascript_tool', { code: 'alert("stop")' });
    expect(errorOf(blocked)).toMatchObject({ code: 'dialog_open' });
    expect(blocked.content.at(-1)?.text).toContain('alert dialog open: "stop"');
    expect(JSON.parse(textOf(await client.call('handle_dialog')))).toMatchObject({
      answered: 'accepted',
    });
  });

  test('journals all calls, including rejected ones', async () => {
    const entries = JSON.parse(textOf(await client.call('oc_journal', { count: 30 }))) as {
      tool: string;
      code?: string;
      ok: boolean;
    }[];
    expect(entries).toContainEqual(expect.objectContaining({ tool: 'navigate', ok: true }));
    expect(entries).toContainEqual(
      expect.objectContaining({ tool: 'navigatte', ok: false, code: 'unknown_tool' }),
    );
  });
});
