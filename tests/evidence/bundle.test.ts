// Evidence bundles, read with tar and sha256sum: content, hashes, redaction and failures.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Bundle } from '../../src/features/evidence/bundle.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { folderIn, listArchive, sha256sum, unpack, unpackedFolder } from './archive.ts';

const site = useSite();
const browser = useEngine();

const ALL = [
  'page.json',
  'screenshot.png',
  'dom.html',
  'ax.txt',
  'storage.json',
  'console.json',
  'cookies.json',
  'network.har',
];
const COOKIE = 'k3k3-session-4711-value';
const PASSWORD = 'swordfish!9';
const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ0123456';

const shop = (): string => {
  site.page('/api', (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ user: 'ada', access_token: 'tok-998877665544332211' })),
  );
  site.page('/bytes', (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/octet-stream' })
      .end(Buffer.concat([Buffer.from([0, 1, 2, 255]), Buffer.from(TOKEN)])),
  );
  return site.page('/shop', (_, response) => {
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': `sid=${COOKIE}; Path=/; HttpOnly`,
    });
    response.end(`<!doctype html><title>The shop</title><h1>Chairs</h1><p>key ${TOKEN}</p>
      <label>Name <input id=name></label><input id=pw type=password name=password><button>Buy</button>
      <div style="height:3000px"></div><p>the end</p>
      <script>localStorage.setItem('cart', ['two','chairs','and','a','table'].join('-'));
      sessionStorage.setItem('step', ['paying','by','card'].join('-')); indexedDB.open('orders', 1); console.log('hello from the shop', 'pw=' + '${PASSWORD}'); fetch('/api').then((r) => r.json()); fetch('/bytes').then((r) => r.arrayBuffer());</script>`);
  });
};

/** What a HAR holds in base64. */
const bytesIn = (name: string, content: Buffer): string => {
  if (!name.endsWith('.har')) return '';
  const { log } = JSON.parse(content.toString('utf8')) as {
    log: { entries: { response: { content: { encoding?: string; text?: string } } }[] };
  };
  const bodies = log.entries
    .map(({ response }) => response.content)
    .filter(({ encoding }) => encoding === 'base64');
  return bodies.map(({ text = '' }) => Buffer.from(text, 'base64').toString('latin1')).join();
};

const bundle = (args: object = {}): Promise<Bundle> =>
  browser.json<Bundle>('oc_evidence_bundle', args);
const textOf = (files: Map<string, Buffer>, name: string): string =>
  files.get(name)?.toString('utf8') ?? '';

