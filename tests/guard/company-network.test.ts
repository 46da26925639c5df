// A site with a certificate of a company, which is reached only through a proxy with a password: it
// loads with the right settings, and each wrong setting has its own failure.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';

const findFixture = (name: string): string =>
  new URL(`../fixtures/certificates/${name}`, import.meta.url).pathname;

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  server.unref();
  return (server.address() as AddressInfo).port;
};

const pem = readFileSync(findFixture('issued.pem'));
const sitePort = await listen(
  createHttpsServer({ key: pem, cert: pem }, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Intranet</title><h1>Intranet</h1>');
  }),
);

const PASSWORD = 'pr0xy-password-41';
const requested: string[] = [];
const proxy = createServer();
proxy.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
  const expected = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
  if (request.headers['proxy-authorization'] !== expected) {
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    return;
  }
  requested.push(request.url ?? '');
  const target = connect({ host: '127.0.0.1', port: sitePort });
  for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  target.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    target.write(head);
    client.pipe(target).pipe(client);
  });
});
const proxyPort = await listen(proxy);

/** inside.test has a public address, which only the proxy reaches. */
const names = {
  lookUp: (name: string) =>
    name === 'inside.test'
      ? Promise.resolve([{ address: '203.0.113.5', family: 4 }])
      : Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
};
const buildProxy = (password: string, port = proxyPort): string[] => [
  '--proxy',
  `http://ada:${password}@127.0.0.1:${port}`,
];
const TRUSTED = ['--ca-cert', findFixture('ca.pem')];
const url = `https://inside.test:${sitePort}/`;

describe('with the right settings', () => {
  const browser = useEngine([...buildProxy(PASSWORD), ...TRUSTED], names);

  it('the site loads through the proxy', async () => {
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    expect(await browser.text('read_page')).toContain('Intranet');
    expect(requested).toContain(`203.0.113.5:${sitePort}`);
  });

  it('a host that no one knows is dns_failed', async () => {
    expect(await browser.failure('navigate', { url: 'https://unknown.test/' })).toMatchObject({
      code: 'dns_failed',
      retryable: false,
    });
  });
});

describe.each([
  ['a wrong password', [...buildProxy('wrong'), ...TRUSTED], 'proxy_auth_required', false],
  ['a proxy that does not run', [...buildProxy(PASSWORD, 9), ...TRUSTED], 'proxy_failed', true],
  ['no issuer of the company', buildProxy(PASSWORD), 'certificate_invalid', false],
])('with %s', (_, flags, code, retryable) => {
  const browser = useEngine(flags, names);

  it(`the failure is ${code}, without the password`, async () => {
    const failure = await browser.failure('navigate', { url });
    expect(failure).toMatchObject({ code, retryable });
    expect(failure.hint).toEqual(expect.any(String));
    expect(JSON.stringify(failure)).not.toContain(PASSWORD);
  });
});
