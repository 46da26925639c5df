// Another server continues a killed crawl, also one of a sitemap: every page is visited, and pages
// that were complete before the kill are not requested again.
import { expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useSite } from '../fixtures.ts';
import { useTaskServers } from '../tasks/task-servers.ts';

const PAGES = 500;
const KILLED_AT = 200;
const CONCURRENCY = 4;
const site = useSite();
const { startServer } = useTaskServers();
const asked: string[] = [];

/** A tree of pages, each with links to neighbours that others name too. */
const serve = (): void => {
  for (let i = 0; i < PAGES; i++) {
    const links = [2 * i + 1, 2 * i + 2, i - 1, i + 1]
      .filter((to) => to >= 0 && to < PAGES)
      .map((to) => `<a href="/p/${to}">${to}</a>`);
    site.page(`/p/${i}`, ({ url = '' }, response) => {
      asked.push(url);
      setTimeout(
        () =>
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end(`<title>${i}</title><p>Page ${i}</p>${links.join(' ')}`),
        5,
      );
    });
  }
};

it('visits every page exactly once in total', { timeout: 120_000 }, async () => {
  serve();
  const args = {
    url: `${site.origin}/p/0`,
    max_pages: PAGES,
    max_depth: PAGES,
    concurrency: CONCURRENCY,
  };
  const first = await startServer();
  const { task_id: killed } = await first.call<{ task_id: string }>('oc_task_start', {
    kind: 'crawl',
    args,
  });
  await expect
    .poll(async () => (await first.get(killed)).meta.progress?.done ?? 0, {
      timeout: 60_000,
      interval: 20,
    })
    .toBeGreaterThanOrEqual(KILLED_AT);
  await first.kill();

  const second = await startServer();
  const before = await second.get(killed, { include_result: true });
  expect(before.meta).toMatchObject({ status: 'FAILED', error: { code: 'orphaned' } });
  const kept = (before.result as unknown as CrawlResult).pages.map(({ url }) => url);
  expect(kept.length).toBeGreaterThanOrEqual(KILLED_AT);
  expect(kept.length).toBeLessThan(PAGES);
  const askedBefore = asked.length;

  const { task_id: resumed } = await second.call<{ task_id: string }>('oc_task_start', {
    kind: 'crawl',
    args,
    resume_from: killed,
  });
  expect((await second.wait(resumed, 100_000)).status).toBe('COMPLETED');
  const { result } = await second.get(resumed, { include_result: true });
  const { pages, summary } = result as unknown as CrawlResult;
  expect(pages).toHaveLength(PAGES);
  expect(new Set(pages.map(({ url }) => url)).size).toBe(PAGES);
  expect(summary).toMatchObject({ pages: PAGES, errors: 0, stop_reason: 'completed' });
  const askedAgain = asked
    .slice(askedBefore)
    .filter((path) => kept.includes(`${site.origin}${path}`));
  expect(askedAgain).toEqual([]);
  // Only requests in flight at the moment of the kill may have been sent twice.
  expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(CONCURRENCY);
});

it(
  'visits each page of a sitemap exactly once in total, and reads the sitemap again',
  { timeout: 120_000 },
  async () => {
    const LISTED = 150;
    const visited: string[] = [];
    const paths = Array.from({ length: LISTED }, (_, i) => `/listed/${i}`);
    for (const path of paths)
      site.page(path, (_, response) => {
        visited.push(path);
        const html = `<title>${path}</title><p>Page ${path}</p><a href="/listed/elsewhere">elsewhere</a>`;
        setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html), 15);
      });
    site.page('/listed.xml', (_, response) => {
      response.end(
        `<urlset>${paths.map((path) => `<url><loc>${site.origin}${path}</loc></url>`).join('')}</urlset>`,
      );
    });
    const args = { url: `${site.origin}/listed.xml`, max_pages: LISTED, concurrency: CONCURRENCY };
    const first = await startServer();
    const { task_id: killed } = await first.call<{ task_id: string }>('oc_task_start', {
      kind: 'crawl_sitemap',
      args,
    });
    await expect
      .poll(async () => (await first.get(killed)).meta.progress?.done ?? 0, {
        timeout: 60_000,
        interval: 20,
      })
      .toBeGreaterThanOrEqual(30);
    await first.kill();

    const second = await startServer();
    const { meta, result: partial } = await second.get(killed, { include_result: true });
    expect(meta).toMatchObject({ status: 'FAILED', error: { code: 'orphaned' } });
    const kept = (partial as unknown as CrawlResult).pages.map(({ title }) => title);
    expect(kept.length).toBeGreaterThanOrEqual(30);
    expect(kept.length).toBeLessThan(LISTED);
    expect((partial as unknown as CrawlResult).summary.sitemaps).toEqual([
      { url: args.url, pages: LISTED },
    ]);
    const before = visited.length;

    const { task_id: resumed } = await second.call<{ task_id: string }>('oc_task_start', {
      kind: 'crawl_sitemap',
      args,
      resume_from: killed,
    });
    expect((await second.wait(resumed, 100_000)).status).toBe('COMPLETED');
    const { pages, summary } = (await second.get(resumed, { include_result: true }))
      .result as unknown as CrawlResult;
    expect(pages.map(({ title }) => title).sort()).toEqual([...paths].sort());
    expect(summary).toMatchObject({
      pages: LISTED,
      errors: 0,
      stop_reason: 'completed',
      start_url: args.url,
      sitemaps: [{ url: args.url, pages: LISTED }],
    });
    expect(visited.slice(before).filter((path) => kept.includes(path))).toEqual([]);
    expect(visited.length - new Set(visited).size).toBeLessThanOrEqual(CONCURRENCY);
  },
);