describe('a bundle of a page', () => {
  test('contains every part, each with the size and the hash of the manifest', async () => {
    await browser.text('navigate', { url: shop(), waitUntil: 'networkidle' });
    const { path, bytes, sha256, parts } = await bundle();
    expect(path.startsWith(join(browser.home, 'evidence'))).toBe(true);
    expect(listArchive(path)).toEqual([...ALL, 'index.html', 'manifest.json']);
    expect(statSync(path).size).toBe(bytes);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(sha256sum(path)).toBe(sha256);
    const files = unpack(path);
    for (const part of parts) {
      expect(part.error).toBeUndefined();
      expect(files.get(part.name)?.length).toBe(part.bytes);
      expect(sha256sum(files.get(part.name) ?? Buffer.alloc(0))).toBe(part.sha256);
    }
    const manifest = JSON.parse(textOf(files, 'manifest.json')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      format: 'openchrome-evidence',
      version: 1,
      url: `${site.origin}/shop`,
      parts,
    });
  });

  test('describes the page', async () => {
    const files = unpack((await bundle()).path);
    expect(JSON.parse(textOf(files, 'page.json'))).toMatchObject({
      url: `${site.origin}/shop`,
      title: 'The shop',
      browser: expect.stringMatching(/\d+\.\d+/) as string,
      viewport: { width: 1280, height: 720, page: { height: expect.any(Number) as number } },
    });
    expect(textOf(files, 'dom.html')).toMatch(/^<!DOCTYPE html>\n<html>[\s\S]*<h1>Chairs<\/h1>/);
    expect(textOf(files, 'ax.txt')).toContain('# Chairs');
    expect(textOf(files, 'ax.txt')).toContain('the end');
    const png = files.get('screenshot.png') ?? Buffer.alloc(0);
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16)]).toEqual(['PNG', 1280]);
    expect(png.readUInt32BE(20)).toBeGreaterThan(3000);
    const { log } = JSON.parse(textOf(files, 'network.har')) as {
      log: { version: string; entries: { request: { url: string } }[] };
    };
    expect(log.entries.map(({ request }) => request.url)).toEqual(
      expect.arrayContaining([`${site.origin}/shop`, `${site.origin}/api`]),
    );
    expect(textOf(files, 'console.json')).toContain('hello from the shop');
    expect(JSON.parse(textOf(files, 'cookies.json'))).toMatchObject({
      cookies: [{ name: 'sid', httpOnly: true, path: '/' }],
    });
    expect(JSON.parse(textOf(files, 'storage.json'))).toEqual({
      origins: [
        {
          origin: site.origin,
          localStorage: [{ name: 'cart', chars: 22 }],
          sessionStorage: [{ name: 'step', chars: 14 }],
          indexedDB: ['orders'],
          caches: [],
        },
      ],
    });
  });

  test('contains no secret in any of its files', async () => {
    await browser.text('javascript_tool', {
      code: `document.querySelector('#pw').value = '${PASSWORD}'; document.body.append(' typed ${PASSWORD} with ${COOKIE}'); console.warn('${COOKIE}', 'ada:${PASSWORD}')`,
    });
    const { path, parts } = await bundle();
    expect(parts.map(({ error }) => error).filter(Boolean)).toEqual([]);
    for (const [name, content] of unpack(path)) {
      const text = content.toString('latin1') + bytesIn(name, content);
      for (const secret of [
        COOKIE,
        PASSWORD,
        TOKEN,
        'tok-998877665544332211',
        'two-chairs-and-a-table',
        'paying-by-card',
      ])
        expect(`${name}: ${text.includes(secret) ? secret : 'clean'}`).toBe(`${name}: clean`);
    }
  });

  test('contains the requested parts, at the requested path', async () => {
    const path = join(browser.home, 'deep', 'down', 'some.tgz');
    const { parts } = await bundle({ parts: ['cookies', 'dom'], path });
    expect(parts.map(({ name }) => name)).toEqual(['page.json', 'dom.html', 'cookies.json']);
    expect(listArchive(path)).toEqual([
      'page.json',
      'dom.html',
      'cookies.json',
      'index.html',
      'manifest.json',
    ]);
  });

  test('contains the documents of frames and the content of shadow roots', async () => {
    site.page('/inner', '<p>inside the frame');
    const url = site.page(
      '/nested',
      `<!doctype html><html lang=en><body><x-card></x-card><iframe src="/inner"></iframe><script>
       document.querySelector('x-card').attachShadow({ mode: 'open' }).innerHTML = '<b>in the shadow</b>'</script>`,
    );
    await browser.text('navigate', { url });
    const { path } = await bundle({ parts: ['dom'] });
    expect(listArchive(path)).toEqual([
      'page.json',
      'dom.html',
      'frames/1.html',
      'index.html',
      'manifest.json',
    ]);
    const files = unpack(path);
    expect(textOf(files, 'dom.html')).toMatch(
      /^<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="[^"]*"><\/head><body><x-card><template shadowrootmode="open"><b>in the shadow<\/b><\/template><\/x-card>.*<\/html>$/s,
    );
    expect(textOf(files, 'frames/1.html')).toContain('inside the frame');
    expect(JSON.parse(textOf(files, 'page.json'))).toMatchObject({
      frames: [{ url: `${site.origin}/inner` }],
    });
  });

  test('can be taken in the background', async () => {
    const { task_id } = await browser.json<{ task_id: string }>('oc_task_start', {
      kind: 'oc_evidence_bundle',
      args: { parts: ['ax'] },
    });
    expect(await browser.json('oc_task_wait', { task_id })).toMatchObject({
      status: 'COMPLETED',
      progress: { done: 2, total: 2 },
    });
    const { result } = await browser.json<{ result: Bundle }>('oc_task_get', {
      task_id,
      include_result: true,
    });
    expect(sha256sum(result.path)).toBe(result.sha256);
  });
});

