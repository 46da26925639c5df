// The recorded requests of a page: redirects, failures and caches.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { redirectChain } from '../../src/browser/traffic/request-record.ts';
import { useChrome, type TestTab } from './chrome.ts';
import { useTrafficSite } from './site.ts';

const chrome = useChrome();
const site = useTrafficSite();
let tab: TestTab;

beforeAll(async () => {
  tab = await chrome.openTab();
  await tab.goto(`${site.origin}/`);
});

/** A port without a server. */
const deadPort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe('a document', () => {
  it('is found by its loader, with every redirect that led to it', async () => {
    const { loaderId } = await tab.goto(`${site.origin}/moved`);
    const document = tab.traffic.document(loaderId);
    expect(document).toMatchObject({
      url: `${site.origin}/second`,
      status: 200,
      resourceType: 'Document',
      mimeType: 'text/html',
    });
    const hops = redirectChain(document!);
    expect(
      hops.map(({ url, status, redirectedTo, state }) => [url, status, redirectedTo, state]),
    ).toEqual([
      [`${site.origin}/moved`, 301, `${site.origin}/moved-again`, 'finished'],
      [`${site.origin}/moved-again`, 302, `${site.origin}/second`, 'finished'],
    ]);
    await expect.poll(() => hops[0]?.responseHeaders?.['set-cookie']).toBe('from=redirect');
    expect(hops[0]?.requestHeaders['Cookie']).toBeUndefined();
    expect(hops[1]?.requestHeaders['Cookie']).toBe('from=redirect');
    expect(document?.requestHeaders['Cookie']).toBe('from=redirect');
    await expect(tab.traffic.body(hops[0]!)).resolves.toEqual({ why: 'redirect' });
  });

  it('that a form requested keeps the sent body, and reports that the file in it is missing', async () => {
    await tab.goto(`${site.origin}/form`);
    await tab.run(`
      const files = new DataTransfer(); files.items.add(new File(['in the file'], 'a.txt'));
      document.forms[0].file.files = files.files; document.forms[0].submit();`);
    const sent = await tab.ended('/echo?submitted');
    expect(sent).toMatchObject({ resourceType: 'Document', method: 'POST', status: 200 });
    await expect.poll(() => sent.postData?.text).toMatch(/name="who"[^]*ada[^]*filename="a.txt"/);
    expect(sent.postData).toMatchObject({
      incomplete: true,
      sizeBytes: Number(sent.requestHeaders['Content-Length']),
    });
  });

  it('that cannot be loaded reports the reason, and the error page in its place is not traffic', async () => {
    const port = await deadPort();
    const before = tab.traffic.requests.cursor;
    const { loaderId, errorText } = await tab.goto(`http://127.0.0.1:${port}/`);
    expect(errorText).toBe('net::ERR_CONNECTION_REFUSED');
    const document = tab.traffic.document(loaderId);
    expect(document).toMatchObject({
      state: 'failed',
      failure: { error: 'net::ERR_CONNECTION_REFUSED', canceled: false },
    });
    expect(document?.status).toBeUndefined();
    expect(tab.traffic.requests.since(before).map(({ url }) => url)).toEqual([
      `http://127.0.0.1:${port}/`,
    ]);
    await tab.goto(`${site.origin}/`);
  });

  it('that is a 204 or becomes a file has not failed', async () => {
    const empty = await tab.goto(`${site.origin}/empty`);
    expect(empty.errorText).toBe('net::ERR_ABORTED');
    expect(tab.traffic.document(empty.loaderId)).toMatchObject({
      state: 'finished',
      status: 204,
      failure: undefined,
    });
    await tab.goto(`${site.origin}/file`);
    expect(await tab.ended('/file')).toMatchObject({
      state: 'finished',
      status: 200,
      download: true,
      failure: undefined,
    });
  });
});

