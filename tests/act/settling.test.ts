// The time of a receipt: after the effects of the action's own requests, and no later.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const endless: ServerResponse[] = [];
const site = useSite({
  '/answer': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end('Approved'),
  '/measured': (_, response) =>
    void response.writeHead(200, { 'content-length': 8 }).end('Approved'),
  '/torn': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('Appr');
    setTimeout(() => response.end('oved'), 120);
  },
  '/nothing': (_, response) => void response.writeHead(204).end(),
  '/endless': (_, response) => {
    endless.push(response);
    response.writeHead(200, { 'content-type': 'text/plain' }).write('and so on');
  },
});
/**
 * What an answer is waited for at the most, and what is less than that on any machine; how quick it
 * is, is measured in bench/.
 */
const SETTLE_MS = 20_000;
const SOONER_MS = 10_000;

const server = useEngine();
let number = 0;

const open = async (code: string): Promise<string> => {
  // Chrome opens no more than six connections to a site
  for (const response of endless.splice(0)) response.destroy();
  const page = `<!doctype html><meta charset=utf-8><button onclick="${code}">Go</button><p id=out role=status></p>
<script>let n = 0; const say = () => { out.textContent = 'Answer ' + ++n }</script>`;
  await server.json('navigate', { url: site.page(`/settling-${++number}`, page) });
  return /\be\d+\b/.exec(await server.text('find', { query: 'Go' }))?.[0] ?? '';
};

const click = async (ref: string): Promise<{ text: string; ms: number }> => {
  const startedAt = performance.now();
  return {
    text: await server.text('interact', { action: 'click', ref, settleMs: SETTLE_MS }),
    ms: performance.now() - startedAt,
  };
};

const clicks = async (ref: string, times: number): Promise<{ texts: string[]; ms: number }> => {
  const all = [];
  for (let i = 0; i < times; i++) all.push(await click(ref));
  const took = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    texts: all.map(({ text }) => text.replace(/^.*?"Go"; /, '')),
    ms: took[times >> 1] ?? 0,
  };
};

const told = (times: number): string[] =>
  Array.from({ length: times }, (_, i) => `1 request; status "Answer ${i + 1}"; 1 DOM change`);

describe('the effects of a response', () => {
  it.each([
    ['is read at once', `fetch('/answer', { method: 'POST' }).then((r) => r.text()).then(say)`],
    ['is not read', `fetch('/answer', { method: 'POST' }).then(say)`],
    ['has a length and is not read', `fetch('/measured', { method: 'POST' }).then(say)`],
    [
      'is read by an older interface',
      `const x = new XMLHttpRequest(); x.open('GET', '/answer'); x.onload = say; x.send()`,
    ],
    ['has no content', `fetch('/nothing').then(say)`],
    [
      'is drawn in the next frame',
      `fetch('/answer').then((r) => r.text()).then(() => requestAnimationFrame(say))`,
    ],
    [
      'is shown in tasks of their own',
      `fetch('/answer').then((r) => r.text()).then(() => setTimeout(() => setTimeout(say)))`,
    ],
  ])('are reported every time when it %s', async (_, code) => {
    expect((await clicks(await open(code), 8)).texts).toEqual(told(8));
  });

  it('are reported if its body arrives slowly', async () => {
    const { texts } = await clicks(await open(`fetch('/torn').then((r) => r.text()).then(say)`), 2);
    expect(texts).toEqual(told(2));
  });

  it('are reported although another effect was visible before, during the wait', async () => {
    const ref = await open(`out.title = n; fetch('/answer').then((r) => r.text()).then(say)`);
    const { texts } = await clicks(ref, 8);
    expect(texts).toEqual(told(8).map((text) => text.replace('1 DOM change', '2 DOM changes')));
  });
});

describe('what never ends', () => {
  it.each([
    ['nobody reads', `fetch('/endless').then(say)`],
    [
      'the page reads bit by bit',
      `fetch('/endless').then(async (r) => { for await (const _ of r.body) say() })`,
    ],
  ])('is not waited for when %s', async (_, code) => {
    const { texts, ms } = await clicks(await open(code), 3);
    expect(texts).toEqual(told(3));
    expect(ms).toBeLessThan(SOONER_MS);
  });

  it('is reported for each request, also for a repeated one', async () => {
    const { texts, ms } = await clicks(await open(`fetch('/endless')`), 3);
    expect(texts).toEqual(['1 request', '1 request', '1 request']);
    expect(ms).toBeLessThan(SOONER_MS);
  });
});

describe('a tab in the background', () => {
  it('is drawn while a click waits for the animation that it started', async () => {
    const page = `<!doctype html><div id=box>Confirm</div>
<button onclick="box.animate({ opacity: [1, 0] }, 250).finished.then(() => box.remove())">Close</button>`;
    const { tabId } = await server.json<{ tabId: string }>('tabs', {
      action: 'new',
      url: site.page('/background', page),
    });
    await server.json('tabs', { action: 'new' });
    await server.text('interact', { action: 'click', query: 'Close', tabId });
    const code = 'document.getElementById("box") === null';
    expect(await server.text('javascript_tool', { code, tabId })).toBe('true');
  });
});