describe('a bundle that is unpacked', () => {
  const HOSTILE = `<!doctype html><html onload="hit()"><head><title>Trap</title><meta http-equiv="refresh" content="600;url=/x">
    <base href="/elsewhere/"><script>window.hit = () => document.title</script></head>
    <body onclick="hit()"><p>kept</p><a href="${' '.repeat(2000)}java\tscript:hit()">link</a><a href="data:text/html,<script>hit()</script>">data</a>
    <iframe srcdoc="<script>parent.hit()</script>"></iframe><noscript><p title="</noscript><script>hit()</script>"></noscript>
    <svg><script>hit()</script><a xlink:href="javascript:hit()"><animate attributeName="href" to="javascript:hit()"/></a></svg>
    <form action="javascript:hit()"><input name="attributes"><button formaction="javascript:hit()">go</button></form>
    <template><img src=x onerror="hit()"></template><object data="/x"></object><style>p { color: red }</style>
    <div id=host></div><script>
      host.attachShadow({ mode: 'open' }).innerHTML = '<b onmouseover="hit()">shade</b>';
      const style = document.createElement('style'); style.append('a{}</style><img src=x onerror=hit()>'); document.body.append(style);
    </script>`;

  test('is a single folder, whose dom.html has no active content', async () => {
    await browser.text('tabs', { action: 'new', url: site.page('/trap', HOSTILE) });
    const { path, parts } = await bundle({
      parts: ['dom', 'screenshot', 'ax', 'har'],
      path: join(browser.home, 'my proof.tar.gz'),
    });
    expect(folderIn(path)).toBe('my-proof');
    expect(parts.find(({ name }) => name === 'dom.html')?.note).toMatch(
      /\d+ scripts, handlers and other active parts were removed/,
    );
    const file = textOf(unpack(path), 'dom.html');
    const html = file.replaceAll(/<style>.*?<\/style>/gs, ''); // the text of a style sheet is inert
    expect(html).toContain('<p>kept</p>');
    expect(html).toContain('<template shadowrootmode="open"><b>shade</b></template>');
    expect(html).not.toMatch(
      /<script|<base|<object|<noscript|srcdoc|javascript|data:text|http-equiv="refresh"|\son\w+=|<\/style><img/i,
    );
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<title>'));
  });

  test('has an index page that shows every part and runs nothing', async () => {
    const { path, parts } = await bundle();
    const folder = unpackedFolder(path);
    for (const name of ['index.html', ...parts.map((part) => part.name)])
      site.page(`/bundle/${name}`, (_, response) => {
        const type = name.endsWith('.png') ? 'image/png' : 'text/html; charset=utf-8';
        response.writeHead(200, { 'content-type': type }).end(readFileSync(join(folder, name)));
      });
    await browser.text('navigate', { url: `${site.origin}/bundle/index.html`, waitUntil: 'load' });
    const shown = await browser.json<{
      names: string[];
      picture: number;
      frames: string[];
      texts: string;
    }>('javascript_tool', {
      code: `return {
        names: [...document.querySelectorAll('td a')].map((a) => a.textContent),
        picture: document.querySelector('img').naturalWidth,
        frames: [...document.querySelectorAll('iframe')].map((frame) => frame.getAttribute('sandbox')),
        texts: [...document.querySelectorAll('pre')].map((pre) => pre.textContent).join('\\n'),
      }`,
    });
    expect(shown.names).toEqual(parts.map(({ name }) => name));
    expect(shown.picture).toBeGreaterThan(0);
    expect(shown.frames.every((sandbox) => sandbox === '')).toBe(true);
    expect(shown.texts).toContain('200 GET');
    await browser.text('tabs', { action: 'close' });
  });
});

