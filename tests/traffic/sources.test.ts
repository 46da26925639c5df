// Requests of frames, workers and other pages, and their console messages.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleEntry } from '../../src/browser/traffic/console-entry.ts';
import { useChrome, type TestTab } from './chrome.ts';
import { useTrafficSite } from './site.ts';

const chrome = useChrome();
const site = useTrafficSite();
let tab: TestTab;

beforeAll(async () => {
  tab = await chrome.openTab();
  await tab.goto(`${site.origin}/`);
});

describe('requests', () => {
  it('of a frame from another site are recorded from its document on', async () => {
    await tab.run(`
      const frame = document.createElement('iframe');
      frame.src = '${site.otherOrigin}/second?frame';
      await new Promise((done) => { frame.onload = done; document.body.append(frame); });`);
    const record = await tab.ended('/second?frame');
    expect(record).toMatchObject({ resourceType: 'Document', status: 200, state: 'finished' });
    expect((await tab.traffic.body(record)).text).toContain('second');

    const frame = tab.sessions.find(({ source }) => source.kind === 'iframe')!;
    await frame.session.send('Runtime.evaluate', {
      expression: `fetch('/echo?in-frame').then((r) => r.text())`,
      awaitPromise: true,
    });
    const inside = await tab.ended('/echo?in-frame');
    expect(inside).toMatchObject({
      source: frame.source,
      frameId: frame.source.targetId,
      status: 200,
    });

    await tab.run(`document.querySelector('iframe').remove()`);
    await expect.poll(() => frame.session.closed).toBe(true);
    expect((await tab.traffic.body(record)).text).toContain('second');
  });

  it('of a frame that is removed end with it', async () => {
    await tab.run(`
      const frame = document.createElement('iframe');
      frame.src = '${site.otherOrigin}/second?leaving';
      await new Promise((done) => { frame.onload = done; document.body.append(frame); });`);
    const frame = tab.sessions.filter(({ source }) => source.kind === 'iframe').at(-1)!;
    await frame.session.send('Runtime.evaluate', { expression: `void fetch('/never?in-frame')` });
    await expect.poll(() => tab.all('/never?in-frame')).toHaveLength(1);
    await tab.run(`document.querySelector('iframe').remove()`);
    expect((await tab.ended('/never?in-frame')).failure).toMatchObject({
      presumed: true,
      canceled: true,
    });
  });

  it('of a frame of the same site that is removed end with it too', async () => {
    await tab.run(`
      const frame = document.createElement('iframe');
      frame.src = '/second?inside';
      await new Promise((done) => { frame.onload = done; document.body.append(frame); });
      void frame.contentWindow.fetch('/never?inside').catch(() => {});
      void frame.contentWindow.eval("fetch('/never?inside-too')");`);
    await expect.poll(() => tab.all('/never?inside')).toHaveLength(2);
    await tab.run(`document.querySelector('iframe').remove()`);
    expect((await tab.ended('/never?inside-too')).failure).toMatchObject({ canceled: true });
    await expect.poll(() => tab.all('/never?inside').every(({ ended }) => ended)).toBe(true);
  });

  it('of a worker are recorded with their bodies, also when it has ended', async () => {
    await tab.run(`
      const worker = new Worker('/worker.js');
      const next = () => new Promise((done) => (worker.onmessage = done));
      await next(); worker.postMessage('/echo?worker'); await next(); worker.terminate();`);
    const record = await tab.ended('/echo?worker');
    expect(record).toMatchObject({ source: { kind: 'worker' }, status: 200, state: 'finished' });
    await expect.poll(() => record.rawRequestHeaders).toBe(true);
    expect((await tab.traffic.body(record)).text).toContain('"method":"GET"');
    expect(await tab.ended('/worker.js')).toMatchObject({ status: 200, resourceType: 'Script' });
  });

  it('answered by a service worker are marked as such, and its own requests are listed too', async () => {
    const other = await chrome.openTab();
    await other.goto(`${site.origin}/`);
    await other.run(`
      await navigator.serviceWorker.register('/service-worker.js');
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) await new Promise((done) => (navigator.serviceWorker.oncontrollerchange = done));
      await (await fetch('/made-up')).text(); await (await fetch('/passed-on')).text(); await (await fetch('/echo?past')).text();
      for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();`);
    const madeUp = await other.ended('/made-up');
    expect(madeUp).toMatchObject({
      servedFrom: 'service-worker',
      serviceWorkerSource: 'fallback-code',
      status: 200,
      transferredBytes: 0,
    });
    expect(await other.traffic.body(madeUp)).toMatchObject({ text: '{"made":"up"}' });
    expect(await other.ended('/passed-on')).toMatchObject({
      servedFrom: 'service-worker',
      serviceWorkerSource: 'network',
    });
    expect(await other.ended('/echo?by-service-worker')).toMatchObject({
      source: { kind: 'worker' },
      servedFrom: 'network',
      status: 200,
    });
    expect(await other.ended('/echo?past')).toMatchObject({ servedFrom: 'network' });
  });

  it('of several pages are in one list if they share a recorder', async () => {
    const other = await chrome.openTab();
    await tab.traffic.watch(other.page, { kind: 'page', targetId: other.targetId });
    await other.goto(`${site.origin}/second?shared`);
    expect(await tab.ended('/second?shared')).toMatchObject({
      source: { targetId: other.targetId },
      status: 200,
    });
  });
});

