// crawl_sitemap through the whole pipeline: finding sitemaps, their pages, and the report about
// broken ones.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const engine = useEngine();
const crawl = (args: object): Promise<CrawlResult> =>
  engine.json<CrawlResult>('crawl_sitemap', args);
const urlset = (...paths: readonly (string | [string, string])[]): string =>
  `<urlset>${paths
    .map((path) => (typeof path === 'string' ? [path, ''] : path))
    .map(
      ([path, date]) =>
        `<url><loc>${site.origin}${path}</loc>${date ? `<lastmod>${date}</lastmod>` : ''}</url>`,
    )
    .join('')}</urlset>`;

it('reads the sitemaps of robots.txt, nested and compressed, and filters by date', async () => {
  for (const name of ['a', 'b', 'c', 'old'])
    site.page(`/p/${name}`, `<title>${name}</title><p>${name}</p><a href="/p/elsewhere">x</a>`);
  site.page(
    '/robots.txt',
    (_, response) =>
      void response.end(`User-agent: *\nDisallow: /p/c\nSitemap: ${site.origin}/index.xml\n`),
  );
  const nested = ['/one.xml', '/two.xml.gz', '/gone.xml', '/index.xml'].map(
    (path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`,
  );
  site.page('/index.xml', `<sitemapindex>${nested.join('')}</sitemapindex>`);
  site.page('/one.xml', urlset(['/p/a', '2026-05-01'], ['/p/old', '2019-01-01']));
  site.page(
    '/two.xml.gz',
    (_, response) =>
      void response.end(
        gzipSync(urlset(['/p/b', '2026-06-01'], ['/p/c', '2026-06-01'], ['/p/a', '2026-05-01'])),
      ),
  );
  const { pages, summary } = await crawl({ url: site.origin, since: '2026-01-01' });
  expect(pages.map(({ title, depth }) => [title, depth])).toEqual([
    ['a', 0],
    ['b', 0],
  ]);
  expect(summary).toMatchObject({ stop_reason: 'completed', refused: { robots: 1 } });
  expect(summary.sitemaps).toEqual([
    { url: `${site.origin}/index.xml`, pages: 0 },
    { url: `${site.origin}/one.xml`, pages: 2 },
    { url: `${site.origin}/two.xml.gz`, pages: 3 },
    { url: `${site.origin}/gone.xml`, pages: 0, problem: 'it does not exist' },
  ]);
  expect((await crawl({ url: site.origin, max_pages: 1 })).summary.stop_reason).toBe('max_pages');
});

it('takes one sitemap by its address, and what can be read of a broken one', async () => {
  site.page(
    '/broken/sitemap.xml',
    `<urlset><url><loc>${site.origin}/p/a</loc></url><url><loc>${site.origin}/p/b</lo`,
  );
  const { pages, summary } = await crawl({ url: `${site.origin}/broken/sitemap.xml` });
  expect(pages.map(({ title }) => title)).toEqual(['a']);
  expect(summary.sitemaps?.[0]?.problem).toBeTruthy();
});

it('reports if a site has no sitemaps, or none that can be read', async () => {
  site.page('/robots.txt', 'User-agent: *\nDisallow:\n');
  const { pages, summary } = await crawl({ url: site.origin });
  expect(pages).toEqual([]);
  expect(summary).toMatchObject({ pages: 0, stop_reason: 'no_sitemap' });
  const missing = `${site.origin}/nowhere/sitemap.xml`;
  expect((await crawl({ url: missing })).summary).toMatchObject({
    stop_reason: 'no_sitemap',
    sitemaps: [{ url: missing, pages: 0, problem: 'it does not exist' }],
  });
});

it('that lists no matching pages is read to its end nevertheless', async () => {
  site.page('/dull/sitemap.xml', urlset(['/p/old', '2019-01-01']));
  const { summary } = await crawl({ url: `${site.origin}/dull/sitemap.xml`, since: '2026-01-01' });
  expect(summary).toMatchObject({ pages: 0, stop_reason: 'completed', sitemaps: [{ pages: 1 }] });
});
