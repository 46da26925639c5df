// expect: facts about the page, with a wait, as data.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PAGE = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Form</title>
  <h1>Order</h1><label>Name <input value="Ada"></label>
  <label><input type="checkbox" checked> Agree</label>
  <button id="pay" disabled>Pay</button><button hidden>Secret</button>
  <ul><li><button>Remove</button></li><li><button>Remove</button></li></ul>
  <script>
    if (location.pathname === '/later') fetch('/go').then(() => {
      document.querySelector('h1').textContent = 'Thank you';
      document.querySelector('#pay').disabled = false;
      fetch('/api/orders', { method: 'POST' });
      history.pushState({}, '', '/done');
    });
  </script></html>`;

/** Ends the request that the page waits for; undefined until the request has arrived. */
let release: (() => void) | undefined;

const site = useSite({
  '/': PAGE,
  '/later': PAGE,
  '/go': (_, response) => (release = () => void response.end()),
  '/broken': '<!doctype html><link rel="icon" href="data:,"><script>null.x</script>',
  '/api/orders': (_, response) => response.writeHead(201).end('{}'),
});
const engine = useEngine();

const check = (args: object): Promise<string> => engine.text('expect', args);

it('passes with the names of the checks', async () => {
  await engine.text('navigate', { url: site.origin });
  expect(await check({ url: '/', title: 'Form', text: 'Order', noConsoleErrors: true })).toMatch(
    /^passed: url, title, text, no_console_errors \(after \d+ ms\)$/,
  );
  for (const about of [
    { role: 'button', query: 'Pay', state: 'disabled' },
    { label: 'Name', value: 'Ada' },
    { role: 'checkbox', query: 'Agree', state: 'checked' },
    { role: 'button', query: 'Remove', count: 2 },
    { query: 'Nothing like this', state: 'hidden' },
    { role: 'button', query: 'Secret', state: 'hidden' },
  ])
    expect([about, await check(about)]).toEqual([about, expect.stringMatching(/^passed: element/)]);
});

it('reports the difference of each expectation that fails', async () => {
  const wrong = {
    url: '/done',
    text: 'Thank you',
    textGone: 'Order',
    role: 'button',
    query: 'Pay',
    state: 'enabled',
    request: 'POST /api/orders',
    timeout_ms: 100,
  };
  expect((await check(wrong)).replaceAll(site.origin, 'SITE')).toMatchInlineSnapshot(`
    "failed: url: expected "/done", got "SITE/"
    failed: text: expected "Thank you", got "the text is not visible"
    failed: text_gone: expected "Order", got "the text is visible"
    failed: element: expected "Pay button: enabled", got "button \\"Pay\\" is disabled"
    failed: request: expected "POST /api/orders", got "no such request got a response""
  `);
  expect(await check({ label: 'Name', value: 'Bob', timeout_ms: 50 })).toBe(
    'failed: element: expected "Name: value \\"Bob\\"", got "textbox \\"Name\\" has \\"Ada\\""',
  );
  expect(await check({ role: 'button', query: 'Remove', count: 3, timeout_ms: 50 })).toContain(
    'got "2 elements are visible"',
  );
});

it('waits until the expectations become true', async () => {
  await engine.text('navigate', { url: `${site.origin}/later` });
  const waiting = check({
    url: '/done',
    text: 'Thank you',
    role: 'button',
    query: 'Pay',
    state: 'enabled',
    request: 'POST /api/orders',
    status: 201,
    timeout_ms: 20_000,
  });
  await expect.poll(() => release).toBeDefined();
  release?.();
  expect(await waiting).toMatch(/^passed: url, text, element, request/);
});

it('reports console errors of the page', async () => {
  await engine.text('navigate', { url: `${site.origin}/broken` });
  expect(await check({ noConsoleErrors: true })).toMatch(
    /^failed: no_console_errors: expected "no error", got ".*TypeError/,
  );
});

it('rejects expectations that state nothing', async () => {
  expect(await engine.failure('expect', {})).toMatchObject({ code: 'invalid_argument' });
  expect(await engine.failure('expect', { state: 'visible' })).toMatchObject({
    code: 'invalid_argument',
    argument: 'query',
  });
});

it('compares and shows the spaces of a value', async () => {
  const url = site.page(
    '/spaces',
    '<!doctype html><title>Spaces</title><label>Code <input></label>',
  );
  await engine.text('navigate', { url });
  const fill = { action: 'fill', query: 'Code', value: 'a  b\tc ' };
  expect(await engine.text('interact', fill)).toContain('value "a  b\\tc "');
  expect(await check({ label: 'Code', value: 'a  b\tc ' })).toMatch(/^passed/);
  expect(await check({ label: 'Code', value: 'a b c', timeout_ms: 50 })).toMatch(/^failed/);
});
