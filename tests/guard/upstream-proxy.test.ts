// --proxy: Chrome and fetches connect through the user's proxy, and the guard's rules still apply.
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';
import { lookUp } from './sites.ts';

const USER = 'proxy-user';
const PASSWORD = 'pr0xy/p@ss:word';

/** Public test addresses lead to this machine, but only through these proxies. */
const toLoopback = (host: string): string => host.replace(/^203\.0\.113\.|^.*\.test$/, '127.0.0.');
const dial = (host: string, port: number): Socket =>
  connect({ host: toLoopback(host).replace(/\.$/, '.1'), port });

interface TestProxy {
  readonly port: number;
  /** host:port of each connection that was requested with the right password. */
  readonly requested: string[];
}

const listen = (server: {
  listen: (port: number, host: string, done: () => void) => unknown;
  address: () => unknown;
}): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

const startHttpProxy = async (): Promise<TestProxy> => {
  const requested: string[] = [];
  const server = createServer();
  server.unref();
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const expected = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    if (request.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    requested.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    if (hostname === '203.0.113.9') {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = dial(hostname, Number(port || 80));
    target.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      client.pipe(target).pipe(client);
    });
    for (const socket of [client, target]) socket.on('error', () => socket.destroy());
  });
  return { port: await listen(server), requested };
};

const startSocksProxy = async (): Promise<TestProxy> => {
  const requested: string[] = [];
  const server = createTcpServer((client) => {
    client.on('error', () => client.destroy());
    const serve = async (): Promise<void> => {
      const take = async (count: number): Promise<Buffer> => {
        for (;;) {
          const bytes = client.read(count) as Buffer | null;
          if (bytes) return bytes;
          await new Promise((resolve) => client.once('readable', resolve));
        }
      };
      const [, count = 0] = await take(2);
      const methods = await take(count);
      client.write(Buffer.from([5, methods.includes(2) ? 2 : 255]));
      if (!methods.includes(2)) return void client.end();
      const [, userLength = 0] = await take(2);
      const user = (await take(userLength)).toString();
      const [passwordLength = 0] = await take(1);
      const password = (await take(passwordLength)).toString();
      const isRight = user === USER && password === PASSWORD;
      client.write(Buffer.from([1, isRight ? 0 : 1]));
      if (!isRight) return void client.end();
      const [, , , kind] = await take(4);
      const [length = 4] = kind === 3 ? await take(1) : [4];
      const address = await take(length);
      const host = kind === 3 ? address.toString() : [...address].join('.');
      const port = (await take(2)).readUInt16BE();
      requested.push(`${host}:${port}`);
      const target = dial(host, port);
      target.on('error', () => client.destroy());
      target.once('connect', () => {
        client.removeAllListeners('readable');
        client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        client.pipe(target).pipe(client);
      });
    };
    void serve();
  });
  server.unref();
  return { port: await listen(server), requested };
};

const folder = mkdtempSync(join(tmpdir(), 'openchrome-proxy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const pac = join(folder, 'proxy.pac');
const http = await startHttpProxy();
const socks = await startSocksProxy();
const credentials = `${USER}:${encodeURIComponent(PASSWORD)}`;
const httpUrl = `http://${credentials}@127.0.0.1:${http.port}`;
const socksUrl = `socks5://${credentials}@127.0.0.1:${socks.port}`;

let sitePort = 0;
const site = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<title>Inside</title><h1>Inside</h1>');
});
beforeAll(async () => {
  sitePort = await listen(site);
});
afterAll(() => void site.close());

