// DNS rebinding: a name that is public at first and then leads to this machine or a private network.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';

const PUBLIC = '203.0.113.1';
let address = PUBLIC;
let port = 0;
const paths: string[] = [];
const server = createServer((request, response) => {
  paths.push(request.url ?? '');
  response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
  response.end('<title>Page</title>');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());
beforeEach(() => {
  address = PUBLIC;
  paths.length = 0;
});

const engine = useEngine([], {
  lookUp: (name) =>
    name === 'rebind.test'
      ? Promise.resolve([{ address, family: address.includes(':') ? 6 : 4 }])
      : Promise.reject(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' })),
  route: (one) => (one === PUBLIC ? '127.0.0.1' : one),
});

it.each([
  '127.0.0.1',
  '127.8.9.10',
  '0.0.0.0',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '10.0.0.7',
  '192.168.1.1',
  '169.254.169.254',
  'fd00::1',
  'fe80::1',
])('a page whose name then leads to %s reaches nothing there', async (target) => {
  const origin = `http://rebind.test:${port}`;
  await engine.text('navigate', { url: `${origin}/public` });
  expect(paths).toContain('/public');
  address = target;
  const code = `return await fetch('/private').then(() => 'reached', () => 'refused')`;
  expect(await engine.text('javascript_tool', { code })).toContain('refused');
  expect(await engine.failure('navigate', { url: `${origin}/private` })).toMatchObject({
    code: 'domain_not_allowed',
  });
  expect(paths).not.toContain('/private');
});
