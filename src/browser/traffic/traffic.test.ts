// Tests of the traffic recorder with a fake Chrome.
import { describe, expect, it } from 'vitest';
import { CdpConnection, type Transport } from '../cdp/connection.ts';
import { redirectChain } from './request-record.ts';
import { Traffic, type TrafficOptions } from './traffic.ts';

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** A fake Chrome: the test emits its events, and `answer` returns its responses. */
const scripted = (
  options: TrafficOptions = {},
  answer: (command: Command) => unknown = () => ({}),
) => {
  const commands: Command[] = [];
  const transport: Transport = {
    send: (text) => {
      const command = JSON.parse(text) as Command;
      commands.push(command);
      const result = answer(command);
      const reply =
        result instanceof Error ? { error: { code: -32000, message: result.message } } : { result };
      queueMicrotask(() => transport.onMessage?.(JSON.stringify({ id: command.id, ...reply })));
    },
    close: () => transport.onClose?.('closed'),
  };
  const connection = new CdpConnection(transport);
  const traffic = new Traffic(options);
  void traffic.watch(connection.root, { kind: 'page', targetId: 'T' });
  const say = (method: string, params: object): void =>
    transport.onMessage?.(JSON.stringify({ method, params }));
  return { traffic, commands, transport, say, network: chromeWords(say) };
};

type Say = (method: string, params: object) => void;

const chromeWords = (say: Say) => ({
  sent: (requestId: string, url: string, more: object = {}) =>
    say('Network.requestWillBeSent', {
      requestId,
      loaderId: 'L',
      documentURL: 'http://site/',
      request: {
        url,
        method: 'GET',
        headers: { 'x-page': 'yes' },
        initialPriority: 'High',
        referrerPolicy: 'origin',
      },
      timestamp: 10,
      wallTime: 1_000,
      initiator: { type: 'script' },
      redirectHasExtraInfo: false,
      type: 'Fetch',
      frameId: 'T',
      ...more,
    }),
  sentRaw: (requestId: string, headers: object) =>
    say('Network.requestWillBeSentExtraInfo', { requestId, headers, associatedCookies: [] }),
  received: (requestId: string, more: object = {}, hasExtraInfo = true) =>
    say('Network.responseReceived', {
      requestId,
      loaderId: 'L',
      timestamp: 11,
      type: 'Fetch',
      response: response(more),
      hasExtraInfo,
    }),
  receivedRaw: (requestId: string, statusCode: number, headers: object) =>
    say('Network.responseReceivedExtraInfo', {
      requestId,
      headers,
      statusCode,
      blockedCookies: [],
    }),
  finished: (requestId: string) =>
    say('Network.loadingFinished', { requestId, timestamp: 12, encodedDataLength: 100 }),
});

const response = (more: object): object => ({
  url: 'http://site/',
  status: 200,
  statusText: 'OK',
  headers: { 'x-told': 'page' },
  mimeType: 'application/json',
  charset: '',
  encodedDataLength: 10,
  ...more,
});

describe('raw headers', () => {
  it('are assigned to their hop if they arrive before, between or after the hops', () => {
    const { traffic, network } = scripted();
    network.sentRaw('1', { cookie: 'first' });
    network.receivedRaw('1', 307, { location: '/b' });
    network.sentRaw('1', { cookie: 'second' });
    network.sent('1', 'http://site/a');
    network.sent('1', 'http://site/b', {
      redirectResponse: response({ status: 307 }),
      redirectHasExtraInfo: true,
    });
    network.received('1');
    network.finished('1');
    network.receivedRaw('1', 200, { etag: '"late"' });
    const [first, second] = [...traffic.requests];
    expect(first).toMatchObject({
      status: 307,
      requestHeaders: { cookie: 'first' },
      responseHeaders: { location: '/b' },
    });
    expect(second).toMatchObject({
      status: 200,
      requestHeaders: { cookie: 'second' },
      responseHeaders: { etag: '"late"' },
    });
  });

  it('are assigned to the next hop if the redirect came from a cache, which has none', () => {
    const { traffic, network } = scripted();
    network.sent('1', 'http://site/a');
    network.sentRaw('1', { cookie: 'of b' });
    network.sent('1', 'http://site/b', {
      redirectResponse: response({ status: 301, fromDiskCache: true }),
      redirectHasExtraInfo: false,
    });
    network.receivedRaw('1', 200, { etag: '"b"' });
    network.received('1');
    const [first, second] = [...traffic.requests];
    expect(first).toMatchObject({
      requestHeaders: { 'x-page': 'yes' },
      rawRequestHeaders: false,
      servedFrom: 'disk-cache',
    });
    expect(second).toMatchObject({
      requestHeaders: { cookie: 'of b' },
      responseHeaders: { etag: '"b"' },
      status: 200,
    });
    expect(redirectChain(second!)).toEqual([first]);
  });

  it('of requests that are never announced do not pile up', () => {
    const { traffic, network } = scripted();
    for (let i = 0; i < 5_000; i++) network.sentRaw(`ghost-${i}`, { cookie: 'x'.repeat(100) });
    network.sent('ghost-1', 'http://site/forgotten');
    network.sent('ghost-4999', 'http://site/remembered');
    expect([...traffic.requests].map(({ rawRequestHeaders }) => rawRequestHeaders)).toEqual([
      false,
      true,
    ]);
  });
});

