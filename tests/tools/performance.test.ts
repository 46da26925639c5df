// performance: the figures are those of what the page really does.
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const later =
  (ms: number, type: string, body: string) =>
  (_: unknown, response: { writeHead: Function; end: Function }) =>
    void setTimeout(() => {
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(body);
    }, ms);
const site = useSite({
  '/plain': '<title>plain</title><h1>Nothing to do</h1>',
  '/slow.css': later(200, 'text/css', 'h1 { color: red }'),
  '/busy.js': later(
    0,
    'text/javascript',
    `
    const until = performance.now() + 250; // on a busy machine these may be few layouts
    for (let n = 0; n < 200 || performance.now() < until; n++) { document.body.style.width = (performance.now() % 100) + 'px'; document.body.offsetHeight; }`,
  ),
  '/heavy': `<title>heavy</title><link rel=stylesheet href=/slow.css><h1>Heavy</h1>${'<p>text</p>'.repeat(300)}<script src=/busy.js></script>`,
  '/shifting':
    '<title>s</title><h1>Shift</h1><script>requestAnimationFrame(() => setTimeout(() => { const d = document.createElement("div"); d.style.height = "500px"; document.body.prepend(d) }, 100))</script><p style="height:400px;background:red">x</p>',
});

const ratingOf = (ms: number, good: number, poor: number): string =>
  ms <= good ? 'good' : ms <= poor ? 'needs improvement' : 'poor';

describe('performance', () => {
  test('returns the vitals of the current page', async () => {
    await browser.json('navigate', { url: `${site.origin}/plain` });
    const shown =
      /^LCP (\d+) ms \(([a-z ]+)\) h1.*, FCP (\d+) ms \(([a-z ]+)\), CLS 0 \(good\), INP unknown, TTFB (\d+) ms \(([a-z ]+)\)/;
    await expect.poll(() => browser.text('performance')).toMatch(shown);
    const [, lcp, lcpRating, fcp, fcpRating, ttfb, ttfbRating] =
      shown.exec(await browser.text('performance')) ?? [];
    // What the web vitals' authors call good, and poor; the machine decides which it is.
    expect(lcpRating).toBe(ratingOf(Number(lcp), 2500, 4000));
    expect(fcpRating).toBe(ratingOf(Number(fcp), 1800, 3000));
    expect(ttfbRating).toBe(ratingOf(Number(ttfb), 800, 1800));
  });

  test('a trace finds the busy script, its forced layouts and what blocks the first paint', async () => {
    const text = await browser.text('performance', {
      action: 'trace',
      url: `${site.origin}/heavy`,
    });
    expect(text).toMatch(/FCP \d+ ms/);
    const [, busy, recorded] = /main thread: busy (\d+) of (\d+) ms \(script \d+/.exec(text) ?? [];
    expect(Number(busy)).toBeGreaterThan(240);
    expect(Number(recorded)).toBeGreaterThan(1000);
    expect(text).toMatch(/long tasks: [1-9]\d*, blocking [1-9]\d\d+ ms/);
    expect(text).toMatch(/ {2}at \d+ ms: (?:[2-9]\d\d|\d{4,}) ms \/busy\.js/);
    expect(text).toMatch(/- \d+ requests? blocks? the first paint: .*\/slow\.css \(\d+ ms\)/);
    expect(text).toMatch(/- \/busy\.js ran for (?:[2-9]\d\d|\d{4,}) ms/);
    expect(text).toMatch(/- \d+ layouts forced by scripts took \d+ ms, most in \/busy\.js/);
  });

  test('without a url the page is reloaded', async () => {
    await browser.json('navigate', { url: `${site.origin}/plain` });
    const text = await browser.text('performance', { action: 'trace', duration_ms: 300 });
    expect(text).toContain('long tasks: ');
    expect(text).toMatch(/transfer: \d+ requests?, \d+ kB/);
  });

  test('records the running page, without a reload', async () => {
    await browser.json('navigate', { url: `${site.origin}/plain` });
    await browser.text('javascript_tool', {
      code: 'window.kept = 1; setTimeout(function burn() { const t = performance.now() + 150; while (performance.now() < t); }, 600)',
    });
    const text = await browser.text('performance', {
      action: 'trace',
      reload: false,
      duration_ms: 1500,
    });
    expect(text).toMatch(/long tasks: [1-9]/);
    expect(await browser.text('javascript_tool', { code: 'window.kept' })).toBe('1');
  });

  test('content that moves is reported', async () => {
    const text = await browser.text('performance', {
      action: 'trace',
      url: `${site.origin}/shifting`,
    });
    expect(text).toMatch(/- content moves while loading \(0\.\d+\)/);
  });

  test('a page that does not load ends the recording too', async () => {
    expect(
      await browser.failure('performance', { action: 'trace', url: 'http://127.0.0.1:1/' }),
    ).toMatchObject({
      code: 'navigation_failed',
    });
    expect(
      await browser.text('performance', {
        action: 'trace',
        url: `${site.origin}/plain`,
        duration_ms: 0,
      }),
    ).toContain('main thread');
  });

  test.each([
    [{ url: 'http://a/' }, { code: 'invalid_argument', argument: 'url' }],
    [{ action: 'profile' }, { code: 'invalid_argument', argument: 'action' }],
    [
      { action: 'trace', duration_ms: -1 },
      { code: 'invalid_argument', argument: 'duration_ms' },
    ],
    [{ action: 'trace', url: 'file:///etc/passwd' }, { code: 'url_not_allowed' }],
  ])('%j is refused', async (args, failure) => {
    expect(await browser.failure('performance', args)).toMatchObject(failure);
  });

  test('a call with its own deadline ends by then, for any duration of the trace', async () => {
    const { code } = await browser.failure('performance', {
      action: 'trace',
      reload: false,
      duration_ms: 60_000,
      timeout_ms: 2000,
    });
    expect(code).toBe('timeout');
  });
});