describe('parts that cannot be captured are reported', () => {
  test('of a page that hangs: the parts that come from Chrome itself are complete', async () => {
    await browser.text('navigate', {
      url: site.page(
        '/hang',
        '<title>hangs</title><script>document.cookie="a=b";console.log("soon")</script>',
      ),
    });
    await browser.text('javascript_tool', { code: 'setTimeout(() => { for (;;); }); 1' });
    const { path, parts } = await bundle();
    const failed = parts.filter(({ error }) => error !== undefined);
    expect(failed.map(({ name }) => name)).toEqual([
      'screenshot.png',
      'dom.html',
      'ax.txt',
      'storage.json',
    ]);
    for (const { error } of failed)
      expect(error).toMatch(/^page_unresponsive: The page at .* does not respond/);
    expect(listArchive(path)).toEqual([
      'page.json',
      'console.json',
      'cookies.json',
      'network.har',
      'index.html',
      'manifest.json',
    ]);
    const files = unpack(path);
    expect(textOf(files, 'console.json')).toContain('soon');
    expect(textOf(files, 'cookies.json')).toContain('"a"');
    expect(textOf(files, 'network.har')).toContain('/hang');
    expect(textOf(files, 'page.json')).toContain('"answering": false');
    expect(textOf(files, 'manifest.json')).toContain('page_unresponsive');
    await browser.text('tabs', { action: 'close' });
  });

  test('of work that is cancelled: nothing is left of it', async () => {
    const folder = join(browser.home, 'evidence');
    const before = readdirSync(folder);
    await browser.text('tabs', {
      action: 'new',
      url: site.page('/hang-again', '<title>hangs</title>'),
    });
    await browser.text('javascript_tool', { code: 'setTimeout(() => { for (;;); }); 1' });
    const { task_id } = await browser.json<{ task_id: string }>('oc_task_start', {
      kind: 'oc_evidence_bundle',
    });
    await expect
      .poll(
        async () =>
          (await browser.json<{ meta: { status: string } }>('oc_task_get', { task_id })).meta
            .status,
      )
      .toBe('RUNNING');
    expect(await browser.json('oc_task_cancel', { task_id })).toMatchObject({
      status: 'CANCELLED',
    });
    await browser.text('tabs', { action: 'close' });
    await expect.poll(() => readdirSync(folder)).toEqual(before);
  });

  test('of a page with an open dialog', async () => {
    await browser.text('navigate', { url: site.page('/ask', '<title>asks</title><p>text') });
    await browser.reply('javascript_tool', { code: 'setTimeout(() => alert("well?")); 1' });
    await expect
      .poll(async () => (await browser.text('tabs_context')).includes('well?'))
      .toBe(true);
    const { parts } = await bundle({ parts: ['dom', 'cookies'] });
    expect(parts).toMatchObject(
      [
        { name: 'page.json' },
        { name: 'dom.html', bytes: 0, error: /^dialog_open/ as never },
        { name: 'cookies.json' },
      ].map((part) =>
        'error' in part
          ? { ...part, error: expect.stringMatching(/^dialog_open: /) as string }
          : part,
      ),
    );
    await browser.text('handle_dialog', { action: 'accept' }).catch(() => undefined);
  });

  test('of a page that is longer than a picture can be', async () => {
    await browser.text('tabs', {
      action: 'new',
      url: site.page(
        '/long',
        '<div style="height:60000px;background:linear-gradient(red,blue)">long</div>',
      ),
    });
    const { path, parts } = await bundle({ parts: ['screenshot'] });
    expect(parts[1]).toMatchObject({
      name: 'screenshot.png',
      note: expect.stringMatching(/^the first \d+x16384 of \d+x60\d+$/) as string,
    });
    expect(unpack(path).get('screenshot.png')?.readUInt32BE(20)).toBe(16_384);
  });

  test('a page of many megabytes is stored completely', async () => {
    const url = site.page(
      '/large',
      `<title>large</title>${`<p>A row with the word password in it, ${'and the usual prose '.repeat(40)}</p>`.repeat(9_000)}`,
    );
    await browser.text('navigate', { url });
    const { path, parts } = await bundle({ parts: ['dom', 'ax'] });
    expect(parts.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(unpack(path).get('dom.html')?.length).toBeGreaterThan(7_000_000);
  });
});

describe('a bundle is refused', () => {
  test('for a path outside of the allowed folders, or one that is not an archive', async () => {
    expect(
      await browser.failure('oc_evidence_bundle', { path: '/etc/proof.tar.gz' }),
    ).toMatchObject({ code: 'file_not_allowed' });
    expect(
      await browser.failure('oc_evidence_bundle', {
        path: join(browser.home, '..', '..', 'proof.tgz'),
      }),
    ).toMatchObject({
      code: 'file_not_allowed',
    });
    expect(await browser.failure('oc_evidence_bundle', { path: 'package.json' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'path',
    });
  });

  test('for an unknown part', async () => {
    expect(await browser.failure('oc_evidence_bundle', { parts: ['dom', 'smell'] })).toMatchObject({
      code: 'invalid_argument',
      argument: 'parts',
      known: expect.arrayContaining(['har']) as string[],
    });
  });

  test('if the path is an existing folder or below a file, and nothing is left behind', async () => {
    const folder = join(browser.home, 'taken.tgz');
    mkdirSync(join(folder, 'in it'), { recursive: true });
    writeFileSync(join(browser.home, 'file'), '');
    expect(
      await browser.failure('oc_evidence_bundle', { parts: ['cookies'], path: folder }),
    ).toMatchObject({ code: 'storage_failed' });
    expect(
      await browser.failure('oc_evidence_bundle', {
        parts: ['cookies'],
        path: join(browser.home, 'file', 'a.tgz'),
      }),
    ).toMatchObject({
      code: 'storage_failed',
    });
    expect(readdirSync(browser.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