describe('an end that was presumed', () => {
  it('is corrected when Chrome reports another one', () => {
    const { traffic, network, say } = scripted();
    network.sent('1', 'http://site/keepalive');
    say('Page.frameNavigated', { frame: { id: 'T', loaderId: 'L2', url: 'http://site/next' } });
    const [record] = [...traffic.requests];
    expect(record).toMatchObject({ state: 'failed', failure: { presumed: true } });
    network.received('1');
    network.finished('1');
    expect(record).toMatchObject({ state: 'finished', status: 200, failure: undefined });
    expect(traffic.inFlight()).toBe(0);
  });
});

describe('requests under way', () => {
  it('count until they turn out to be streams or long polls', () => {
    let now = 0;
    const { traffic, network } = scripted({
      now: () => now,
      limits: { streamAfterMs: 100, longPollAfterMs: 1_000 },
    });
    network.sent('poll', 'http://site/poll');
    network.sent('stream', 'http://site/stream');
    network.received('stream');
    network.sent('beacon', 'http://site/beacon', { type: 'Ping' });
    expect(traffic.inFlight()).toBe(2);
    now = 200;
    expect(traffic.inFlight()).toBe(1);
    now = 2_000;
    expect(traffic.inFlight()).toBe(0);
    expect(traffic.pending().map(({ longLived }) => longLived)).toEqual([true, true, true]);
  });

  it('are removed when the connection ends', () => {
    const { traffic, network, transport } = scripted();
    network.sent('1', 'http://site/a');
    transport.close();
    expect(traffic.inFlight()).toBe(0);
    expect([...traffic.requests][0]?.failure).toMatchObject({ presumed: true });
  });
});

describe('a body', () => {
  it('is fetched once for any number of callers', async () => {
    const { traffic, network, commands } = scripted({}, ({ method }) =>
      method === 'Network.getResponseBody' ? { body: '{}', base64Encoded: false } : {},
    );
    network.sent('1', 'http://site/a');
    network.received('1');
    network.finished('1');
    const [record] = [...traffic.requests];
    const bodies = await Promise.all([
      traffic.body(record!),
      traffic.body(record!),
      traffic.body(record!),
    ]);
    expect(bodies).toEqual(Array.from({ length: 3 }, () => ({ text: '{}', sizeBytes: 2 })));
    expect(commands.filter(({ method }) => method === 'Network.getResponseBody')).toHaveLength(1);
  });

  it('that Chrome no longer has is unavailable', async () => {
    const { traffic, network } = scripted({}, ({ method }) =>
      method === 'Network.getResponseBody'
        ? new Error('No resource with given identifier found')
        : {},
    );
    network.sent('1', 'http://site/a');
    network.received('1');
    network.finished('1');
    await expect(traffic.body([...traffic.requests][0]!)).resolves.toEqual({ why: 'unavailable' });
  });
});

describe('ten thousand requests', () => {
  it('stay within the limits, and dropped ones are counted', () => {
    const { traffic, network } = scripted({
      limits: { requestCount: 1_000, requestBytes: 400_000 },
    });
    for (let i = 0; i < 10_000; i++) {
      network.sent(`${i}`, `http://site/${i}`);
      network.sentRaw(`${i}`, { accept: '*/*' });
      network.received(`${i}`);
      network.receivedRaw(`${i}`, 200, { server: 'site' });
      if (i % 2) network.finished(`${i}`);
    }
    const { requests } = traffic;
    expect(requests.size + requests.evicted).toBe(10_000);
    expect(requests.size).toBeLessThan(1_000);
    expect(requests.heldBytes).toBeLessThanOrEqual(400_000);
    expect(traffic.pending().length).toBeLessThanOrEqual(requests.size);
    expect([...requests].at(-1)).toMatchObject({
      sequence: 10_000,
      url: 'http://site/9999',
      state: 'finished',
    });
    expect(traffic.find('0')).toBeUndefined();
  });
});