describe.each([
  ['an HTTP proxy with a password', httpUrl, http],
  ['a SOCKS proxy with a password', socksUrl, socks],
])('through %s', (_, url, proxy) => {
  const engine = useEngine(['--proxy', url], { lookUp });

  it('Chrome reaches a public host by the address that was checked', async () => {
    const address = `http://home.test:${sitePort}/`;
    expect(await engine.json('navigate', { url: address })).toMatchObject({ title: 'Inside' });
    expect(proxy.requested).toContain(`203.0.113.1:${sitePort}`);
    await engine.text('navigate', { session: 'own', url: address });
  });

  it('a fetch of a crawl uses the same route', async () => {
    const before = proxy.requested.length;
    const text = await engine.text('crawl', {
      url: `http://203.0.113.1:${sitePort}/`,
      render: 'fetch',
      maxPages: 1,
    });
    expect(text).toContain('Inside');
    expect(proxy.requested.length).toBeGreaterThan(before);
  });

  it('names that lead to this machine or a private network are still refused', async () => {
    const before = proxy.requested.length;
    for (const name of ['rebinding.test', 'mapped.test', 'inside.test', 'metadata.test'])
      expect(
        await engine.failure('navigate', { url: `http://${name}:${sitePort}/` }),
      ).toMatchObject({ code: 'domain_not_allowed' });
    expect(proxy.requested).toHaveLength(before);
  });

  it('servers on this machine are reached without the proxy', async () => {
    const before = proxy.requested.length;
    await engine.text('navigate', { url: `http://127.0.0.1:${sitePort}/` });
    expect(proxy.requested).toHaveLength(before);
  });
});

describe('the answers of a proxy', () => {
  const wrong = useEngine(['--proxy', `http://${USER}:wrong-pass@127.0.0.1:${http.port}`], {
    lookUp,
  });
  const dead = useEngine(['--proxy', 'http://127.0.0.1:1'], { lookUp });
  const right = useEngine(['--proxy', httpUrl], { lookUp });

  it('a wrong password is proxy_auth_required and is not shown', async () => {
    const failure = await wrong.failure('navigate', { url: `http://home.test:${sitePort}/` });
    expect(failure).toMatchObject({ code: 'proxy_auth_required', retryable: false });
    expect(JSON.stringify(failure)).not.toContain('wrong-pass');
  });

  it('a proxy that does not run or refuses the host is proxy_failed', async () => {
    expect(await dead.failure('navigate', { url: `http://home.test:${sitePort}/` })).toMatchObject({
      code: 'proxy_failed',
      net_error: 'ERR_PROXY_CONNECTION_FAILED',
    });
    expect(await right.failure('navigate', { url: 'http://203.0.113.9/' })).toMatchObject({
      code: 'proxy_failed',
      net_error: 'ERR_TUNNEL_CONNECTION_FAILED',
    });
  });

  it('a name that this machine cannot resolve is dns_failed', async () => {
    expect(await right.failure('navigate', { url: 'http://unknown.test/' })).toMatchObject({
      code: 'dns_failed',
    });
  });
});

describe('with a PAC file', () => {
  writeFileSync(
    pac,
    `function FindProxyForURL(url, host) {
      if (shExpMatch(host, '*.direct.test')) return 'DIRECT';
      if (isInNet(host, '203.0.113.0', '255.255.255.0')) return 'PROXY 127.0.0.1:1; SOCKS5 127.0.0.1:${socks.port}';
      return 'PROXY 127.0.0.1:${http.port}';
    }`,
  );
  const engine = useEngine(['--proxy', `pac:${pac}`], { lookUp });

  it('the file chooses the proxy, and the next one is tried if the first fails', async () => {
    // The test proxy requires a password, which a PAC file cannot contain.
    expect(
      await engine.failure('navigate', { url: `http://home.test:${sitePort}/` }),
    ).toMatchObject({ code: 'proxy_auth_required' });
  });
});

describe('with --proxy-dns and a bypass', () => {
  const engine = useEngine(
    [
      '--proxy',
      `https=${socksUrl}`,
      '--proxy',
      `http=${httpUrl}`,
      '--proxy-dns',
      '--proxy-bypass',
      'unspecified.test',
    ],
    { lookUp },
  );

  it('the proxy of the scheme resolves names that this machine does not know', async () => {
    expect(
      await engine.json('navigate', { url: `http://only-the-proxy.test:${sitePort}/` }),
    ).toMatchObject({ title: 'Inside' });
    expect(http.requested).toContain(`only-the-proxy.test:${sitePort}`);
    await engine.failure('navigate', { url: `https://only-the-proxy.test:${sitePort}/` });
    expect(socks.requested).toContain(`only-the-proxy.test:${sitePort}`);
  });

  it('names that resolve to a private address here are still refused', async () => {
    expect(
      await engine.failure('navigate', { url: `http://inside.test:${sitePort}/` }),
    ).toMatchObject({ code: 'domain_not_allowed' });
  });
});
