// Worker thread that parses pages and sitemaps.
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../../../core/failure.ts';
import { decode } from '../bounded-markup.ts';
import { type PageReading, type PageMarkup, readPage } from '../read-page.ts';
import { parseSitemap, type Sitemap } from '../sitemap.ts';

export type CrawlWorkRequest =
  | { readonly kind: 'page'; readonly source: PageMarkup }
  | { readonly kind: 'sitemap'; readonly body: Uint8Array; readonly charset?: string | undefined };

export type CrawlWorkAnswer =
  | { readonly kind: 'page'; readonly reading: PageReading }
  | { readonly kind: 'sitemap'; readonly sitemap: Sitemap }
  | { readonly kind: 'failed'; readonly message: string };

const work = async (request: CrawlWorkRequest): Promise<CrawlWorkAnswer> => {
  try {
    if (request.kind === 'page') return { kind: 'page', reading: await readPage(request.source) };
    return { kind: 'sitemap', sitemap: parseSitemap(decode(request.body, request.charset)) };
  } catch (error) {
    return { kind: 'failed', message: getErrorMessage(error) };
  }
};

parentPort?.on(
  'message',
  (request: CrawlWorkRequest) =>
    void work(request).then((answer) => parentPort?.postMessage(answer)),
);
