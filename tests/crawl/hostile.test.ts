// A crawl of a site that means harm, or is merely broken, ends bounded and clean.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const robotsSite = useSite();
const engine = useEngine();
const crawl = (args: object): Promise<CrawlResult> =>
  engine.json<CrawlResult>('crawl', { output_mode: 'inline', ...args });
const page = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1>${links.map((link) => `<a href="${link}">${link}</a> `).join('')}`;
const html = { 'content-type': 'text/html' };

/** Sends one chunk after the other as long as anybody listens. */
const pour = (chunk: Buffer) => (_: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, html);
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

describe('fetched', () => {
  it('redirect loops, circles and redirects without end are errors of their page', async () => {
    site.page('/loop', page('Start', '/loop/a', '/loop/self', '/loop/on'));
    site.page(
      '/loop/a',
      (_, response) => void response.writeHead(302, { location: '/loop/b' }).end(),
    );
    site.page(
      '/loop/b',
      (_, response) => void response.writeHead(302, { location: '/loop/a' }).end(),
    );
    site.page(
      '/loop/self',
      (_, response) => void response.writeHead(302, { location: '/loop/self' }).end(),
    );
    site.page('/loop/on', ({ url = '' }, response) => {
      const n = Number(new URL(url, site.origin).searchParams.get('n'));
      response.writeHead(302, { location: `/loop/on?n=${n + 1}` }).end();
    });
    const { pages } = await crawl({ url: `${site.origin}/loop` });
    expect(pages.slice(1).map(({ error }) => error)).toEqual([
      expect.stringContaining('in a loop'),
      expect.stringContaining('in a loop'),
      expect.stringContaining('more than 10 times'),
    ]);
  });

  it('a calendar without end stops at the number of pages', async () => {
    site.page('/calendar', ({ url = '' }, response) => {
      const day = Number(new URL(url, site.origin).searchParams.get('day'));
      response
        .writeHead(200, html)
        .end(page(`Day ${day}`, `/calendar?day=${day + 1}`, `/calendar?day=${day + 2}`));
    });
    const { summary } = await crawl({
      url: `${site.origin}/calendar`,
      max_depth: 1_000_000,
      max_pages: 50,
    });
    expect(summary).toMatchObject({ pages: 50, stop_reason: 'max_pages' });
  });

  it('a body without end is read up to a size', async () => {
    site.page('/huge', pour(Buffer.from(`<p>${'word '.repeat(13_000)}</p>`)));
    const { pages } = await crawl({ url: `${site.origin}/huge` });
    expect(pages[0]).toMatchObject({ truncated: true });
    expect(JSON.stringify(pages[0]?.content).length).toBeLessThanOrEqual(501_000);
  });

  it('types that lie, no types and broken bytes do no harm', async () => {
    const answer = (path: string, type: string | undefined, body: Buffer | string): void =>
      void site.page(
        path,
        (_, response) =>
          void response
            .writeHead(200, type === undefined ? {} : { 'content-type': type })
            .end(body),
      );
    site.page(
      '/types',
      page('Start', '/t/pdf', '/t/png', '/t/none', '/t/json', '/t/utf8', '/t/latin', '/t/gzip'),
    );
    answer('/t/pdf', 'application/pdf', '%PDF-1.4');
    answer('/t/png', 'text/html', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]));
    answer('/t/none', undefined, '<!doctype html><title>None</title><p>text</p>');
    answer('/t/json', 'application/json', '{"a":1}');
    answer(
      '/t/utf8',
      'text/html; charset=utf-8',
      Buffer.concat([
        Buffer.from('<title>Bad</title><p>a'),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from('b</p>'),
      ]),
    );
    answer('/t/latin', 'text/html; charset=nonsense', '<title>Odd</title><p>ok</p>');
    site.page(
      '/t/gzip',
      (_, response) =>
        void response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end('no gzip'),
    );
    const { pages } = await crawl({ url: `${site.origin}/types` });
    expect(pages.slice(1)).toMatchObject([
      { error: 'document_unreadable: The file is not a PDF, or it is damaged.' },
      { error: 'not a page: text/html' },
      { title: 'None', content: 'text' },
      { content: '{"a":1}', content_type: 'application/json' },
      { title: 'Bad', content: 'a\uFFFD\uFFFD\uFFFDb' },
      { title: 'Odd', content: 'ok' },
      { error: expect.stringContaining('Z_DATA_ERROR') as string },
    ]);
  });

  it('a page nested ten thousand deep, or with a hundred thousand links, is a page', async () => {
    site.page('/nested', `<title>Nested</title>${'<div>'.repeat(10_000)}deep`);
    site.page(
      '/links',
      `<title>Links</title>${Array.from({ length: 100_000 }, (_, i) => `<a href="/l/${i}">${i}</a>`).join('')}`,
    );
    expect(
      (await crawl({ url: `${site.origin}/nested`, max_pages: 1 })).pages[0]?.content,
    ).toContain('deep');
    expect((await crawl({ url: `${site.origin}/links`, max_pages: 1 })).pages[0]).toMatchObject({
      title: 'Links',
      links_found: 5000,
    });
  });

  it('of a robots.txt of 10 MB only the beginning is read', async () => {
    robotsSite.page('/robots.txt', (_, response) => {
      const text = `User-agent: *\nDisallow: /first\n${'# filling\n'.repeat(1_000_000)}Disallow: /last\n`;
      response.end(text);
    });
    robotsSite.page('/', page('Start', '/first', '/last'));
    robotsSite.page('/last', page('Last'));
    const { pages, summary } = await crawl({ url: robotsSite.origin });
    expect(pages.map(({ title }) => title)).toEqual(['Start', 'Last']);
    expect(summary.refused.robots).toBe(1);
  });

  it('a page that sends its bytes slowly is cancelled at its time limit', async () => {
    site.page('/drip', (_, response) => {
      response.writeHead(200, html);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(timer));
    });
    site.page('/drips', page('Start', '/drip'));
    const { pages, summary } = await crawl({ url: `${site.origin}/drips`, timeout_ms: 4000 });
    expect(pages.map(({ title }) => title)).toEqual(['Start']);
    expect(summary.stop_reason).toBe('timeout');
  });
});

describe('in a tab', () => {
  it('pages that never become idle end with the time of the crawl, and leave no tabs', async () => {
    const script = (title: string, code: string): string =>
      `<!doctype html><title>${title}</title><script>${code}</script>`;
    site.page(
      '/restless',
      page('Start', '/busy', '/asks', '/circles', '/itself', '/pours', '/calm'),
    );
    site.page('/busy', script('Busy', 'for (;;);'));
    site.page('/asks', script('Asks', 'for (;;) alert(1)'));
    site.page('/circles', script('Circles', 'location = "/circles?" + Math.random()'));
    site.page(
      '/itself',
      (_, response) => void response.writeHead(302, { location: '/itself' }).end(),
    );
    site.page('/pours', pour(Buffer.from(`<p>${'word '.repeat(13_000)}</p>`)));
    site.page('/calm', page('Calm'));
    // Without its time limit this crawl would not end.
    const { pages, summary } = await crawl({
      url: `${site.origin}/restless`,
      render: 'browser',
      concurrency: 6,
      timeout_ms: 8_000,
    });
    expect(pages.map(({ title }) => title)).toEqual(expect.arrayContaining(['Start', 'Calm']));
    expect(pages.find(({ url }) => url.endsWith('/itself'))?.error).toContain(
      'ERR_TOO_MANY_REDIRECTS',
    );
    expect(summary.stop_reason).toBe('timeout');
    const { sessions } = await engine.json<{ sessions: string[] }>('oc_connection_health');
    expect(sessions.filter((name) => name.startsWith('crawl:'))).toEqual([]);
    expect((await crawl({ url: `${site.origin}/calm`, render: 'browser' })).pages).toMatchObject([
      { title: 'Calm', via: 'browser' },
    ]);
  });
});

describe('a rendered page', () => {
  it('is cut at the same size as a fetched one', async () => {
    const script = 'document.body.innerHTML = "<b>x</b>".repeat(120_000)';
    site.page(
      '/many-elements',
      `<!doctype html><title>Many</title><body><script>${script}</script>`,
    );
    const { pages } = await crawl({
      url: `${site.origin}/many-elements`,
      render: 'browser',
      output_format: 'text',
    });
    expect(pages).toMatchObject([{ title: 'Many', via: 'browser', truncated: true }]);
  });
});

describe('addresses', () => {
  it('other schemes and files are not followed from the web', async () => {
    site.page(
      '/schemes',
      page(
        'Start',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'data:text/html,x',
        'ftp://a.test/',
        'chrome://version',
      ),
    );
    const { pages, summary } = await crawl({ url: `${site.origin}/schemes`, scope: 'any' });
    expect(pages).toHaveLength(1);
    expect(summary.refused.private).toBe(1);
  });

  it('files are not the start either, unless the server allows it', async () => {
    expect((await engine.failure('crawl', { url: 'file:///etc/hosts' })).code).toBe(
      'url_not_allowed',
    );
  });

  it('a host that does not exist is an error of its page', async () => {
    const { pages } = await crawl({ url: 'http://no-such-host.invalid/' });
    expect(pages).toMatchObject([{ error: expect.stringContaining('dns_failed') as string }]);
  });
});