describe('a request of a script', () => {
  it('has raw headers on both sides, timings, sizes, an initiator and an address', async () => {
    await tab.goto(`${site.origin}/`);
    const began = Date.now();
    await tab.run(
      `document.cookie = 'who=ada'; await (await fetch('/echo?plain', { headers: { 'x-own': 'yes' } })).text();\n//# sourceURL=app.js`,
    );
    const record = await tab.ended('/echo?plain');
    await expect.poll(() => record.rawRequestHeaders && record.rawResponseHeaders).toBe(true);
    expect(record).toMatchObject({
      method: 'GET',
      status: 200,
      statusText: 'OK',
      resourceType: 'Fetch',
      mimeType: 'application/json',
      servedFrom: 'network',
      protocol: 'http/1.1',
      remoteAddress: `127.0.0.1:${site.port}`,
      frameId: tab.targetId,
      source: { kind: 'page', targetId: tab.targetId },
      initiator: { type: 'script', url: 'app.js', line: 1 },
    });
    expect(record.requestHeaders).toMatchObject({
      'x-own': 'yes',
      Cookie: expect.stringContaining('who=ada'),
      Host: `127.0.0.1:${site.port}`,
    });
    expect(record.responseHeaders).toMatchObject({ 'content-type': 'application/json' });
    expect(record.startedAt).toBeGreaterThan(began - 1_000);
    expect(record.startedAt).toBeLessThan(Date.now() + 1_000);
    expect(record.ttfbMs).toBeGreaterThan(0);
    expect(record.durationMs).toBeGreaterThanOrEqual(record.phases!.sendMs);
    expect(record.transferredBytes).toBeGreaterThan(record.decodedBytes);
    expect(record.decodedBytes).toBeGreaterThan(50);
  });

  it('keeps its sent body: text, binary, forms with files, and large bodies', async () => {
    await tab.run(`
      const send = async (name, body) => (await fetch('/echo?' + name, { method: 'POST', body })).text();
      await send('text', '{"a":"é"}');
      await send('bytes', new Uint8Array([0, 255, 254]));
      const form = new FormData(); form.append('operations', '{}'); form.append('0', new Blob(['file']), 'a.txt');
      await send('form', form);
      await send('long', 'x'.repeat(200_000));
      await send('huge', 'x'.repeat(2_000_000));`);
    const sent = async (name: string) => {
      const record = await tab.ended(`/echo?${name}`);
      await expect.poll(() => record.postData?.why).not.toBe('pending');
      return record.postData;
    };
    expect(await sent('text')).toEqual({ text: '{"a":"é"}', sizeBytes: 10 });
    expect(await sent('bytes')).toEqual({ base64: 'AP/+', sizeBytes: 3 });
    expect((await sent('form'))?.text).toContain('name="operations"');
    expect(await sent('long')).toMatchObject({
      sizeBytes: 200_000,
      text: expect.stringMatching(/^x{200000}$/),
    });
    expect(await sent('huge')).toEqual({ why: 'too_large', sizeBytes: 2_000_000 });
  });

  it('that is redirected with its body is two requests with that body', async () => {
    await tab.run(`return (await fetch('/post-moved', { method: 'POST', body: 'kept' })).json()`);
    const last = await tab.ended('/echo');
    const [hop] = redirectChain(last);
    expect(hop).toMatchObject({
      url: `${site.origin}/post-moved`,
      method: 'POST',
      status: 307,
      postData: { text: 'kept' },
      state: 'finished',
    });
    expect(last).toMatchObject({
      method: 'POST',
      status: 200,
      postData: { text: 'kept' },
      initiator: hop?.initiator,
    });
  });

  it('without a body to read has not failed', async () => {
    await tab.run(`await fetch('/empty'); await fetch('/echo?head', { method: 'HEAD' });`);
    expect(await tab.ended('/empty')).toMatchObject({
      status: 204,
      state: 'finished',
      failure: undefined,
    });
    const head = await tab.ended('/echo?head');
    expect(head).toMatchObject({
      method: 'HEAD',
      status: 200,
      state: 'finished',
      failure: undefined,
    });
    await expect(tab.traffic.body(head)).resolves.toEqual({ why: 'no_body' });
  });

  it('with status 304 reports it, and the status that the page got', async () => {
    await tab.run(
      `await (await fetch('/revalidated')).text(); return (await fetch('/revalidated')).status`,
    );
    await tab.ended('/revalidated');
    const [first, second] = tab.all('/revalidated');
    expect(first).toMatchObject({ status: 200, deliveredStatus: undefined });
    await expect.poll(() => second?.status).toBe(304);
    expect(second?.deliveredStatus).toBe(200);
    await expect(tab.traffic.body(second!)).resolves.toMatchObject({ text: '{"version":1}' });
  });

  it('that came from a cache names the cache, and transferred no bytes', async () => {
    await tab.run(`await (await fetch('/cached')).text(); await (await fetch('/cached')).text();`);
    await tab.ended('/cached');
    const hits = tab.all('/cached');
    expect(hits.map(({ servedFrom }) => servedFrom)).toEqual(['network', 'disk-cache']);
    expect(hits[1]?.transferredBytes).toBe(0);
    expect(hits[1]?.responseHeaders).toMatchObject({ 'content-type': 'application/json' });
    const load = `await new Promise((done) => { const image = new Image(); image.onload = done; image.src = '/picture.png'; document.body.append(image); });`;
    await tab.run(load);
    await tab.run(load);
    expect(tab.all('/picture.png').map(({ servedFrom }) => servedFrom)).toContain('network');
  });
});

