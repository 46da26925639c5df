// Tests of fetcher.ts: private hosts are refused, also after redirects, unless they are allowed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DomainPolicy, parseDomains } from '../../policy/domains.ts';
import { Fetcher } from './fetcher.ts';
import { RefusedUrl } from './scope.ts';

const server = createServer((request, response) => {
  if (request.url === '/away') response.writeHead(302, { location: 'http://10.0.0.1/' }).end();
  else response.end('inside');
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const options = {
  accept: '*/*',
  maxBytes: 1000,
  timeoutMs: 5000,
  signal: new AbortController().signal,
};
const open = new Fetcher({ allowPrivate: true });
const guarded = new Fetcher({ allowPrivate: false });

it('reads from private hosts if that is allowed', async () => {
  expect(
    new TextDecoder().decode((await open.fetch(`http://127.0.0.1:${port}/`, options)).body),
  ).toBe('inside');
});

it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'does not reach %s otherwise',
  async (host) => {
    await expect(guarded.fetch(`http://${host}:${port}/`, options)).rejects.toBeInstanceOf(
      RefusedUrl,
    );
  },
);

it('checks a redirect before it follows it', async () => {
  const mayGoTo = (url: string): void => {
    throw new RefusedUrl('private', url);
  };
  await expect(
    open.fetch(`http://127.0.0.1:${port}/away`, { ...options, mayGoTo }),
  ).rejects.toMatchObject({ url: 'http://10.0.0.1/' });
});

it('checks the resolved address together with the port', async () => {
  const block = (rule: string): Fetcher =>
    new Fetcher({
      allowPrivate: true,
      policy: new DomainPolicy({ block: parseDomains([rule], 'blockDomains') }),
    });
  // `localhost` resolves to either address; the server listens on the first.
  const url = `http://localhost:${port}/`;
  await expect(block(`127.0.0.1:${port},[::1]:${port}`).fetch(url, options)).rejects.toBeInstanceOf(
    RefusedUrl,
  );
  await expect(
    block('127.0.0.1:1').fetch(`http://localhost:${port}/`, options),
  ).resolves.toMatchObject({ status: 200 });
});
