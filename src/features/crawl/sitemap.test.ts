// Tests of sitemap.ts.
import { expect, it } from 'vitest';
import { parseSitemap } from './sitemap.ts';

it('reads pages with their dates, extensions passed over', () => {
  const xml = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://x">
    <url><loc> https://a.test/1?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod><image:image><image:loc>https://a.test/p.png</image:loc></image:image></url>
    <url><loc><![CDATA[https://a.test/2]]></loc></url></urlset>`;
  expect(parseSitemap(xml)).toEqual({
    pages: [
      { url: 'https://a.test/1?a=1&b=2', lastmod: '2026-01-02' },
      { url: 'https://a.test/2' },
    ],
    sitemaps: [],
  });
});

it('reads an index', () => {
  const xml = '<sitemapindex><sitemap><loc>https://a.test/s1.xml</loc></sitemap></sitemapindex>';
  expect(parseSitemap(xml).sitemaps).toEqual([{ url: 'https://a.test/s1.xml' }]);
});

it('keeps the readable part of a broken sitemap, and reports the problem', () => {
  const { pages, problem } = parseSitemap(
    '<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/?a&b</loc></url><url><lo',
  );
  expect(pages.map(({ url }) => url)).toContain('https://a.test/1');
  expect(problem).toBeTruthy();
  expect(parseSitemap('<html><body>Not found</body></html>').problem).toBeTruthy();
  expect(parseSitemap('<urlset></urlset>').problem).toBe('it contains no pages');
});

it('reads plain lines', () => {
  expect(parseSitemap('https://a.test/1\r\n\nhttps://a.test/2\nnonsense').pages).toEqual([
    { url: 'https://a.test/1' },
    { url: 'https://a.test/2' },
  ]);
  expect(parseSitemap('nothing').problem).toBeTruthy();
});
