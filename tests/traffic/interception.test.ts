// Handlers that block, mock, change and authenticate: one at a time decides, and no request ever
// gets stuck.
import { beforeEach, describe, expect, it } from 'vitest';
import type { InterceptHandler } from '../../src/browser/traffic/intercept-handler.ts';
import { useChrome, type TestTab } from './chrome.ts';
import { useTrafficSite } from './site.ts';

const chrome = useChrome();
const site = useTrafficSite();
let tab: TestTab;
const errors: [string, string][] = [];

beforeEach(async () => {
  errors.length = 0;
  tab = await chrome.openTab({
    onHandlerError: (name, error) => errors.push([name, (error as Error).message]),
  });
  await tab.goto(`${site.origin}/`);
});

/** Node 20 has no Promise.withResolvers. */
const withResolvers = <T>(): { promise: Promise<T>; resolve: (value: T) => void } => {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
};

const add = async (handler: Partial<InterceptHandler> & Pick<InterceptHandler, 'handle'>) => {
  const registration = tab.interception.add({ name: 'test', onError: 'continue', ...handler });
  await registration.ready;
  return registration;
};

const text = (path: string, init = '{}'): Promise<string> =>
  tab.run(`return (await fetch('${path}', ${init})).text()`);

describe('a handler', () => {
  it('mocks a response, and the record reports that it was mocked', async () => {
    await add({
      name: 'mock',
      patterns: ['*/api/*'],
      handle: ({ url }) => ({
        action: 'fulfill',
        status: 201,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      }),
    });
    expect(
      await tab.run(
        `const answer = await fetch('/api/users'); return [answer.status, await answer.json()]`,
      ),
    ).toEqual([201, { url: `${site.origin}/api/users` }]);
    const record = await tab.ended('/api/users');
    expect(record).toMatchObject({
      status: 201,
      intercepted: { by: 'mock', action: 'fulfill', stage: 'request' },
      mimeType: 'application/json',
    });
    expect((await tab.traffic.body(record)).text).toContain('/api/users');
    expect(site.hits('/api/users')).toBe(0);
    expect(tab.all(`${site.origin}/`)[0]?.intercepted).toBeUndefined();
  });

  it('refuses a request by type and by address, documents and redirects included', async () => {
    await add({
      name: 'guard',
      patterns: ['*/second*', '*/picture.png'],
      resourceTypes: ['Document', 'Image'],
      handle: () => ({ action: 'fail', reason: 'AccessDenied' }),
    });
    expect(await text('/second?as-data')).toContain('second');
    const { errorText } = await tab.goto(`${site.origin}/moved`);
    expect(errorText).toBe('net::ERR_ACCESS_DENIED');
    expect(site.hits('/moved-again')).toBeGreaterThan(0);
    expect(await tab.ended('/second')).toMatchObject({
      state: 'failed',
      failure: { error: 'net::ERR_ACCESS_DENIED' },
      intercepted: { by: 'guard' },
    });
  });

  it('changes headers, method and body of a request', async () => {
    await add({
      handle: () => ({
        action: 'continueWith',
        method: 'POST',
        postData: 'four',
        headers: { 'x-added': 'yes', 'X-Own': null },
      }),
    });
    const seen = JSON.parse(
      await text('/echo?changed', `{ headers: { 'x-own': 'mine', 'x-kept': 'too' } }`),
    ) as {
      method: string;
      size: number;
      headers: object;
    };
    expect(seen).toMatchObject({
      method: 'POST',
      size: 4,
      headers: { 'x-added': 'yes', 'x-kept': 'too' },
    });
    expect(seen.headers).not.toHaveProperty('x-own');
    expect((await tab.ended('/echo?changed')).intercepted).toEqual({
      by: 'test',
      action: 'change',
      stage: 'request',
    });
  });

  it('changes or replaces a response at the response stage, and the record contains the response that the page got', async () => {
    await add({
      stage: 'response',
      patterns: ['*/echo?headers'],
      handle: ({ status }) => ({
        action: 'continueWith',
        status: status! + 1,
        responseHeaders: { 'x-seen': 'yes' },
      }),
    });
    await add({
      stage: 'response',
      patterns: ['*/echo?replaced'],
      handle: () => ({ action: 'fulfill', status: 500, body: 'replaced' }),
    });
    expect(
      await tab.run(
        `const a = await fetch('/echo?headers'); await a.text(); return [a.status, a.headers.get('x-seen'), a.headers.get('content-type')]`,
      ),
    ).toEqual([201, 'yes', 'application/json']);
    expect(await text('/echo?replaced')).toBe('replaced');
    expect(await tab.ended('/echo?headers')).toMatchObject({
      status: 201,
      responseHeaders: { 'x-seen': 'yes' },
    });
    const replaced = await tab.ended('/echo?replaced');
    expect(replaced).toMatchObject({
      status: 500,
      intercepted: { action: 'fulfill', stage: 'response' },
    });
    expect(await tab.traffic.body(replaced)).toEqual({ text: 'replaced', sizeBytes: 8 });
  });

  it('with the higher priority is called first, and one without a verdict leaves it to the next', async () => {
    const asked: string[] = [];
    const handler = (name: string, priority: number, decides: boolean) =>
      add({
        name,
        priority,
        patterns: ['*/who'],
        handle: () => (
          asked.push(name),
          decides ? { action: 'fulfill', status: 200, body: name } : undefined
        ),
      });
    await handler('low', -1, true);
    await handler('middle', 0, true);
    await handler('high', 10, false);
    expect(await text('/who')).toBe('middle');
    expect(asked).toEqual(['high', 'middle']);
  });

  it('that is first is called for a URL that a later one sets', async () => {
    await add({
      name: 'guard',
      priority: 10,
      handle: ({ url }) =>
        url.endsWith('/echo?forbidden') ? { action: 'fail', reason: 'BlockedByClient' } : undefined,
    });
    await add({
      patterns: ['*/elsewhere'],
      handle: () => ({ action: 'continueWith', url: `${site.origin}/echo?forbidden` }),
    });
    await add({
      patterns: ['*/nearby'],
      handle: () => ({ action: 'continueWith', url: `${site.origin}/echo?near` }),
    });
    expect(await text('/elsewhere')).toContain('rejected');
    expect(await text('/nearby')).toContain('GET');
    expect(site.hits('/echo?forbidden')).toBe(0);
  });

  it('sees the requests of frames, workers and service workers', async () => {
    const seen = new Set<string>();
    await add({ patterns: ['*/echo?*'], handle: ({ url }) => void seen.add(new URL(url).search) });
    await tab.run(`
      const frame = document.createElement('iframe'); frame.src = '${site.otherOrigin}/second';
      await new Promise((done) => { frame.onload = done; document.body.append(frame); });
      const worker = new Worker('/worker.js'); const next = () => new Promise((done) => (worker.onmessage = done));
      await next(); worker.postMessage('/echo?worker'); await next();
      await navigator.serviceWorker.register('/service-worker.js'); await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((done) => (navigator.serviceWorker.oncontrollerchange = done));
      await (await fetch('/passed-on')).text();
      for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();`);
    const frame = tab.sessions.find(({ source }) => source.kind === 'iframe')!.session;
    await frame.send('Runtime.evaluate', {
      expression: `fetch('/echo?frame').then((r) => r.text())`,
      awaitPromise: true,
    });
    expect([...seen].sort()).toEqual(['?by-service-worker', '?frame', '?worker']);
  });
});

