// What is small to send and large to take in: bombs, endless streams, expressions that never end,
// and very many of anything.
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { every } from '../../src/core/time.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { readMainThreadMs } from '../main-thread.ts';

const site = useSite();
const engine = useEngine();
const MIB = 1024 * 1024;

interface Cost {
  /** The longest work of the main thread without a reply to another client. */
  readonly blockedMs: number;
  readonly memoryMb: number;
  /** CPU time of the process with its worker threads. */
  readonly cpuMs: number;
}

const cost = async (work: () => Promise<unknown>): Promise<Cost> => {
  let [last, blockedMs, peak] = [readMainThreadMs(), 0, 0];
  const [began, before] = [process.cpuUsage(), process.memoryUsage().rss];
  const look = (): void => {
    const now = readMainThreadMs();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  {
    using _ = every(20, look);
    await work();
  }
  look();
  const { user, system } = process.cpuUsage(began);
  return { blockedMs, memoryMb: (peak - before) / MIB, cpuMs: (user + system) / 1000 };
};

const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
const packed = { gzip: gzipSync, br: brotli, deflate: deflateSync } as const;
/** A lot that compress to next to nothing. */
const bombOf = (start: string, unit: string, bytes = 40 * MIB): Buffer =>
  Buffer.from(start + unit.repeat(Math.ceil(bytes / unit.length)));

describe('a bomb', () => {
  const page = bombOf('<!doctype html><title>Bomb</title>', 'boom ', 40 * MIB);

  it.each(Object.keys(packed) as (keyof typeof packed)[])(
    'of %s in the answer to a crawl is unpacked up to a bound',
    async (encoding) => {
      const body = packed[encoding](page);
      expect(body.length).toBeLessThan(MIB);
      site.page(
        `/bomb-${encoding}`,
        (_, response) =>
          void response
            .writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding })
            .end(body),
      );
      const { memoryMb } = await cost(async () => {
        const { pages } = await engine.json<{ pages: object[] }>('crawl', {
          url: `${site.origin}/bomb-${encoding}`,
          max_pages: 1,
          output_mode: 'inline',
        });
        expect(pages[0]).toMatchObject({ truncated: true });
      });
      expect(memoryMb).toBeLessThan(600);
    },
  );

  it.each([
    ['of depth', '<div>'],
    ['of formatting', '<b>x'],
    ['of elements', '<p>boom</p>'],
    ['of signs', '<'],
  ])('%s in a crawled page does not block the others', async (_, unit) => {
    const body = gzipSync(bombOf('<!doctype html><title>Bomb</title>', unit, 8 * MIB));
    site.page(
      '/markup',
      (_request, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
          .end(body),
    );
    const { blockedMs } = await cost(async () => {
      const { pages } = await engine.json<{ pages: object[] }>('crawl', {
        url: `${site.origin}/markup`,
        max_pages: 1,
        output_mode: 'inline',
      });
      expect(pages[0]).toMatchObject({ truncated: true });
    });
    expect(blockedMs).toBeLessThan(10_000); // some seconds at most, where it used to be minutes
  });

  it.each([
    ['of plain bytes', '', ' '],
    ['of errors', '<urlset><url><loc>', '<!-'],
    ['of elements within elements', '<urlset>', '<a>'],
    ['of elements beside each other', '<urlset>', '<a/>'],
    ['of attributes', '<urlset><url ', 'a="" '],
  ])('in a packed sitemap, %s, is read up to a bound', async (_, start, unit) => {
    const body = gzipSync(bombOf(start, unit, 24 * MIB));
    site.page('/sitemap.xml', (_request, response) => void response.end(body));
    const { cpuMs, memoryMb } = await cost(() =>
      engine.reply('crawl_sitemap', { url: `${site.origin}/sitemap.xml`, max_pages: 1 }),
    );
    expect(cpuMs).toBeLessThan(15_000);
    expect(memoryMb).toBeLessThan(1200);
  });

  it('in a page is Chrome’s to bear: the call ends in time, and the next one works', async () => {
    const body = packed.br(bombOf('{"a":"', 'boom', 40 * MIB));
    site.page(
      '/api',
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
          .end(body),
    );
    await engine.text('navigate', { url: site.page('/page', '<h1>Page</h1>') });
    await engine.reply('javascript_tool', {
      code: `fetch('/api').then((r) => r.text()).then((t) => t.length)`,
      timeout_ms: 10_000,
    });
    const { memoryMb } = await cost(async () => {
      const text = await engine.text('network', { raw: true });
      expect(text.length).toBeLessThan(9 * MIB); // raw: up to 8 MiB of bodies
    });
    expect(memoryMb).toBeLessThan(400);
  });
});

