// A captured request for tests of what is made of it.
import type { CapturedRequest } from '../../src/core/captured-request.ts';

export const captured = (over: Partial<CapturedRequest> = {}): CapturedRequest => ({
  key: 'GET api.test/items',
  tabId: 'T1',
  startedAt: Date.UTC(2026, 0, 2, 3, 4, 5),
  method: 'GET',
  url: 'https://api.test/items?page=1',
  documentUrl: 'https://api.test/',
  resourceType: 'Fetch',
  state: 'finished',
  status: 200,
  statusText: 'OK',
  contentType: 'application/json',
  size: 15,
  transferred: 200,
  protocol: 'h2',
  remoteAddress: '127.0.0.1:443',
  initiator: { type: 'script', url: 'https://api.test/app.js', line: 12 },
  requestHeaders: { accept: '*/*', 'user-agent': 'Test' },
  responseHeaders: { 'content-type': 'application/json', date: 'today' },
  body: { text: '{"id":1,"a":[]}', size: 15 },
  ttfbMs: 4,
  durationMs: 6,
  ...over,
});
