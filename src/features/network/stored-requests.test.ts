// The stored form of requests: built once, and again after a change of the request or of secrets.
import { describe, expect, it, vi } from 'vitest';
import type { Browser } from '../../browser/browser.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Body } from '../../browser/traffic/bodies.ts';
import { RequestDraft } from '../../browser/traffic/request-record.ts';
import type { Traffic } from '../../browser/traffic/traffic.ts';
import type { TrafficEvents } from '../../browser/traffic/request-log.ts';
import { WorkspaceTraffic } from '../../browser/traffic/workspace-traffic.ts';
import { Events } from '../../core/events.ts';
import { WorkerPool } from '../../core/worker-pool.ts';
import { createRedactor } from '../../policy/redact.ts';
import { prepareWhenQuiet } from './prepare-when-quiet.ts';
import { rehearseListing } from './rehearse-listing.ts';
import { buildStoredRequest } from './stored-requests.ts';

const useTraffic = () => {
  const redactor = createRedactor();
  const traffic = new WorkspaceTraffic(redactor);
  const bodies = new Map<RequestDraft, Body>();
  const tab = {
    events: new Events<TrafficEvents>(),
    requests: [],
    startedAt: 0,
    heldBody: (record: RequestDraft) => bodies.get(record),
  };
  traffic.follow(tab as unknown as Traffic, 'T', { late: false });
  const { signal } = new AbortController();
  const request = (i: number, body = `{"i":${i}}`): RequestDraft => {
    const source = { kind: 'page', targetId: 'T' } as const;
    const record = new RequestDraft(i, String(i), `https://a.test/${i}`, 'GET', source);
    record.resourceType = 'XHR';
    record.requestHeaders = { 'x-note': 'correct-horse-9' };
    bodies.set(record, { text: body });
    tab.events.emit('request', record);
    record.state = 'finished';
    tab.events.emit('finished', record);
    return record;
  };
  const store = (maxBodyBytes = 1000) =>
    Promise.all(
      traffic
        .requests()
        .map((seen) => buildStoredRequest(seen, { traffic, redactor, signal, maxBodyBytes })),
    );
  return { traffic, redactor, bodies, request, store };
};

describe('the stored form of a request', () => {
  it('is built once', async () => {
    const { request, store } = useTraffic();
    request(1);
    const [first] = await store();
    expect(JSON.parse(first?.json ?? '')).toMatchObject({
      url: 'https://a.test/1',
      requestHeaders: { 'x-note': 'correct-horse-9' },
      body: { text: '{"i":1}' },
    });
    expect((await store())[0]).toBe(first);
  });

  it('does not contain a secret that was learned after it was built', async () => {
    const { redactor, request, store } = useTraffic();
    request(1);
    await store();
    redactor.addSecret('correct-horse-9');
    const [form] = await store();
    expect(form?.json).not.toContain('correct-horse-9');
    redactor.forOrigins(['https://a.test']).learnFromPage('https://a.test', 'new-password-7');
    expect((await store())[0]).not.toBe(form);
  });

  it('has the headers and the body that arrived after it was built', async () => {
    const { bodies, request, store } = useTraffic();
    const record = request(1);
    await store();
    record.responseHeaders = { server: 'late' };
    expect((await store())[0]?.json).toContain('"server":"late"');
    bodies.set(record, { text: 'late body' });
    expect((await store())[0]?.json).toContain('late body');
  });

  it('has a shorter body if the limit is smaller than when it was built', async () => {
    const { request, store } = useTraffic();
    request(1, 'x'.repeat(500));
    await store();
    expect((await store(100))[0]?.bodySize).toBe(100);
    expect((await store())[0]?.bodySize).toBe(500);
  });
});

it('many requests are prepared when the traffic pauses', async () => {
  vi.useFakeTimers();
  try {
    const { traffic, redactor, request, store } = useTraffic();
    const text = vi.spyOn(redactor, 'forOrigins');
    prepareWhenQuiet(traffic, { redactor });
    for (let i = 1; i <= 25; i++) {
      request(i);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(text).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(400);
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(0);
    expect(text).toHaveBeenCalledTimes(25);
    await store();
    expect(text).toHaveBeenCalledTimes(25);
  } finally {
    vi.useRealTimers();
  }
});

describe('the rehearsal of a listing', () => {
  const pause = async (): Promise<void> => {
    await vi.advanceTimersByTimeAsync(400);
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(0);
  };

  it('runs once, when the traffic pauses for the first time', async () => {
    vi.useFakeTimers();
    try {
      const { traffic, redactor, request } = useTraffic();
      const rehearse = vi.fn<() => Promise<void>>().mockResolvedValue();
      prepareWhenQuiet(traffic, { redactor, rehearse });
      for (let i = 1; i <= 25; i++) request(i);
      expect(rehearse).not.toHaveBeenCalled();
      await pause();
      expect(rehearse).toHaveBeenCalledOnce();
      for (let i = 26; i <= 50; i++) request(i);
      await pause();
      expect(rehearse).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not request bodies from Chrome', async () => {
    const { traffic, redactor, bodies, request } = useTraffic();
    for (let i = 1; i <= 25; i++) bodies.delete(request(i));
    const body = vi.spyOn(traffic, 'body');
    const session = { name: 'default', traffic } as unknown as Session;
    const browser = { running: true } as unknown as Browser;
    const workers = new WorkerPool();
    const { signal } = new AbortController();
    const named = vi.spyOn(traffic, 'requests');
    await rehearseListing({ browser, session, redactor, workers, signal });
    expect(named).toHaveBeenCalled();
    expect(body).not.toHaveBeenCalled();
  });
});
