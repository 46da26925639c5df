// crawl through the whole pipeline, against a site on loopback: what becomes a page, in which
// order, and how it came.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const engine = useEngine();
const crawl = (args: object): Promise<CrawlResult> => engine.json<CrawlResult>('crawl', args);
const PROSE =
  '<p>The first survey was made on foot and took eleven summers. Old maps disagree about where it begins.</p>'.repeat(
    4,
  );
const page = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1>${links.map((link) => `<a href="${link}">${link}</a> `).join('')}`;
const paths = ({ pages }: CrawlResult): string[] =>
  pages.map(({ url }) => url.replace(site.origin, ''));

describe('a crawl', () => {
  it('visits the fixture site breadth first, without a browser', async () => {
    const folder = 'tests/fixtures/sites/many-pages';
    for (const name of readdirSync(folder))
      site.page(`/many/${name}`, readFileSync(`${folder}/${name}`, 'utf8'));
    const { summary, pages } = await crawl({
      url: `${site.origin}/many/index.html`,
      max_pages: 30,
    });
    expect(summary).toMatchObject({
      pages: 30,
      errors: 0,
      stop_reason: 'max_pages',
      via: { fetch: 30, browser: 0 },
    });
    expect(pages[0]).toMatchObject({
      depth: 0,
      title: 'Many Pages - Many Pages',
      links_found: 7,
      via: 'fetch',
    });
    expect(pages[0]?.content).toMatch(/^# Many Pages\n\nThe first survey/);
    expect(pages.map(({ depth }) => depth)).toEqual(
      [...pages.map(({ depth }) => depth)].sort((a, b) => a - b),
    );
  });

  it('visits a page once for all spellings of its URL', async () => {
    site.page(
      '/d/',
      page(
        'Start',
        '/d/a',
        '/d/a/',
        '/d/a#x',
        '/d/a?utm_source=mail',
        '/d/b',
        '/d/alias',
        '/d/moved',
      ),
    );
    site.page('/d/a', page('A', '/d/'));
    site.page('/d/b', page('B').replace('<h1>', '<link rel="canonical" href="/d/b"><h1>'));
    site.page(
      '/d/alias',
      page('B again').replace('<h1>', '<link rel="canonical" href="/d/b"><h1>'),
    );
    site.page(
      '/d/moved',
      (_, response) => void response.writeHead(301, { location: '/d/a' }).end(),
    );
    const result = await crawl({ url: `${site.origin}/d/` });
    expect(paths(result)).toEqual(['/d/', '/d/a', '/d/b']);
    expect(result.summary).toMatchObject({ duplicates: 2, stop_reason: 'completed' });
  });

  it('counts pages with the same content as duplicates', async () => {
    site.page('/same/', page('Start', '/same/a', '/same/b', '/same/c'));
    for (const name of ['a', 'b'])
      site.page(`/same/${name}`, '<!doctype html><title>Same</title><h1>Same</h1>');
    site.page('/same/c', page('Other'));
    const { pages, summary } = await crawl({ url: `${site.origin}/same/` });
    expect(pages.map((each) => each.duplicate_of)).toEqual([
      undefined,
      undefined,
      `${site.origin}/same/a`,
      undefined,
    ]);
    expect(summary).toMatchObject({ pages: 4, duplicates: 1 });
  });

  it('reports a page that has no text without its scripts, and follows its links', async () => {
    site.page(
      '/empty/',
      '<!doctype html><title>Empty</title><iframe src="/empty/frame"></iframe><script>fill()</script>',
    );
    site.page('/empty/frame', page('Frame'));
    const { pages, summary } = await crawl({ url: `${site.origin}/empty/`, render: 'fetch' });
    expect(pages).toMatchObject([
      { title: 'Empty', content: '', error: expect.stringContaining('no text') as string },
      { title: 'Frame' },
    ]);
    expect(summary.errors).toBe(1);
  });

  it('renders a page that has no text when it is fetched', async () => {
    // Without a script element: only the attribute shows that there is one.
    site.page(
      '/handler',
      '<!doctype html><title>Handler</title><body onload="this.document.body.append(`Filled by a handler`)">',
    );
    const { pages } = await crawl({ url: `${site.origin}/handler` });
    expect(pages).toMatchObject([{ via: 'browser', content: 'Filled by a handler' }]);
  });

  it('stops at the maximum depth, and reports it', async () => {
    for (const i of [1, 2, 3, 4]) site.page(`/deep/${i}`, page(`${i}`, `/deep/${i + 1}`));
    const result = await crawl({ url: `${site.origin}/deep/1`, max_depth: 1 });
    expect(paths(result)).toEqual(['/deep/1', '/deep/2']);
    expect(result.summary.stop_reason).toBe('max_depth');
  });

  it('counts rejected URLs, which do not count as pages', async () => {
    site.page(
      '/robots.txt',
      (_, response) => void response.end('User-agent: *\nDisallow: /r/secret\n'),
    );
    site.page(
      '/r/',
      page('Start', '/r/secret', 'https://elsewhere.example/', '/r/photo.jpg', '/r/x', '/r/y'),
    );
    for (const name of ['x', 'y', 'secret']) site.page(`/r/${name}`, page(name));
    const result = await crawl({ url: `${site.origin}/r/`, max_pages: 3 });
    expect(paths(result)).toEqual(['/r/', '/r/x', '/r/y']);
    expect(result.summary.refused).toEqual({
      robots: 1,
      scope: 1,
      private: 0,
      domain: 0,
      type: 1,
      sign_out: 0,
    });
    const rude = await crawl({ url: `${site.origin}/r/`, respect_robots: false });
    expect(paths(rude)).toContain('/r/secret');
    expect(await crawl({ url: `${site.origin}/r/secret` })).toMatchObject({
      summary: { stop_reason: 'start_refused', pages: 0 },
      pages: [],
    });
  });

  it('narrows by globs', async () => {
    site.page('/g/', page('Start', '/g/docs/a', '/g/docs/old/b', '/g/blog'));
    for (const name of ['docs/a', 'docs/old/b', 'blog']) site.page(`/g/${name}`, page(name));
    const result = await crawl({
      url: `${site.origin}/g/`,
      include: ['/g/docs/**'],
      exclude: ['**/old/**'],
    });
    expect(paths(result)).toEqual(['/g/', '/g/docs/a']);
  });

  it('follows the redirect of the start page', async () => {
    site.page(
      '/go',
      (_, response) =>
        void response.writeHead(302, { location: `http://localhost:${site.port}/home` }).end(),
    );
    site.page('/home', page('Home', '/next'));
    site.page('/next', page('Next'));
    const { pages } = await crawl({ url: `${site.origin}/go` });
    expect(pages.map(({ title }) => title)).toEqual(['Home', 'Next']);
    expect(pages[0]).toMatchObject({
      url: `http://localhost:${site.port}/home`,
      requested_url: `${site.origin}/go`,
    });
  });

  it('retries if the server requests it, and reports remaining failures', async () => {
    let asked = 0;
    site.page('/busy', (_, response) => {
      if (++asked < 3) response.writeHead(429, { 'retry-after': '1' }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page('At last', '/gone'));
    });
    const from = performance.now();
    const { pages } = await crawl({ url: `${site.origin}/busy` });
    expect(pages).toMatchObject([
      { title: 'At last' },
      { error: 'HTTP 404', status: 404, content: '' },
    ]);
    expect(performance.now() - from).toBeGreaterThan(1900);
  });

  it('waits the given delay between two pages', async () => {
    const times: number[] = [];
    const answer =
      (title: string, ...links: string[]) =>
      (
        _: unknown,
        response: { end(text: string): void; setHeader(k: string, v: string): void },
      ) => {
        times.push(performance.now());
        response.setHeader('content-type', 'text/html');
        response.end(page(title, ...links));
      };
    site.page('/slow/', answer('Start', '/slow/1', '/slow/2'));
    site.page('/slow/1', answer('1'));
    site.page('/slow/2', answer('2'));
    await crawl({ url: `${site.origin}/slow/`, delay_ms: 300 });
    // twice 300, less what the first was late
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(450);
  });

  it('returns the other formats', async () => {
    site.page(
      '/f',
      `<!doctype html><html lang="en"><title>F</title><h1>Head</h1><p>One <b>two</b></p><table><tr><th>k<td>v</table><a href="/f">self</a>`,
    );
    expect(
      (await crawl({ url: `${site.origin}/f`, output_format: 'text' })).pages[0]?.content,
    ).toBe('Head\nOne two\nk\tv\nself');
    expect(
      (await crawl({ url: `${site.origin}/f`, output_format: 'structured' })).pages[0]?.content,
    ).toMatchObject({
      language: 'en',
      headings: [{ level: 1, text: 'Head' }],
      tables: [[['k', 'v']]],
      links: [{ text: 'self', url: `${site.origin}/f` }],
    });
  });
});

