// validate_page: what is wrong with a page, in one short JSON.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const { json, text, failure } = useEngine();

interface Validation {
  readonly state: { readonly url: string; readonly title: string; readonly mode: string };
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly load: Readonly<Record<string, unknown>>;
  readonly vitals: Readonly<Record<string, number>>;
}

const GOOD = `<!doctype html><html lang="en"><head><title>Good</title><meta name="description" content="A good page"><meta name="viewport" content="width=device-width">
  <link rel="icon" href="data:,"></head><body><h1>Good</h1><p>Text</p><label>Name <input></label><img alt="dot" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="></body></html>`;

const BAD = `<!doctype html><html><head><link rel="icon" href="data:,"></head><body><p id="x">a</p><p id="x">b</p><input name="mail"><button></button><img src="/missing.png">
  <script>console.error('first problem'); console.warn('careful'); fetch('/api/missing').catch(() => {}); setTimeout(() => { throw new Error('thrown') })</script></body></html>`;

it('finds nothing wrong with a page that is in order', async () => {
  const { state, ok, problems, load } = await json<Validation>('validate_page', {
    url: site.page('/good', GOOD),
  });
  expect(state).toMatchObject({ url: `${site.origin}/good`, title: 'Good', mode: 'validate' });
  expect({ ok, problems, load }).toEqual({
    ok: true,
    problems: [],
    load: { status: 200, requests: 1 },
  });
});

it('lists problems briefly', async () => {
  const report = await json<Validation & { page: unknown }>('validate_page', {
    url: site.page('/bad', BAD),
  });
  const { state: _, vitals: __, ...facts } = report;
  expect(JSON.parse(JSON.stringify(facts).replaceAll(site.origin, 'SITE'))).toMatchInlineSnapshot(`
    {
      "broken_images": [
        "/missing.png",
      ],
      "console_errors": [
        "first problem (bad:2)",
        "Uncaught Error: thrown (bad:2)",
      ],
      "console_warnings": 1,
      "controls_without_name": [
        "button",
      ],
      "duplicate_ids": [
        "x x2",
      ],
      "failed_requests": [
        {
          "method": "GET",
          "status": 404,
          "url": "SITE/missing.png",
        },
        {
          "method": "GET",
          "status": 404,
          "url": "SITE/api/missing",
        },
      ],
      "fields_without_label": [
        "input[name=mail] (text)",
      ],
      "images_without_alt": [
        "/missing.png",
      ],
      "load": {
        "requests": 3,
        "status": 200,
      },
      "ok": false,
      "page": {
        "h1": [],
        "images": 1,
      },
      "problems": [
        "2 console errors",
        "2 failed requests",
        "1 broken image",
        "1 image without alt",
        "1 field without label",
        "1 control without name",
        "1 duplicate id",
        "no title",
        "no lang",
        "no meta description",
        "no meta viewport",
        "no h1",
      ],
    }
  `);
  expect(encode(JSON.stringify(report)).length).toBeLessThan(500);
});

it('measures web vitals', async () => {
  const { vitals } = await json<Validation>('validate_page', { url: site.page('/good', GOOD) });
  expect(vitals).toMatchObject({
    lcp_ms: expect.any(Number),
    cls: 0,
    fcp_ms: expect.any(Number),
    ttfb_ms: expect.any(Number),
    load_ms: expect.any(Number),
  });
});

it('counts layout jumps', async () => {
  const url = site.page(
    '/jump',
    '<!doctype html><p style="height:300px">text</p><script>requestAnimationFrame(() => setTimeout(() => { const d = document.createElement("div"); d.style.height = "300px"; document.body.prepend(d) }, 50))</script>',
  );
  await json('navigate', { url });
  await text('javascript_tool', {
    code: 'await new Promise((done) => new PerformanceObserver(done).observe({ type: "layout-shift", buffered: true }))',
  });
  expect((await json<Validation>('validate_page')).vitals['cls']).toBeGreaterThan(0.1);
});

it('uses the current tab, with all events since its page was opened', async () => {
  await json('navigate', { url: site.page('/bad', BAD) });
  await json('navigate', { url: site.page('/good', GOOD) });
  await text('javascript_tool', { code: 'console.error("later")' });
  const { problems } = await json<Validation>('validate_page');
  expect(problems).toEqual(['1 console error']);
});

it('reports a status and a page that does not load', async () => {
  expect(
    (await json<Validation>('validate_page', { url: `${site.origin}/nowhere` })).problems[0],
  ).toBe('HTTP 404');
  const dead = await json<Validation>('validate_page', { url: 'http://127.0.0.1:1/' });
  expect(dead).toMatchObject({ ok: false, load: { error: expect.stringMatching(/^ERR_/) } });
  expect(dead.problems[0]).toMatch(/^not loaded: ERR_/);
});

it('refuses addresses that may not be opened', async () => {
  expect(await failure('validate_page', { url: 'file:///etc/passwd' })).toMatchObject({
    code: 'url_not_allowed',
  });
});
