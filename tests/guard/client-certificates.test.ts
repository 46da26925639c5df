// --client-cert: Chrome and fetches identify the user to a server that accepts only known clients.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureVersion, TLSSocket } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { useEngine } from '../fixtures.ts';

const PASSWORD = 'pfx-password-7311';
const folder = mkdtempSync(join(tmpdir(), 'openchrome-certificates-'));
const findFile = (name: string): string => join(folder, name);
const openssl = (...args: readonly string[]): void =>
  void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const createIssuer = (name: string): void =>
  openssl(
    ...['req', '-x509', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.pem`],
    ...['-subj', `/CN=${name}`, '-days', '30'],
  );
const createIssued = (name: string, issuer: string): void => {
  openssl(
    ...['req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`],
  );
  openssl(
    ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`],
    ...['-CAcreateserial', '-out', `${name}.pem`, '-days', '30', '-extfile', 'names'],
  );
};
writeFileSync(findFile('names'), 'subjectAltName=DNS:localhost,DNS:inside.test\n');
createIssuer('company');
createIssuer('other');
createIssued('server', 'company');
createIssued('ada', 'company');
createIssued('stranger', 'other');
writeFileSync(
  findFile('ada-and-key.pem'),
  readFileSync(findFile('ada.pem'), 'utf8') + readFileSync(findFile('ada.key'), 'utf8'),
);
openssl(
  ...['pkcs12', '-export', '-in', 'ada.pem', '-inkey', 'ada.key', '-out', 'ada.p12'],
  ...['-passout', `pass:${PASSWORD}`],
);
writeFileSync(findFile('secrets.env'), `PFX_PASSWORD=${PASSWORD}\nWRONG=not-the-password\n`);
afterAll(() => rmSync(folder, { recursive: true }));

const startServer = async (maxVersion: SecureVersion): Promise<number> => {
  const [key, cert, ca] = ['server.key', 'server.pem', 'company.pem'].map((name) =>
    readFileSync(findFile(name)),
  );
  const options = { key, cert, ca, maxVersion, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>Welcome</title><h1>Hello ${String(subject.CN)}</h1>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};
const PORTS = { 'TLSv1.2': await startServer('TLSv1.2'), 'TLSv1.3': await startServer('TLSv1.3') };
const VERSIONS = ['TLSv1.2', 'TLSv1.3'] as const;
const buildUrl = (version: SecureVersion, host = 'localhost'): string =>
  `https://${host}:${PORTS[version as keyof typeof PORTS]}/`;
const forBoth = (flag: string, value: string, host = 'localhost'): string[] =>
  VERSIONS.flatMap((version) => [flag, `${host}:${PORTS[version]}=${value}`]);

/** inside.test has a public address, which is served by this machine. */
const names = {
  lookUp: async () => [{ address: '203.0.113.5', family: 4 }],
  route: (address: string) => address.replace('203.0.113.5', '127.0.0.1'),
};
const TRUSTED = ['--ca-cert', findFile('company.pem')];
const crawlByFetch = { render: 'fetch', respect_robots: false, max_pages: 1 };

describe('a client certificate', () => {
  const browser = useEngine([...TRUSTED, ...forBoth('--client-cert', findFile('ada-and-key.pem'))]);

  test.each(VERSIONS)('identifies Chrome and fetches to a local %s server', async (version) => {
    const url = buildUrl(version);
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    expect(await browser.text('read_page')).toContain('Hello ada');
    const { pages } = await browser.json<{ pages: object[] }>('crawl', { url, ...crawlByFetch });
    expect(pages).toMatchObject([{ content: expect.stringContaining('Hello ada') as string }]);
  });
});

describe('a PFX file with a password', () => {
  const browser = useEngine(
    [
      ...TRUSTED,
      ...['--secrets', findFile('secrets.env')],
      ...forBoth('--client-cert', findFile('ada.p12'), 'inside.test'),
      ...forBoth('--client-cert-password', 'PFX_PASSWORD', 'inside.test'),
    ],
    names,
  );

  test.each(VERSIONS)('identifies Chrome to a %s server elsewhere', async (version) => {
    const url = buildUrl(version, 'inside.test');
    expect(await browser.json('navigate', { url })).toMatchObject({ status: 200 });
    expect(await browser.text('read_page')).toContain('Hello ada');
  });

  test('is not sent to a server with another name, and tools cannot upload it', async () => {
    const url = buildUrl('TLSv1.3');
    expect(await browser.failure('navigate', { url })).toMatchObject({
      code: 'certificate_invalid', // --ca-cert does not apply to servers on this machine
    });
    const script = { action: 'save', path: findFile('ada.p12') };
    expect(await browser.failure('storage', script)).toMatchObject({ code: 'file_not_allowed' });
  });
});

describe('without a client certificate', () => {
  const browser = useEngine(TRUSTED, names);

  test.each(VERSIONS)('a %s server that requires one gets its own failure', async (version) => {
    const url = buildUrl(version, 'inside.test');
    expect(await browser.failure('navigate', { url })).toMatchObject({
      code: 'client_certificate_required',
      retryable: false,
      hint: expect.stringContaining('--client-cert') as string,
    });
  });

  test.each(VERSIONS)('a fetch from a %s server reports it too', async (version) => {
    const url = buildUrl(version);
    const { pages } = await browser.json<{ pages: { error: string }[] }>('crawl', {
      url,
      ...crawlByFetch,
    });
    expect(pages[0]?.error).toContain('client_certificate_required');
  });
});

describe('without a client certificate, Chrome without our TLS', () => {
  const browser = useEngine(['--insecure']);

  test.each(VERSIONS)('reports that a %s server requires one', async (version) => {
    const { code } = await browser.failure('navigate', { url: buildUrl(version) });
    expect(code).toBe('client_certificate_required');
    const { pages } = await browser.json<{ pages: { error: string }[] }>('crawl', {
      url: buildUrl(version),
      ...crawlByFetch,
    });
    expect(pages[0]?.error).toContain('client_certificate_required');
  });
});

describe('the client certificate of another issuer', () => {
  const stranger = [
    ...forBoth('--client-cert', findFile('stranger.pem')),
    ...forBoth('--client-key', findFile('stranger.key')),
  ];
  const browser = useEngine([...TRUSTED, ...stranger]);

  test.each(VERSIONS)('is rejected by a %s server, with its own failure', async (version) => {
    const url = buildUrl(version);
    expect(await browser.failure('navigate', { url })).toMatchObject({
      code: 'client_certificate_rejected',
      retryable: false,
    });
    const { pages } = await browser.json<{ pages: { error: string }[] }>('crawl', {
      url,
      ...crawlByFetch,
    });
    expect(pages[0]?.error).toContain('client_certificate_rejected');
  });
});

describe('a client certificate that cannot be used', () => {
  const host = 'inside.test';
  const wrongPassword = useEngine([
    ...['--secrets', findFile('secrets.env'), '--client-cert', `${host}=${findFile('ada.p12')}`],
    ...['--client-cert-password', `${host}=WRONG`],
  ]);
  const wrongKey = useEngine([
    ...['--client-cert', `${host}=${findFile('ada.pem')}`],
    ...['--client-key', `${host}=${findFile('stranger.key')}`],
  ]);
  const noSecret = useEngine([
    ...['--client-cert', `${host}=${findFile('ada.p12')}`],
    ...['--client-cert-password', `${host}=MISSING`],
  ]);

  test('is named by the first call that needs Chrome, with the reason', async () => {
    const fail = async (engine: typeof wrongKey): Promise<string> =>
      (await engine.failure('navigate', { url: 'https://inside.test/' })).message;
    expect(await fail(wrongPassword)).toContain('the password is missing or wrong');
    expect(await fail(wrongPassword)).not.toContain('not-the-password');
    expect(await fail(wrongKey)).toContain('the private key does not belong to the certificate');
    expect(await fail(noSecret)).toContain('there is no secret "MISSING"');
  });
});