describe('a URL that is not a site', () => {
  it.each(['crawl', 'crawl_sitemap'])('is refused by %s', async (tool) => {
    expect(await engine.failure(tool, { url: 'about:blank' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'url',
    });
  });
});

describe('rendering', () => {
  const app = `<!doctype html><title>App</title><div id="root"></div><script>
    setTimeout(() => { document.title = 'Filled'; document.getElementById('root').innerHTML = '<h1>Hello</h1>${PROSE}<a href="/app/two">two</a>'; }, 100);
    fetch('/app/data').then(() => {});</script>`;

  it('uses a tab where scripts are needed, and only there', async () => {
    site.page('/app/', app);
    site.page('/app/two', page('Two'));
    const { pages, summary } = await crawl({ url: `${site.origin}/app/` });
    expect(pages).toMatchObject([
      { title: 'Filled', via: 'browser', content: expect.stringContaining('# Hello') as string },
      { title: 'Two', via: 'fetch' },
    ]);
    expect(summary.via).toEqual({ fetch: 1, browser: 1 });
  });

  it('uses no tab, or a tab for every page, if configured', async () => {
    expect((await crawl({ url: `${site.origin}/app/`, render: 'fetch' })).pages).toMatchObject([
      { title: 'App', via: 'fetch' },
    ]);
    expect(
      (await crawl({ url: `${site.origin}/deep/1`, render: 'browser' })).pages.map(
        ({ via }) => via,
      ),
    ).toEqual(['browser', 'browser', 'browser']);
  });

  it('does not use the current tab and closes its own tabs', async () => {
    await engine.json('navigate', { url: `${site.origin}/deep/4` });
    await engine.text('wait_for', { loadState: 'load' });
    const before = await engine.json('tabs_context');
    await crawl({ url: `${site.origin}/deep/1`, render: 'browser' });
    await expect.poll(() => engine.json('tabs_context')).toEqual(before);
  });

  it('is not blocked by dialogs, popups and downloads', async () => {
    site.page('/h/', page('Start', '/h/alert', '/h/leave', '/h/popup', '/h/file'));
    site.page(
      '/h/alert',
      `${page('Alert')}<script>alert('stop'); confirm('really'); document.title = 'Went on'</script>`,
    );
    site.page(
      '/h/leave',
      `${page('Leave')}<script>onbeforeunload = (e) => { e.preventDefault(); return 'no'; }</script>`,
    );
    site.page('/h/popup', `${page('Popup')}<script>open('/h/alert')</script>`);
    site.page('/h/file', (_, response) => {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="x.bin"',
      });
      response.end('x'.repeat(1000));
    });
    const { pages } = await crawl({
      url: `${site.origin}/h/`,
      render: 'browser',
      timeout_ms: 50_000,
    });
    expect(pages.map(({ title }) => title)).toEqual(['Start', 'Went on', 'Leave', 'Popup', '']);
    expect(pages[4]?.error).toContain('download');
  });
});
