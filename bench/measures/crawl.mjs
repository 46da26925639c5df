// Crawling: pages a second on a local site of 500 static pages, by plain fetching and in tabs,
// beside Crawlee at the same concurrency.
import { createServer } from 'node:http';
import { startCrawlee } from '../lib/crawlee.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, rotated, times } from '../lib/stats.mjs';

const PAGES = 500;
const CONCURRENCY = 4;
const PROSE =
  '<p>The first survey was made on foot and took eleven summers; old maps disagree about where it begins.</p>'.repeat(
    12,
  );

/** A tree of pages: each leads to three more, and home. */
const pageOf = (i) => {
  const links = [1, 2, 3].map((k) => 3 * i + k).filter((to) => to < PAGES);
  const list = links.map((to) => `<li><a href="/p/${to}">Page ${to}</a></li>`).join('');
  return `<!doctype html><title>Page ${i}</title><nav><a href="/p/0">home</a></nav><main><h1>Page ${i}</h1>${PROSE}<ul>${list}</ul></main>`;
};

const startSite = async () => {
  const site = { firstAt: undefined };
  const server = createServer((request, response) => {
    const i = Number(/^\/p\/(\d+)$/.exec(request.url)?.[1] ?? PAGES);
    if (i < PAGES) site.firstAt ??= performance.now();
    response
      .writeHead(i < PAGES ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      .end(i < PAGES ? pageOf(i) : 'not found');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  site.url = `http://127.0.0.1:${server.address().port}/p/0`;
  site.close = () => (server.closeAllConnections(), server.close());
  return site;
};

/**
 * From the first page that is asked for to the result: a Chrome that has to be started first is not
 * counted for anybody.
 */
const timeOf = async (site, work) => {
  site.firstAt = undefined;
  const pages = await work();
  if (pages !== PAGES) throw new Error(`${pages} pages instead of ${PAGES}`);
  return performance.now() - site.firstAt;
};

const ours = (server, url, render) => async () => {
  const args = {
    url,
    max_pages: PAGES,
    max_depth: 100,
    concurrency: CONCURRENCY,
    delay_ms: 0,
    render,
  };
  return JSON.parse(
    await server.call('crawl', { ...args, output_mode: 'handle', timeout_ms: 600_000 }),
  ).item_count;
};

const theirs = (crawlee, url, kind) => async () =>
  (await crawlee.crawl({ kind, url, maxPages: PAGES, concurrency: CONCURRENCY })).pages;

/** Both by turns, the first turn of each uncounted. */
const compare = async (site, sides, reps) => {
  const took = sides.map(() => []);
  for (let rep = -1; rep < reps; rep++)
    for (const i of rotated([...sides.keys()], rep + 1)) {
      const one = await timeOf(site, sides[i]);
      if (rep >= 0) took[i].push(one);
    }
  return took.map((all) => (PAGES / median(all)) * 1000);
};

const row = (what, beside, [us, them]) => [
  what,
  beside,
  `${them.toFixed(0)} pages/s`,
  `${us.toFixed(0)} pages/s`,
  times(us / them),
  'at least as many',
];

export const crawl = async ({ reps }) => {
  const site = await startSite();
  const server = await startOpenChrome();
  const crawlee = startCrawlee();
  const auto = await compare(
    site,
    [ours(server, site.url, 'auto'), theirs(crawlee, site.url, 'cheerio')],
    Math.min(reps, 5),
  );
  const inTabs = await compare(
    site,
    [ours(server, site.url, 'browser'), theirs(crawlee, site.url, 'puppeteer')],
    Math.min(reps, 3),
  );
  await server.end();
  await crawlee.end();
  site.close();
  return [
    row(
      `crawl of ${PAGES} static pages to Markdown, render: auto, ${CONCURRENCY} at once`,
      "Crawlee's CheerioCrawler",
      auto,
    ),
    row(
      `crawl of ${PAGES} static pages to Markdown, render: browser, ${CONCURRENCY} at once`,
      "Crawlee's PuppeteerCrawler",
      inTabs,
    ),
  ];
};
