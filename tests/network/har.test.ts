// A HAR that other programs read: valid by the published schema, and with what Chrome DevTools
// writes besides.
import { describe, expect, it } from 'vitest';
import type { CapturedRequest } from '../../src/core/captured-request.ts';
import { toHar } from '../../src/render/har.ts';
import { captured } from './captured.ts';
import { complaintsAboutHar } from './har-schema.ts';

type Entry = Record<string, never> & {
  request: Record<string, unknown>;
  response: Record<string, unknown>;
  time: number;
  timings: Record<string, number>;
};
const entryOf = (over: Partial<CapturedRequest>): Entry =>
  toHar([captured(over)], '1').log.entries[0] as Entry;

const CASES: Readonly<Record<string, Partial<CapturedRequest>>> = {
  'an answer': {},
  'a form': {
    method: 'POST',
    requestHeaders: { 'content-type': 'application/x-www-form-urlencoded' },
    requestBody: { text: 'a=1&b=2', size: 7 },
  },
  'an upload': {
    method: 'POST',
    requestBody: {
      parts: [
        { name: 'a', value: '1' },
        { name: 'f', filename: 'x.txt', type: 'text/plain', sizeBytes: 3 },
      ],
    },
  },
  'a binary answer': { contentType: 'image/png', body: { base64: 'AAEC', size: 3 } },
  'a failure': {
    state: 'failed',
    status: undefined,
    statusText: undefined,
    error: 'net::ERR_FAILED',
    body: { why: 'failed' },
  } as never,
  'a request in flight': {
    state: 'pending',
    durationMs: undefined,
    ttfbMs: undefined,
    status: undefined,
    body: { why: 'pending' },
  } as never,
  'a redirect': { status: 302, redirectedTo: 'https://api.test/next', body: { why: 'redirect' } },
  'an answer from the cache': { from: 'disk-cache', status: 304, deliveredStatus: 200 },
  'an IPv6 server': { remoteAddress: '[::1]:8080' },
  'no server': { remoteAddress: undefined },
  'an odd address': { url: 'https://api.test/a|b?token=[redacted]&x={1}&y=\u00e9 \ud800' },
  cookies: {
    requestHeaders: { cookie: 'a=1; b=2' },
    responseHeaders: { 'set-cookie': 'c=3; Path=/\nd=4' },
  },
  phases: {
    phases: { blockedMs: 1, dnsMs: 2, connectMs: 5, tlsMs: 3, sendMs: 0.5, waitMs: 10 },
    durationMs: 20,
  },
  'a socket': {
    url: 'wss://api.test/live',
    resourceType: 'WebSocket',
    messages: {
      sent: 1,
      received: 1,
      dropped: 0,
      kept: [{ direction: 'sent', afterMs: 5, kind: 'text', data: 'hi', size: 2 }],
    },
  },
};

describe('every kind of request', () => {
  it.each(Object.entries(CASES))('is valid HAR 1.2: %s', (_, over) => {
    expect(complaintsAboutHar(toHar([captured(over)], '1.0.0'))).toEqual([]);
  });

  it('is refused by the schema when something is missing, so that the schema judges at all', () => {
    const har = toHar([captured()], '1.0.0');
    const { time: _, ...entry } = har.log.entries[0] as Record<string, unknown>;
    expect(complaintsAboutHar({ log: { ...har.log, entries: [entry] } })).not.toEqual([]);
  });

  it('adds its phases up to its time', () => {
    for (const over of Object.values(CASES)) {
      const { time, timings } = entryOf(over);
      const sum = Object.entries(timings).reduce(
        (all, [name, ms]) => (name === 'ssl' || ms < 0 ? all : all + ms),
        0,
      );
      expect(sum).toBeCloseTo(time, 6);
    }
  });
});

describe('what DevTools reads besides', () => {
  it('is there: the type, who caused it, the cache, the error and the messages', () => {
    expect(entryOf({ resourceType: 'XHR' })).toMatchObject({
      _resourceType: 'xhr',
      _initiator: { type: 'script', url: 'https://api.test/app.js', lineNumber: 11 },
    });
    expect(entryOf({ from: 'memory-cache' })).toMatchObject({ _fromCache: 'memory' });
    expect(entryOf(CASES['a failure'] ?? {}).response).toMatchObject({
      status: 0,
      _error: 'net::ERR_FAILED',
    });
    expect(entryOf(CASES['a socket'] ?? {})).toMatchObject({
      _webSocketMessages: [{ type: 'send', opcode: 1, data: 'hi' }],
    });
  });

  it('groups requests by the page that made them', () => {
    const { log } = toHar(
      [captured(), captured({ documentUrl: 'https://other.test/' }), captured()],
      '1',
    );
    expect(log.pages.map(({ id, title }) => [id, title])).toEqual([
      ['page_1', 'https://api.test/'],
      ['page_2', 'https://other.test/'],
    ]);
    expect(log.entries.map((entry) => (entry as { pageref: string }).pageref)).toEqual([
      'page_1',
      'page_2',
      'page_1',
    ]);
  });

  it('lists entries and pages in the order of time, wherever a socket was in the capture', () => {
    const at = captured().startedAt;
    const { log } = toHar(
      [
        captured({ startedAt: at + 20, documentUrl: 'https://other.test/' }),
        captured({ startedAt: at + 30, url: 'wss://api.test/live', resourceType: 'WebSocket' }),
        captured({ startedAt: at }),
      ],
      '1',
    );
    const times = log.entries.map(
      (entry) => (entry as { startedDateTime: string }).startedDateTime,
    );
    expect(times).toEqual([...times].sort());
    expect(log.pages.map(({ title }) => title)).toEqual([
      'https://api.test/',
      'https://other.test/',
    ]);
  });

  it('puts a socket, whose page Chrome does not report, under the last page of its tab and origin', () => {
    const at = captured().startedAt;
    const socket = (over: Partial<CapturedRequest>): CapturedRequest =>
      captured({
        startedAt: at + 9,
        url: 'wss://api.test/live',
        documentUrl: '',
        resourceType: 'WebSocket',
        requestHeaders: { origin: 'https://api.test' },
        ...over,
      });
    const har = toHar(
      [
        captured({ startedAt: at }),
        captured({ startedAt: at + 1, documentUrl: 'https://api.test/second' }),
        captured({ startedAt: at + 2, documentUrl: 'https://other.test/frame' }),
        socket({}),
        socket({ tabId: 'T2' }),
        socket({ requestHeaders: {} }),
        captured({ startedAt: at + 10, documentUrl: 'https://api.test/third' }),
      ],
      '1',
    );
    expect(har.log.pages.map(({ title }) => title)).not.toContain('');
    expect(
      har.log.entries.slice(3, 6).map((entry) => (entry as { pageref?: string }).pageref),
    ).toEqual(['page_2', undefined, undefined]);
    expect(complaintsAboutHar(har)).toEqual([]);
  });
});
