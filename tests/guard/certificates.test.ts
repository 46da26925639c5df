// --accept-certificate, --ca-cert and --insecure: the certificates that the user accepts, in Chrome
// and in fetches; all others are rejected with their fingerprint.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const findFixture = (name: string): string =>
  new URL(`../fixtures/certificates/${name}`, import.meta.url).pathname;

const PAGE = `<title>Inside</title><h1>Inside</h1><script>
  fetch('/data').then((answer) => answer.text()).then((text) => { document.title = text; });
</script>`;

const startServer = async (name: string): Promise<{ port: number; fingerprint: string }> => {
  const pem = readFileSync(findFixture(name));
  const server = createServer({ key: pem, cert: pem }, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(request.url === '/data' ? 'loaded by the page' : PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { fingerprint256 } = new X509Certificate(pem);
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
  return { port: (server.address() as AddressInfo).port, fingerprint };
};

const selfSigned = await startServer('self-signed.pem');
const issued = await startServer('issued.pem');
const OTHER = 'ab'.repeat(32);

/** inside.test and other.test have a public address, which is served by this machine. */
const names = {
  lookUp: async () => [{ address: '203.0.113.5', family: 4 }],
  route: (address: string) => address.replace('203.0.113.5', '127.0.0.1'),
};

const crawlByFetch = { render: 'fetch', respect_robots: false, max_pages: 1 };

const shown = 'document.title === "loaded by the page"';

describe('a pinned server on this machine', () => {
  const browser = useEngine([
    '--accept-certificate',
    `localhost:${selfSigned.port}=${selfSigned.fingerprint.toUpperCase()}`,
    '--accept-certificate',
    `localhost:${issued.port}=${OTHER}`,
  ]);

  test('its pages and their requests load', async () => {
    const url = `https://localhost:${selfSigned.port}/`;
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    await browser.text('wait_for', { function: shown });
    expect(await browser.json('crawl', { url, ...crawlByFetch })).toMatchObject({
      pages: [{ title: 'Inside', via: 'fetch' }],
    });
  });

  test('another certificate than the pinned one is rejected with its fingerprint', async () => {
    const url = `https://localhost:${issued.port}/`;
    expect(await browser.failure('navigate', { url })).toMatchObject({
      code: 'certificate_invalid',
      net_error: 'ERR_CERT_AUTHORITY_INVALID',
    });
    const { pages } = await browser.json<{ pages: { error: string }[] }>('crawl', {
      url,
      ...crawlByFetch,
    });
    expect(pages[0]?.error).toContain('certificate_invalid');
    expect(pages[0]?.error).toContain(issued.fingerprint);
  });

  test('the pinned certificate is not accepted for another name of the server', async () => {
    const url = `https://127.0.0.1:${selfSigned.port}/`;
    expect(await browser.failure('navigate', { url })).toMatchObject({
      code: 'certificate_invalid',
    });
    const { pages } = await browser.json<{ pages: { error: string }[] }>('crawl', {
      url,
      ...crawlByFetch,
    });
    expect(pages[0]?.error).toContain('certificate_invalid');
  });
});

describe('a pinned server elsewhere', () => {
  const browser = useEngine(
    ['--accept-certificate', `inside.test:${selfSigned.port}=${selfSigned.fingerprint}`],
    names,
  );

  test('is accepted through the proxy of the guard, and no other host is', async () => {
    const url = `https://inside.test:${selfSigned.port}/`;
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    await browser.text('wait_for', { function: shown });
    for (const other of [`other.test:${selfSigned.port}`, `inside.test:${issued.port}`])
      expect(await browser.failure('navigate', { url: `https://${other}/` })).toMatchObject({
        code: 'certificate_invalid',
      });
  });
});

describe('a public page', () => {
  const site = useSite({ '/': '<title>Public</title><h1>Public</h1>' });
  const browser = useEngine(
    ['--accept-certificate', `localhost:${selfSigned.port}=${selfSigned.fingerprint}`],
    names,
  );

  test('cannot reach a pinned server on this machine, but that server itself can', async () => {
    const local = `https://localhost:${selfSigned.port}`;
    const code = `await fetch('${local}/data', { mode: 'no-cors' }).then(() => 'reached', () => 'refused')`;
    await browser.json('navigate', { url: `http://inside.test:${site.port}/` });
    expect(await browser.text('javascript_tool', { code })).toContain('refused');
    await browser.json('navigate', { url: `${local}/` });
    expect(await browser.text('javascript_tool', { code })).toContain('reached');
  });
});

describe('an issuer of the user', () => {
  const browser = useEngine(['--ca-cert', findFixture('ca.pem')], names);

  test('is trusted for the names in its certificates, by Chrome and by fetches', async () => {
    const url = `https://inside.test:${issued.port}/`;
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    await browser.text('wait_for', { function: shown });
    expect(
      await browser.json('crawl', { url: `https://localhost:${issued.port}/`, ...crawlByFetch }),
    ).toMatchObject({ pages: [{ title: 'Inside', via: 'fetch' }] });
  });

  test('is not trusted for another name, and other issuers stay untrusted', async () => {
    for (const other of [`other.test:${issued.port}`, `inside.test:${selfSigned.port}`])
      expect(await browser.failure('navigate', { url: `https://${other}/` })).toMatchObject({
        code: 'certificate_invalid',
      });
  });
});

describe('--insecure', () => {
  const browser = useEngine(['--insecure']);

  test('accepts every certificate, and health reports it', async () => {
    const url = `https://127.0.0.1:${issued.port}/`;
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    expect(await browser.json('crawl', { url, ...crawlByFetch })).toMatchObject({
      pages: [{ title: 'Inside', via: 'fetch' }],
    });
    expect(await browser.json('oc_connection_health')).toMatchObject({
      controls: { certificates: 'not checked (--insecure)' },
    });
  });
});

describe('a file of --ca-cert that has no certificate', () => {
  const browser = useEngine(['--ca-cert', new URL(import.meta.url).pathname]);

  test('is named by the first call that needs Chrome', async () => {
    expect(await browser.failure('navigate', { url: 'https://inside.test/' })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('does not contain a PEM certificate') as string,
    });
  });
});
