// Submits: the user decides about a form before its request is sent, however the page sends it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import { usePolicy } from './consent-site.ts';

const received: string[] = [];
const receive = (request: IncomingMessage, response: ServerResponse): void => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push(`${request.method} ${request.url} ${body}`);
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Ordered</title><h1>Ordered</h1>');
  });
};

const form = (attributes = '', more = ''): string =>
  `<title>Shop</title><form method="post" action="/order" ${attributes}>` +
  `<input name="item" value="book"><button>Buy</button></form>${more}`;

const site = useSite({
  '/': form(),
  '/get':
    '<title>Search</title><form action="/found"><input name="q" value="x"><button>Go</button></form>',
  '/found': '<title>Found</title>',
  '/popup': form('target="_blank"'),
  '/frame': form('target="inner"', '<iframe name="inner"></iframe>'),
  '/script': `${form('id="f"')}<button onclick="document.forms[0].submit()">Send</button>`,
  '/order': receive,
  '/again': receive,
  '/moved': form('', '').replace('/order', '/redirect'),
});
const other = useSite({ '/order': receive });
const engine = usePolicy([{ decision: 'ask', effect: 'submit', domains: ['$HOST'] }], site);
const { user } = engine;

beforeEach(() => void received.splice(0));

const open = (path: string): Promise<string> =>
  engine.text('navigate', { url: `${site.origin}${path}` });
const click = (query: string, more: object = {}) =>
  engine.reply('interact', { action: 'click', query, ...more });

describe('a form with the method POST', () => {
  it('is sent after the user approved it, and the reply reports the new page', async () => {
    await open('/');
    const reply = click('Buy');
    const item = await user.question();
    expect(item).toMatchObject({
      kind: 'approval',
      effect: 'submit',
      tool: 'interact',
      host: `127.0.0.1:${site.port}`,
      session: 'default',
    });
    expect(received).toEqual([]);
    await user.approve();
    expect((await reply).text).toContain('/order');
    expect(received).toEqual(['POST /order item=book']);
  });

  it('is not sent if the user denies it, and the page stays', async () => {
    await open('/');
    const reply = click('Buy');
    await user.deny();
    expect((await reply).failure?.toJSON().error).toMatchObject({
      code: 'consent_denied',
      reason: 'denied',
      effect: 'submit',
    });
    expect(received).toEqual([]);
    expect(await engine.text('read_page')).toContain('Buy');
  });

  it('does not make its page count as hung while it waits for the user', async () => {
    await open('/');
    const reply = click('Buy');
    await user.question();
    const observer = await engine.engine.observe?.();
    await observer?.checkPages();
    expect(observer?.listTabs().map(({ hungSince }) => hungSince)).toEqual([undefined]);
    await user.deny();
    await reply;
  });

  it('is not sent if no answer arrives in time', async () => {
    await open('/');
    const reply = await click('Buy', { timeout_ms: 2_000 });
    expect(reply.failure?.toJSON().error).toMatchObject({
      code: 'consent_denied',
      reason: 'timeout',
    });
    expect(received).toEqual([]);
    expect(await user.open()).toEqual([]);
  });
});

it('a form with the method GET needs no approval', async () => {
  await open('/get');
  expect((await click('Go')).text).toContain('/found');
  expect(await user.open()).toEqual([]);
});

it.each([
  ['into a new tab', '/popup', 'Buy'],
  ['into a frame', '/frame', 'Buy'],
  ['by a script', '/script', 'Send'],
])('a form that is sent %s waits for the user', async (_, path, button) => {
  await open(path);
  const reply = click(button);
  expect(await user.deny()).toMatchObject({ effect: 'submit' });
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
});

it('a form of a listed page that is sent to another host waits for the user', async () => {
  site.page('/cross', form().replace('/order', `${other.origin}/order`));
  await open('/cross');
  const reply = click('Buy');
  await user.deny();
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
});

it('a redirect that keeps the body waits for the user again if it leads to a listed host', async () => {
  other.page('/start', form().replace('/order', '/redirect'));
  other.page('/redirect', (_, response) => {
    response.writeHead(307, { location: `${site.origin}/again` });
    response.end();
  });
  await engine.text('navigate', { url: `${other.origin}/start` });
  const reply = click('Buy');
  expect(await user.deny()).toMatchObject({ host: `127.0.0.1:${site.port}` });
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
});

it('a form that a page sends by itself after the call waits for the user', async () => {
  site.page(
    '/later',
    form('', '<script>addEventListener("message", () => document.forms[0].submit())</script>'),
  );
  await open('/later');
  await engine.text('javascript_tool', { code: 'setTimeout(() => postMessage(1), 500); 1' });
  expect(await user.deny()).toMatchObject({ effect: 'submit', tool: '' });
  expect(received).toEqual([]);
});

it('removing the frame of a form does not send it', async () => {
  let removed = false;
  site.page('/gone', (_, response) => {
    removed = true;
    response.end();
  });
  const remove = 'frames[0].frameElement.remove(); fetch("/gone")';
  site.page(
    '/removed',
    form(
      'target="inner"',
      '<iframe name="inner"></iframe><script>' +
        `document.forms[0].onsubmit = () => setTimeout(() => { ${remove} }, 300)</script>`,
    ),
  );
  await open('/removed');
  const reply = click('Buy');
  await user.question();
  await expect.poll(() => removed).toBe(true);
  await user.deny();
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
});

it('a service worker does not hide a form', async () => {
  site.page('/sw.js', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(
      'oninstall=()=>skipWaiting();onactivate=(e)=>e.waitUntil(clients.claim());' +
        'onfetch=(e)=>e.respondWith(fetch(e.request))',
    );
  });
  site.page('/worker', form('', '<script>navigator.serviceWorker.register("/sw.js")</script>'));
  await open('/worker');
  await engine.text('javascript_tool', {
    code: 'await navigator.serviceWorker.ready; navigator.serviceWorker.controller !== null',
  });
  await open('/worker');
  const reply = click('Buy');
  await user.deny();
  expect((await reply).failure?.code).toBe('consent_denied');
  expect(received).toEqual([]);
});

describe('a request of a recipe with the method POST', () => {
  const save = (): Promise<unknown> =>
    engine.json('oc_recipe', {
      source: `name: order\nsite: 127.0.0.1\nsteps:
  - open: ${site.origin}/found
  - request: { method: POST, url: "${site.origin}/order", form: { item: book } }`,
    });

  it('is sent after the user approved it', async () => {
    await save();
    const run = engine.reply('oc_recipe', { run: 'order' });
    expect(await user.question()).toMatchObject({ effect: 'submit' });
    expect(received).toEqual([]);
    await user.approve();
    expect((await run).failure).toBeUndefined();
    expect(received).toEqual(['POST /order item=book']);
  });

  it('is not sent if the user denies it, and the recipe stops', async () => {
    await save();
    const run = engine.reply('oc_recipe', { run: 'order' });
    await user.deny();
    expect((await run).failure).toMatchObject({ code: 'recipe_stopped' });
    expect(received).toEqual([]);
  });
});