describe('no request gets stuck', () => {
  it('by a handler that throws', async () => {
    const thrower = (): never => {
      throw new Error('oops');
    };
    await add({ name: 'careless', patterns: ['*/echo?open'], handle: thrower });
    await add({ name: 'strict', patterns: ['*/echo?closed'], onError: 'fail', handle: thrower });
    expect(await text('/echo?open')).toContain('GET');
    expect(await text('/echo?closed')).toContain('rejected');
    expect(await tab.ended('/echo?closed')).toMatchObject({
      failure: { error: 'net::ERR_BLOCKED_BY_CLIENT' },
    });
    expect(errors).toEqual([
      ['careless', 'oops'],
      ['strict', 'oops'],
    ]);
  });

  it('by a handler that hangs', async () => {
    const signals: AbortSignal[] = [];
    const hang = (_request: unknown, signal: AbortSignal) => (
      signals.push(signal),
      new Promise<undefined>(() => {})
    );
    await add({ name: 'slow', timeoutMs: 100, handle: hang });
    expect(await text('/echo?slow')).toContain('GET');
    expect(signals[0]?.aborted).toBe(true);
    expect(errors).toEqual([['slow', 'The handler "slow" did not return within 100 ms.']]);
  });

  it('by a handler that is removed during its decision, or by an added one', async () => {
    const thinking = withResolvers<void>();
    const slow = await add({
      patterns: ['*/echo*'],
      timeoutMs: 60_000,
      handle: () => (thinking.resolve(), new Promise<undefined>(() => {})),
    });
    const answer = text('/echo?waiting');
    await thinking.promise;
    await add({ name: 'other', patterns: ['*/elsewhere'], handle: () => undefined });
    await slow.remove();
    expect(await answer).toContain('GET');
    expect(errors).toEqual([]);
  });

  it('by a verdict that Chrome does not accept', async () => {
    await add({
      name: 'odd',
      handle: () => ({ action: 'continueWith', headers: { 'not a header name': 'x' } }),
    });
    expect(await text('/echo?odd')).toContain('GET');
    expect(errors).toMatchObject([['odd', expect.stringContaining('Fetch.continueRequest')]]);
    expect((await tab.ended('/echo?odd')).intercepted).toBeUndefined();
  });

  it('when everything is taken out', async () => {
    const thinking = withResolvers<void>();
    await add({
      patterns: ['*/echo*'],
      timeoutMs: 60_000,
      handle: () => (thinking.resolve(), new Promise<undefined>(() => {})),
    });
    const answer = text('/echo?disposed');
    await thinking.promise;
    await tab.interception.dispose();
    expect(await answer).toContain('GET');
    expect(tab.interception.active).toBe(false);
  });

  it('when the page leaves while a handler thinks', async () => {
    const thinking = withResolvers<void>();
    const decided = withResolvers<undefined>();
    await add({
      patterns: ['*/echo*'],
      timeoutMs: 60_000,
      handle: () => (thinking.resolve(), decided.promise),
    });
    void tab.run(`void fetch('/echo?left')`);
    await thinking.promise;
    await tab.goto(`${site.origin}/second`);
    decided.resolve(undefined);
    expect(await text('/cached')).toBe('{"cached":true}');
  });
});

