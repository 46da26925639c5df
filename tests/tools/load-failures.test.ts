// Loads that do not end in a page: certificates, DNS, proxies and PDF files each get an accurate
// code, hint and retryable value.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
    '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
);

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

const site = useSite({
  '/': '<title>Home</title><h1>Home</h1><a href="/paper.pdf">Paper</a>',
  '/paper.pdf': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF),
  '/archive': (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/zip' }).end('PK'),
});
const browser = useEngine();

describe('a server with a self-signed certificate', () => {
  let folder = '';
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', key, '-out', cert];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, '-days', '2', ...subject],
      { stdio: 'ignore' },
    );
    server = createHttpsServer(
      { key: await readFile(key), cert: await readFile(cert) },
      (_request, response) => response.end('secret'),
    );
    port = await listen(server);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  test('navigate names the certificate as the cause and does not suggest a retry', async () => {
    const failure = await browser.failure('navigate', { url: `https://localhost:${port}/` });
    expect(failure).toMatchObject({
      code: 'certificate_invalid',
      net_error: 'ERR_CERT_AUTHORITY_INVALID',
      reason: expect.stringContaining('self-signed') as string,
      retryable: false,
    });
    expect(failure.message).toContain('certificate');
    // The headless shell does not report certificates.
    if (!process.env['CHROME_PATH']?.includes('headless-shell')) {
      const { fingerprint256 } = new X509Certificate(await readFile(join(folder, 'cert.pem')));
      const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
      expect(failure).toMatchObject({ fingerprint });
      expect(failure.message).toContain(fingerprint);
    }
    expect(failure.hint).not.toMatch(/server.*running/);
  });

  test('tabs_context names the address that could not be loaded until another page is visible', async () => {
    await browser.failure('navigate', { url: `https://localhost:${port}/x` });
    expect(await browser.json('tabs_context')).toMatchObject({
      tabs: [{ load_failed: `https://localhost:${port}/x` }],
    });
    await browser.json('navigate', { url: `${site.origin}/` });
    const { tabs } = await browser.json<{ tabs: object[] }>('tabs_context');
    expect(tabs[0]).not.toHaveProperty('load_failed');
  });

  test('opening a tab, a check and a crawl by fetch report the same cause', async () => {
    const url = `https://localhost:${port}/`;
    expect(await browser.failure('tabs', { action: 'new', url })).toMatchObject({
      code: 'certificate_invalid',
    });
    await browser.json('tabs', { action: 'close' });
    expect(await browser.json('validate_page', { url })).toMatchObject({
      problems: expect.arrayContaining(['not loaded: ERR_CERT_AUTHORITY_INVALID']) as string[],
    });
    const { pages } = await browser.json<{ pages: object[] }>('crawl', {
      url,
      render: 'fetch',
      respect_robots: false,
    });
    expect(pages).toMatchObject([
      { error: expect.stringContaining('certificate_invalid') as string },
    ]);
  });

  test('a server without TLS is not called an invalid certificate', async () => {
    const failure = await browser.failure('navigate', { url: `https://127.0.0.1:${site.port}/` });
    expect(failure).toMatchObject({
      code: 'navigation_failed',
      net_error: 'ERR_SSL_PROTOCOL_ERROR',
      retryable: false,
    });
    expect(failure.hint).toContain('TLS');
  });
});

describe('a host name that does not exist', () => {
  test('navigate reports that DNS failed', async () => {
    expect(
      await browser.failure('navigate', { url: 'http://no-such-name.invalid/' }),
    ).toMatchObject({
      code: 'dns_failed',
      net_error: 'ERR_NAME_NOT_RESOLVED',
      retryable: false,
    });
  });
});

describe('behind a proxy', () => {
  const proxy = createHttpServer((_request, response) =>
    response
      .writeHead(407, { 'proxy-authenticate': 'Basic realm="office"', 'content-type': 'text/html' })
      .end('<p>password'),
  );
  proxy.on('connect', (_request, socket) => {
    socket.on('error', () => {}); // Chrome resets the connection after the challenge
    socket.end(
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="office"\r\nContent-Length: 0\r\n\r\n',
    );
  });
  const flags = ['--chrome-arg', ''];
  beforeAll(async () => {
    flags[1] = `--proxy-server=http://127.0.0.1:${await listen(proxy)}`;
  });
  const proxied = useEngine(flags);
  const lost = useEngine(['--chrome-arg', '--proxy-server=http://127.0.0.1:1']);
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  test.each(['http://example.test/', 'https://example.test/'])(
    '%s reports that the proxy requires a password',
    async (url) => {
      // Longer than the timeout of the test: the call must not wait for the end of the load.
      const timeout_ms = 120_000;
      expect(await proxied.failure('navigate', { url, timeout_ms })).toMatchObject({
        code: 'proxy_auth_required',
        retryable: false,
      });
    },
  );

  test('a proxy that is not running is named as the cause', async () => {
    expect(await lost.failure('navigate', { url: 'http://example.test/' })).toMatchObject({
      code: 'proxy_failed',
      net_error: 'ERR_PROXY_CONNECTION_FAILED',
      retryable: true,
    });
  });
});

describe('a PDF', () => {
  test('navigate reports that it is a PDF and how to get it, and the tab stays usable', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    const answer = await browser.json<{ note: string; url: string }>('navigate', {
      url: `${site.origin}/paper.pdf`,
    });
    expect(answer.note).toMatch(/is a PDF.*downloads/);
    expect(answer.url).not.toContain('chrome-error');
    expect(await browser.json('navigate', { url: `${site.origin}/` })).toMatchObject({
      title: 'Home',
      status: 200,
    });
  });

  test('a tab opened at a PDF reports it', async () => {
    expect(
      await browser.json('tabs', { action: 'new', url: `${site.origin}/paper.pdf` }),
    ).toMatchObject({
      note: expect.stringContaining('PDF') as string,
    });
    await browser.json('tabs', { action: 'close' });
  });

  test('the receipt of a click on a link to a PDF names the file or the kind of document', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await browser.text('interact', { action: 'click', query: 'Paper' })).toMatch(
      /download d\d+ "paper\.pdf"|\/paper\.pdf \(a PDF/,
    );
  });

  test('the code that the note suggests saves it if Chrome shows it', async () => {
    const { note, download } = await browser.json<{ note: string; download?: true }>('navigate', {
      url: `${site.origin}/paper.pdf`,
    });
    const [, code] = /javascript_tool \{code: "(.*)"\}/.exec(note) ?? [];
    expect(code !== undefined).toBe(download !== true);
    if (code !== undefined) await browser.text('javascript_tool', { code });
    const path = await vi.waitFor(async () => {
      const { downloads } = await browser.json<{ downloads: { path?: string; state: string }[] }>(
        'downloads',
      );
      const last = downloads.at(-1);
      expect(last).toMatchObject({
        state: 'completed',
        path: expect.stringContaining('paper') as string,
      });
      return last?.path ?? '';
    }, 10_000);
    expect((await readFile(path)).equals(PDF)).toBe(true);
  });
});

test('validate_page does not report another page when the address is a download', async () => {
  await browser.json('navigate', { url: `${site.origin}/` });
  expect(await browser.json('validate_page', { url: `${site.origin}/archive` })).toMatchObject({
    problems: expect.arrayContaining(['not loaded: a download, not a page']) as string[],
  });
});