describe('what never ends', () => {
  const pour = (response: ServerResponse, chunk: string): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };

  it.each(['/robots.txt', '/sitemap.xml', '/'])(
    'is read up to a bound by a crawl: %s',
    async (path) => {
      site.page(path, (_, response) =>
        pour(response, 'User-agent: *\nDisallow: /x\n'.repeat(2000)),
      );
      const { cpuMs } = await cost(() =>
        engine.reply(path === '/sitemap.xml' ? 'crawl_sitemap' : 'crawl', {
          url: `${site.origin}/`,
          max_pages: 1,
          timeout_ms: 15_000,
        }),
      );
      expect(cpuMs).toBeLessThan(20_000);
      for (const each of ['/robots.txt', '/sitemap.xml', '/'])
        site.page(each, (_, response) => void response.writeHead(404).end());
    },
  );

  it('is a load that ends with its deadline', async () => {
    site.page('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      pour(response, `<p>${'x'.repeat(1000)}</p>`);
    });
    const { cpuMs } = await cost(() =>
      engine.reply('navigate', { url: `${site.origin}/endless`, timeout_ms: 2000 }),
    );
    expect(cpuMs).toBeLessThan(6000);
    await engine.reply('navigate', { url: 'about:blank' });
  });
});

describe('an expression or a pattern', () => {
  const LONG = 'a'.repeat(30_000);

  it('in a robots.txt of blanks costs no time', async () => {
    site.page(
      '/robots.txt',
      (_, response) =>
        void response.end(`User-agent${' '.repeat(400_000)}x\nallow${' '.repeat(90_000)}x y`),
    );
    site.page('/blank', '<title>Blank</title>');
    const { blockedMs } = await cost(() =>
      engine.text('crawl', { url: `${site.origin}/blank`, max_pages: 1 }),
    );
    expect(blockedMs).toBeLessThan(5000);
  });

  it.each([
    ['request_intercept', { action: 'block', url: `${'*a'.repeat(60)}*b` }],
    ['wait_for', { request: `${'**a'.repeat(60)}**b`, timeout_ms: 800 }],
    ['network', { url: '/(a|a)*b$/' }],
    ['network', { url: '(a+)+$b' }],
  ])('of %s %j does not block other calls', async (tool, args) => {
    await engine.text('navigate', { url: site.page('/quiet', '<h1>Quiet</h1>') });
    const { blockedMs } = await cost(async () => {
      const waiting = engine.reply(tool, args);
      if (tool !== 'network')
        await engine.reply('javascript_tool', {
          code: `fetch('/${'a'.repeat(6000)}').then(() => 1, () => 1)`,
        });
      await waiting;
    });
    await engine.reply('request_intercept', { action: 'clear' });
    expect(blockedMs).toBeLessThan(5000);
  });

  it.each(['**/*/*/done', `${'**/a*'.repeat(6)}b`])(
    'that wait_for compares with an address of 60,000 characters does not block the server: %s',
    async (url) => {
      const push = `let n = 0; setInterval(() => history.pushState(null, '', '/' + ++n + '/a'.repeat(30_000)), 200)`;
      await engine.text('navigate', { url: site.page('/pushes', `<script>${push}</script>`) });
      const { blockedMs } = await cost(() =>
        engine.failure('wait_for', { url, timeout_ms: 1_000 }),
      );
      await engine.reply('navigate', { url: 'about:blank' });
      expect(blockedMs).toBeLessThan(3000);
    },
  );

  it.each(['(a|a)*$', '((a+))+$', '(a|aa)+$', '^(a?){40}a{40}$', '(.*)*x'])(
    'of a schema for extract_data does not block other calls: %s',
    async (pattern) => {
      await engine.text('navigate', {
        url: site.page('/extract', `<title>E</title><h1 class=name>${LONG.slice(0, 5000)}!</h1>`),
      });
      const { blockedMs } = await cost(() =>
        engine.reply('extract_data', {
          schema: { type: 'object', properties: { name: { type: 'string', pattern } } },
          timeout_ms: 10_000,
        }),
      );
      expect(blockedMs).toBeLessThan(5000);
    },
  );

  it.each([
    ['text/html', '<p>text'],
    ['', '<!doctype html><p>text'],
    ['application/xml', '<html><p>text'],
  ])('for leading comments of a page of type %j takes no exponential time', async (type, rest) => {
    const comments = '<!-- --> '.repeat(2000);
    site.page(
      '/comments',
      (_, response) =>
        void response
          .writeHead(200, type === '' ? {} : { 'content-type': type })
          .end(comments + rest),
    );
    const { pages } = await engine.json<{ pages: object[] }>('crawl', {
      url: `${site.origin}/comments`,
      max_pages: 1,
      timeout_ms: 30_000,
    });
    expect(pages).toMatchObject([{ content: 'text' }]);
  });

  it('of a crawl does not block other calls', async () => {
    site.page('/robots.txt', (_, response) => void response.writeHead(404).end());
    const links = Array.from(
      { length: 50 },
      (_, i) => `<a href="/${'a'.repeat(4000)}${i}">x</a>`,
    ).join('');
    const { blockedMs } = await cost(() =>
      engine.reply('crawl', {
        url: site.page('/links', links),
        max_pages: 2,
        include: [`/${'**a'.repeat(9)}b`],
      }),
    );
    expect(blockedMs).toBeLessThan(5000);
  });
});

