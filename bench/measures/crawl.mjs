// Crawling: pages a second on a local site of 500 static pages, by plain fetching and in tabs.
import { createServer } from 'node:http';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { clock, median } from '../lib/stats.mjs';

const PAGES = 500;
const PROSE = '<p>The first survey was made on foot and took eleven summers; old maps disagree about where it begins.</p>'.repeat(12);

/** A tree of pages: each leads to three more, and home. */
const pageOf = (i) => {
  const links = [1, 2, 3].map((k) => 3 * i + k).filter((to) => to < PAGES);
  const list = links.map((to) => `<li><a href="/p/${to}">Page ${to}</a></li>`).join('');
  return `<!doctype html><title>Page ${i}</title><nav><a href="/p/0">home</a></nav><main><h1>Page ${i}</h1>${PROSE}<ul>${list}</ul></main>`;
};

const startSite = async () => {
  const server = createServer((request, response) => {
    const i = Number(/^\/p\/(\d+)$/.exec(request.url)?.[1] ?? PAGES);
    response.writeHead(i < PAGES ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(i < PAGES ? pageOf(i) : 'not found');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/p/0`, close: () => (server.closeAllConnections(), server.close()) };
};

const rate = async (server, args, reps) => {
  const took = [];
  for (let rep = -1; rep < reps; rep++) {
    const one = await clock(() =>
      server.call('crawl', { max_depth: 100, concurrency: 4, delay_ms: 0, output_mode: 'handle', timeout_ms: 300_000, ...args }),
    );
    if (rep >= 0) took.push(one);
  }
  return `${((args.max_pages / median(took)) * 1000).toFixed(0)} pages/s`;
};

export const crawl = async ({ reps }) => {
  const site = await startSite();
  const server = await startOpenChrome();
  const auto = await rate(server, { url: site.url, max_pages: PAGES, render: 'auto' }, reps);
  const inTabs = await rate(server, { url: site.url, max_pages: 100, render: 'browser' }, Math.min(reps, 3));
  await server.end();
  site.close();
  return [
    [`crawl of ${PAGES} static pages, render: auto`, '', '', auto, '', 'as many as CheerioCrawler'],
    ['crawl of 100 static pages, render: browser', '', '', inTabs, '', 'as many as PuppeteerCrawler'],
  ];
};