describe('the console', () => {
  const said = async (
    body: string,
    isLast: (entry: ConsoleEntry) => boolean,
  ): Promise<ConsoleEntry[]> => {
    const { cursor } = tab.traffic.console;
    const last = tab.traffic.events.next('console', isLast, AbortSignal.timeout(10_000));
    await tab.run(body);
    await last;
    return tab.traffic.console.since(cursor);
  };

  it('keeps calls with levels, places and readable objects', async () => {
    const entries = await said(
      `console.log('plain', { a: 1, b: 'two', c: [1, 2] }, [1, 'x'], null, undefined, 5n, Symbol('s'), new Map([['k', 1]]), function named() {});
       console.warn('%s is %d years %c old', 'Ada', 36.9, 'color: red', { extra: true });
       console.error(new TypeError('broken'));
       console.debug('quiet'); console.assert(1 === 2, 'sums'); console.table([{ a: 1 }]); console.groupEnd(); console.clear();
       console.info('last')\n//# sourceURL=console.js`,
      ({ text }) => text === 'last',
    );
    expect(entries.map(({ level, from, text }) => [level, from, text.split('\n')[0]]))
      .toMatchInlineSnapshot(`
      [
        [
          "info",
          "log",
          "plain {a: 1, b: 'two', c: Array(2)} [1, 'x'] null undefined 5n Symbol(s) Map(1) {'k' => 1} ƒ named()",
        ],
        [
          "warning",
          "warning",
          "Ada is 36 years  old {extra: true}",
        ],
        [
          "error",
          "error",
          "TypeError: broken",
        ],
        [
          "debug",
          "debug",
          "quiet",
        ],
        [
          "error",
          "assert",
          "Assertion failed: sums",
        ],
        [
          "info",
          "table",
          "[{a: 1}]",
        ],
        [
          "info",
          "info",
          "last",
        ],
      ]
    `);
    expect(entries[0]).toMatchObject({
      kind: 'console',
      url: 'console.js',
      line: 1,
      source: { kind: 'page' },
    });
    expect(entries[0]?.stack[0]).toMatchObject({ url: 'console.js', line: 1 });
    expect(Math.abs(entries[0]!.at - Date.now())).toBeLessThan(10_000);
  });

  it('keeps exceptions and rejections, and notes which were handled after all', async () => {
    await said(
      `await new Promise((done) => { const script = document.createElement('script'); script.src = '/throws.js'; script.onload = done; document.body.append(script); });
       window.late = Promise.reject(new Error('late')); Promise.reject(42);
       await new Promise((done) => addEventListener('unhandledrejection', ({ reason }) => reason === 42 && setTimeout(done)));
       addEventListener('rejectionhandled', () => setTimeout(() => console.log('over')));
       window.late.catch(() => {});`,
      ({ text }) => text === 'over',
    );
    const exceptions = [...tab.traffic.console].filter(({ kind }) => kind === 'exception');
    expect(exceptions.map(({ text, handledLater }) => [text, handledLater])).toEqual([
      ['Uncaught TypeError: thrown', false],
      ['Uncaught (in promise) Error: late', true],
      ['Uncaught (in promise) 42', false],
    ]);
    expect(exceptions[0]).toMatchObject({
      level: 'error',
      url: `${site.origin}/throws.js`,
      line: 2,
      column: 9,
    });
    expect(exceptions[0]?.stack.map((frame) => frame.function)).toEqual(['deep', '']);
  });

  it('keeps what Chrome remarks, with the request that it is about', async () => {
    const entries = await said(
      `await fetch('/missing?remark').catch(() => {})`,
      ({ kind, text }) => kind === 'browser' && text.includes('404'),
    );
    const record = await tab.ended('/missing?remark');
    expect(entries.at(-1)).toMatchObject({
      kind: 'browser',
      from: 'network',
      level: 'error',
      requestId: record.requestId,
      url: record.url,
    });
  });

  it('has the words of a worker once, with their structure', async () => {
    const entries = await said(
      `const worker = new Worker('/worker.js'); const next = () => new Promise((done) => (worker.onmessage = done));
       await next(); worker.postMessage('/echo?twice'); await next(); worker.terminate();`,
      ({ text }) => text.startsWith('worker asked'),
    );
    await tab.ended('/echo?twice');
    expect(entries.filter(({ text }) => text.startsWith('worker asked'))).toMatchObject([
      { text: `worker asked for {data: '/echo?twice'}`, source: { kind: 'worker' }, level: 'info' },
    ]);
  });

  it('is bounded in number and in the length of one message', async () => {
    const other = await chrome.openTab({ limits: { consoleCount: 50, consoleTextBytes: 100 } });
    const last = other.traffic.events.next('console', ({ text }) => text === 'done');
    await other.run(
      `for (let i = 0; i < 500; i++) console.log('x'.repeat(10_000)); console.log('done')`,
    );
    await last;
    expect(other.traffic.console).toMatchObject({ size: 50, evicted: 451 });
    expect([...other.traffic.console][0]).toMatchObject({ truncated: true, text: 'x'.repeat(100) });
  });
});