describe('very many', () => {
  it('messages, requests, storage entries and nodes of a page leave the server bounded and answering', async () => {
    await engine.text('navigate', { url: site.page('/flood', '<h1>Flood</h1>') });
    const { memoryMb } = await cost(async () => {
      await engine.reply('javascript_tool', {
        code: `for (let i = 0; i < 10000; i++) console.log('message ' + i, 'x'.repeat(500));
          for (let i = 0; i < 500; i++) { fetch('/none?' + i + 'y'.repeat(2000)).catch(() => {}); localStorage['k' + i] = 'v'.repeat(5000); }
          let at = document.body; for (let i = 0; i < 400; i++) { const d = document.createElement('div'); at.append(d); at = d; }
          document.body.insertAdjacentHTML('beforeend', '<button>b</button>'.repeat(50000)); 1`,
        timeout_ms: 100_000,
      });
      for (const [tool, args] of [
        ['console', {}],
        ['network', {}],
        ['storage', {}],
        ['read_page', {}],
        ['find', { query: 'b' }],
      ] as const) {
        const { text = '', failure } = await engine.reply(tool, { ...args, timeout_ms: 100_000 });
        expect(failure, tool).toBeUndefined();
        expect(text.length, tool).toBeLessThan(400_000);
      }
    });
    expect(memoryMb).toBeLessThan(800);
  }, 600_000);

  it('sessions cost little, and their handles and tabs are refused or served, never in the way of others', async () => {
    for (let i = 0; i < 300; i++) await engine.text('tabs_context', { session: `s${i}` });
    expect(await engine.text('tabs_context')).toContain('"session":"default"');
  });
});

describe('arguments of extreme depth', () => {
  it('are rejected with a code, and the call has its line in the journal', async () => {
    let nested: unknown = 'x';
    for (let i = 0; i < 3500; i++) nested = [nested];
    for (const args of [
      { url: nested },
      { deep: JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown },
    ]) {
      expect(await engine.failure('navigate', args)).toMatchObject({
        code: 'invalid_argument',
        message: 'The arguments of navigate are more than 64 levels deep.',
      });
      const [entry] = await engine.json<{ tool: string; code?: string }[]>('oc_journal', {
        action: 'recent',
        count: 1,
      });
      expect(entry).toMatchObject({ tool: 'navigate', code: 'invalid_argument' });
    }
  });
});