describe('a failure', () => {
  it('of the connection or of the name has its net error', async () => {
    const port = await deadPort();
    await tab.run(
      `await fetch('http://127.0.0.1:${port}/refused').catch(() => {}); await fetch('http://nowhere.invalid/name').catch(() => {});`,
    );
    expect((await tab.ended('/refused')).failure).toEqual({
      error: 'net::ERR_CONNECTION_REFUSED',
      canceled: false,
    });
    expect((await tab.ended('nowhere.invalid')).failure).toEqual({
      error: 'net::ERR_NAME_NOT_RESOLVED',
      canceled: false,
    });
  });

  it('by the page giving up is marked as that', async () => {
    await tab.run(
      `const stop = new AbortController(); const asked = fetch('/never?aborted', { signal: stop.signal }); stop.abort(); await asked.catch(() => {});`,
    );
    await tab.run(
      `const stop = new AbortController(); const answer = await fetch('/stream?aborted', { signal: stop.signal }); stop.abort(); await answer.text().catch(() => {});`,
    );
    expect(await tab.ended('/stream?aborted')).toMatchObject({
      status: 200,
      state: 'failed',
      failure: { error: 'net::ERR_ABORTED', canceled: true },
    });
  });

  it('by CORS names the rule, and the response of the server', async () => {
    await tab.run(`await fetch('${site.otherOrigin}/echo?cors').catch(() => {})`);
    const refused = await tab.ended('/echo?cors');
    expect(refused.failure).toEqual({
      error: 'net::ERR_FAILED',
      canceled: false,
      cors: { error: 'MissingAllowOriginHeader' },
    });
    await expect.poll(() => refused.status).toBe(200);

    await tab.run(
      `await fetch('${site.otherOrigin}/echo?preflight', { method: 'PUT' }).catch(() => {})`,
    );
    await expect.poll(() => tab.all('/echo?preflight').every(({ ended }) => ended)).toBe(true);
    const [preflight, put] = tab
      .all('/echo?preflight')
      .sort((a, b) => a.method.localeCompare(b.method));
    expect(put).toMatchObject({
      method: 'PUT',
      state: 'failed',
      failure: { cors: { error: 'PreflightMissingAllowOriginHeader' } },
    });
    expect(preflight).toMatchObject({
      method: 'OPTIONS',
      resourceType: 'Preflight',
      initiator: { type: 'preflight', requestId: put?.requestId },
    });
  });

  it('by blocking names who blocked', async () => {
    const blocker = tab.interception.add({
      name: 'blocker',
      patterns: ['*?blocked'],
      onError: 'continue',
      handle: () => ({ action: 'fail', reason: 'BlockedByClient' }),
    });
    await blocker.ready;
    await tab.run(`await fetch('/echo?blocked').catch(() => {})`);
    const blocked = await tab.ended('/echo?blocked');
    expect(blocked.failure).toEqual({
      error: 'net::ERR_BLOCKED_BY_CLIENT',
      canceled: false,
      blockedReason: 'inspector',
    });
    expect(blocked.intercepted).toEqual({ by: 'blocker', action: 'fail', stage: 'request' });
    await blocker.remove();
  });

  it('is not reported for a 404', async () => {
    await tab.run(`await (await fetch('/missing')).text()`);
    const missing = await tab.ended('/missing');
    expect(missing).toMatchObject({ status: 404, state: 'finished', failure: undefined });
    await expect(tab.traffic.body(missing)).resolves.toMatchObject({ text: '{"error":"missing"}' });
  });
});

describe('a request under way', () => {
  it('is listed, and complete when the list is read again', async () => {
    const other = await chrome.openTab();
    await other.goto(`${site.origin}/`);
    const cursor = other.traffic.requests.cursor;
    const seen = other.traffic.events.next('request', ({ url }) => url.includes('/echo?flight'));
    const asked = other.run(`return (await fetch('/echo?flight')).text()`);
    const early = await seen;
    expect(other.traffic.requests.since(cursor)).toContain(early);
    await asked;
    await other.ended('/echo?flight');
    expect(
      other.traffic.requests.since(cursor).find(({ url }) => url.includes('flight')),
    ).toMatchObject({
      state: 'finished',
      status: 200,
    });
    await expect(other.traffic.body(early)).resolves.toMatchObject({
      text: expect.stringContaining('"method":"GET"'),
    });
  });

  it.each([
    { to: 'a page of the same site', base: () => site.origin, presumed: undefined },
    {
      to: 'another site, for which Chrome sends no event',
      base: () => site.otherOrigin,
      presumed: true,
    },
  ])('ends with its page if the tab goes to $to', async ({ base, presumed }) => {
    await tab.goto(`${site.origin}/`);
    await tab.run(`void fetch('/never?left'); void fetch('/never?beacon', { keepalive: true });`);
    await expect.poll(() => tab.traffic.inFlight()).toBeGreaterThanOrEqual(2);
    await tab.goto(`${base()}/second`);
    const left = await tab.ended('/never?left');
    expect(left).toMatchObject({
      state: 'failed',
      failure: { error: 'net::ERR_ABORTED', canceled: true },
    });
    expect(left.failure?.presumed).toBe(presumed);
    await expect.poll(() => tab.traffic.inFlight()).toBe(0);
  });
});