describe('authentication', () => {
  const auth = async (
    authenticate: () => { username: string; password: string } | 'cancel' | undefined,
    patterns?: string[],
  ) => {
    const registration = tab.interception.addAuth({
      name: 'auth',
      authenticate,
      ...(patterns ? { patterns } : {}),
    });
    await registration.ready;
    return registration;
  };
  const privatePage = async (query: string) => {
    const { loaderId } = await tab.goto(`${site.origin}/private?${query}`);
    return tab.traffic.document(loaderId);
  };

  it('that is refused is tried once, then the page sees the 401', async () => {
    let asked = 0;
    const wrong = await auth(() => (asked++, { username: 'ada', password: 'wrong' }));
    expect(await privatePage('wrong')).toMatchObject({ status: 401, state: 'finished' });
    expect(asked).toBe(1);
    await wrong.remove();
  });

  it('passes a handler without a verdict, and can be cancelled', async () => {
    const none = await auth(() => undefined, ['*/nothing-here']);
    const cancel = await auth(() => 'cancel');
    expect(await privatePage('cancelled')).toMatchObject({ status: 401 });
    await Promise.all([none.remove(), cancel.remove()]);
  });

  it('sends credentials, next to a handler that changes requests', async () => {
    await add({
      patterns: ['*/private*'],
      handle: () => ({ action: 'continueWith', headers: { 'x-added': 'yes' } }),
    });
    const right = await auth(() => ({ username: 'ada', password: 'secret' }));
    expect(await privatePage('right')).toMatchObject({ status: 200 });
    expect(await tab.run('return document.title')).toBe('private');
    await right.remove();
  });
});
