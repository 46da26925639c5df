// Crawlee's CheerioCrawler and PuppeteerCrawler with a handler that keeps each page as Markdown:
// one job per line in, one answer per line out.
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';

const require = createRequire(path.join(process.argv[2], 'package.json'));
const { CheerioCrawler, Configuration, LogLevel, log } = require('@crawlee/cheerio');
const { PuppeteerCrawler } = require('@crawlee/puppeteer');
const Turndown = require('turndown');
log.setLevel(LogLevel.ERROR);

const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
/** Nothing on disk: that costs them time which ours spends too, but which their users can spare. */
const inMemory = () => new Configuration({ persistStorage: false, purgeOnStart: true });

const KINDS = {
  cheerio: (pages, options) =>
    new CheerioCrawler(
      {
        ...options,
        requestHandler: async ({ $, request, enqueueLinks }) => {
          pages.push({
            url: request.loadedUrl,
            title: $('title').text(),
            content: turndown.turndown($('main').html() ?? $.html()),
          });
          await enqueueLinks();
        },
      },
      inMemory(),
    ),
  puppeteer: (pages, options, { chrome, flags }) =>
    new PuppeteerCrawler(
      {
        ...options,
        launchContext: {
          launcher: require('puppeteer-core'),
          launchOptions: { executablePath: chrome, headless: true, args: flags },
        },
        requestHandler: async ({ page, request, enqueueLinks }) => {
          const html = await page.evaluate(
            () => (document.querySelector('main') ?? document.documentElement).innerHTML,
          );
          pages.push({
            url: request.loadedUrl,
            title: await page.title(),
            content: turndown.turndown(html),
          });
          await enqueueLinks();
        },
      },
      inMemory(),
    ),
};

// Whoever asked is gone: nobody waits for what is still being crawled.
process.stdin.once('end', () => process.exit(0));

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, url, maxPages, concurrency, ...browser } = JSON.parse(line);
  const pages = [];
  const options = {
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    maxRequestsPerCrawl: maxPages,
  };
  const crawler = KINDS[kind](pages, options, browser);
  await crawler.run([url]);
  await crawler.teardown?.();
  process.stdout.write(
    `${JSON.stringify({ pages: pages.length, chars: pages.reduce((sum, { content }) => sum + content.length, 0) })}\n`,
  );
}
