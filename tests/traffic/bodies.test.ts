// Response bodies as the page received them, at any time; and streams.
import { beforeAll, describe, expect, it } from 'vitest';
import { useChrome, type TestTab } from './chrome.ts';
import { useTrafficSite } from './site.ts';

const chrome = useChrome();
const site = useTrafficSite();
let tab: TestTab;

beforeAll(async () => {
  tab = await chrome.openTab();
  await tab.goto(`${site.origin}/`);
});

const fetched = async (path: string, on = tab) => {
  await on.run(`await (await fetch('${path}')).arrayBuffer()`);
  return on.ended(path);
};

describe('a body', () => {
  it('is decoded: gzip, brotli, a byte order mark, bytes that are not text', async () => {
    const gzip = await fetched('/gzip');
    expect(await tab.traffic.body(gzip)).toEqual({
      text: JSON.stringify({ text: 'y'.repeat(5_000) }),
      sizeBytes: 5_011,
    });
    expect(gzip.decodedBytes).toBe(5_011);
    expect(gzip.transferredBytes).toBeLessThan(1_000);
    expect((await tab.traffic.body(await fetched('/brotli'))).text).toContain('zzz');
    expect(await tab.traffic.body(await fetched('/bom'))).toEqual({
      text: '\ufeff{"bom":true}',
      sizeBytes: 15,
    });
    expect(await tab.traffic.body(await fetched('/binary'))).toEqual({
      base64: 'AP8BAg==',
      sizeBytes: 4,
    });
  });

  it('of data is fetched without a request, once', async () => {
    const other = await chrome.openTab();
    const { loaderId } = await other.goto(`${site.origin}/`);
    const held = other.traffic.events.next('body', ({ url }) => url.includes('/echo?held'));
    const record = await fetched('/echo?held', other);
    await held;
    expect(other.traffic.bodiesHeld.bytes).toBe(record.decodedBytes);
    await other.page.send('Page.close').catch(() => {});
    await expect.poll(() => other.page.closed).toBe(true);
    expect((await other.traffic.body(record)).text).toContain('"method":"GET"');
    expect(await other.traffic.body(other.traffic.document(loaderId)!)).toEqual({ why: 'gone' });
  });

  it('of a page or a picture can be fetched on request, also after navigations', async () => {
    const other = await chrome.openTab();
    const { loaderId } = await other.goto(`${site.origin}/`);
    await fetched('/picture.png', other);
    await fetched('/large?n=1000000', other);
    await other.goto(`${site.origin}/second`);
    await other.goto(`${site.otherOrigin}/second`);
    expect((await other.traffic.body(other.traffic.document(loaderId)!)).text).toContain('home');
    expect((await other.traffic.body(await other.ended('/picture.png'))).base64).toMatch(/^iVBOR/);
    expect((await other.traffic.body(await other.ended('/large'))).text).toHaveLength(1_000_002);
  });

  it('over the limit is cut, and reports its whole size', async () => {
    const small = await chrome.openTab({
      limits: { bodyBytes: 1_000, bodyTransferBytes: 100_000 },
    });
    await small.goto(`${site.origin}/`);
    const cut = await small.traffic.body(await fetched('/large?n=5000', small));
    expect(cut).toEqual({ text: `"${'x'.repeat(999)}`, sizeBytes: 5_002, truncated: true });
    expect(small.traffic.bodiesHeld.bytes).toBe(0);
    expect(await small.traffic.body(await fetched('/large?n=200000', small))).toEqual({
      why: 'too_large',
      sizeBytes: 200_002,
    });
  });

  it('is evicted by later ones if the total is too large, and is fetched again', async () => {
    const small = await chrome.openTab({ limits: { bodiesBytes: 10_000 } });
    await small.goto(`${site.origin}/`);
    const last = small.traffic.events.next('body', ({ url }) => url.includes('n=4003'));
    for (const n of [4000, 4001, 4002, 4003]) await fetched(`/large?n=${n}`, small);
    await last;
    expect(small.traffic.bodiesHeld).toEqual({ bytes: 4004 + 4005, evicted: 2 });
    expect((await small.traffic.body(await small.ended('n=4000'))).text).toHaveLength(4_002);
  });

  it('is requested with a signal that ends the wait', async () => {
    const record = await fetched('/large?n=3000000');
    const reason = new Error('enough');
    await expect(tab.traffic.body(record, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('a stream', () => {
  it('that never ends is listed, does not count as under way, and has no body yet', async () => {
    const other = await chrome.openTab({ limits: { streamAfterMs: 0 } });
    await other.goto(`${site.origin}/`);
    const answered = other.traffic.events.next('response', ({ url }) => url.includes('/stream'));
    await other.run(`window.answer = await fetch('/stream')`);
    const record = await answered;
    await expect.poll(() => other.traffic.inFlight()).toBe(0);
    expect(other.traffic.pending()).toEqual([{ record, longLived: true }]);
    expect(record).toMatchObject({ state: 'receiving', status: 200 });
    await expect(other.traffic.body(record)).resolves.toEqual({ why: 'pending' });
  });

  it('of server-sent events keeps the events', async () => {
    const seen = tab.traffic.events.next('finished', ({ url }) => url.includes('/events'));
    await tab.run(`
      const source = new EventSource('/events');
      await new Promise((done) => source.addEventListener('price', done));
      source.close();`);
    const record = await seen;
    expect(record).toMatchObject({
      resourceType: 'EventSource',
      status: 200,
      mimeType: 'text/event-stream',
      state: 'finished',
    });
    expect(record.messages?.messages.map(({ event, id, data }) => [event, id, data])).toEqual([
      ['message', '1', 'hello'],
      ['price', '1', '{"eur":1}'],
    ]);
    await expect(tab.traffic.body(record)).resolves.toEqual({ why: 'messages' });
  });

  it('of a WebSocket keeps the last messages of both sides', async () => {
    await tab.run(`
      const socket = new WebSocket('ws://127.0.0.1:${site.port}/socket');
      const next = () => new Promise((done) => (socket.onmessage = done));
      await new Promise((done) => (socket.onopen = done));
      socket.send('hello'); await next();
      socket.send(new Uint8Array([1, 2, 255])); await next();
      socket.close(); await new Promise((done) => (socket.onclose = done));`);
    const record = await tab.ended('/socket');
    expect(record).toMatchObject({
      resourceType: 'WebSocket',
      status: 101,
      state: 'finished',
      initiator: { type: 'script' },
    });
    expect(record.requestHeaders).toMatchObject({ Upgrade: 'websocket' });
    expect(record.messages).toMatchObject({ sent: 2, received: 2, dropped: 0 });
    expect(
      record.messages?.messages.map(({ direction, kind, data, sizeBytes }) => [
        direction,
        kind,
        data,
        sizeBytes,
      ]),
    ).toEqual([
      ['sent', 'text', 'hello', 5],
      ['received', 'text', 'hello', 5],
      ['sent', 'binary', 'AQL/', 3],
      ['received', 'binary', 'AQL/', 3],
    ]);
  });

  it('of a WebSocket that was refused has failed', async () => {
    await tab.run(
      `const socket = new WebSocket('ws://127.0.0.1:${site.port}/no-socket'); await new Promise((done) => (socket.onclose = done));`,
    );
    const record = await tab.ended('/no-socket');
    expect(record).toMatchObject({
      state: 'failed',
      status: 400,
      failure: { error: expect.stringContaining('Unexpected response code: 400') },
    });
  });

  it('that chatters is bounded, and the whole is counted', async () => {
    const other = await chrome.openTab({ limits: { messageCount: 10, messageBytes: 20 } });
    await other.goto(`${site.origin}/`);
    await other.run(`
      const socket = new WebSocket('ws://127.0.0.1:${site.port}/socket');
      await new Promise((done) => (socket.onopen = done));
      let left = 500;
      const all = new Promise((done) => (socket.onmessage = () => --left || done()));
      for (let i = 0; i < 500; i++) socket.send('message number ' + i + ' with more words');
      await all; socket.close(); await new Promise((done) => (socket.onclose = done));`);
    const record = await other.ended('/socket');
    expect(record.messages).toMatchObject({ sent: 500, received: 500, dropped: 990 });
    expect(record.messages?.messages).toHaveLength(10);
    expect(record.messages?.messages.at(-1)).toMatchObject({
      data: 'message number 499 w',
      truncated: true,
    });
  });
});
