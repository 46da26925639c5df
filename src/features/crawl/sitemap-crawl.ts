// Crawls the pages that a site's sitemaps list, without following links.
import {
  type CrawlPlan,
  type CrawlContext,
  isPrivateStart,
  runCrawl,
  resolveScope,
} from './run-crawl.ts';
import { Fetcher } from './fetcher.ts';
import { findSitemapPages, type FoundPages } from './find-sitemaps.ts';
import { PageReader } from './page-reader.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { Refused, createGuardRefusal } from './refusal.ts';
import { type CrawlResult, SITEMAPS, type StopReason } from './result.ts';
import { RobotsBook } from './robots-book.ts';
import type { SitemapEntry } from './sitemap.ts';

export interface SitemapPlan extends CrawlPlan {
  /** Only pages with a `lastmod` at or after this time (Unix ms). */
  readonly since?: number | undefined;
}

export const runSitemapCrawl = async (
  plan: SitemapPlan,
  around: CrawlContext,
): Promise<CrawlResult> => {
  const { entries, reports } = await find(plan, around);
  for (const report of reports) around.job.append(SITEMAPS, report);
  const seeds = entries.map(({ url }) => url);
  const result = await runCrawl({ ...plan, seeds, maxDepth: 0, followLinks: false }, around);
  const hasAny = reports.some(({ pages, problem }) => pages > 0 || problem === undefined);
  if (hasAny || result.summary.pages > 0) return result;
  // Without any sitemap or page the crawl must not report "completed".
  return {
    ...result,
    summary: { ...result.summary, stop_reason: 'no_sitemap' satisfies StopReason },
  };
};

const find = async (
  plan: SitemapPlan,
  { signal, browser, workers }: CrawlContext,
): Promise<FoundPages> => {
  const allowPrivate = await isPrivateStart(plan.url);
  const policy = browser.guard.current;
  const [upstream, trust] = await Promise.all([browser.guard.upstream(), browser.guard.trust()]);
  const fetcher = new Fetcher({ allowPrivate, policy, upstream, trust });
  const scope = await resolveScope(plan);
  const mayLoad = (url: string): void => {
    const refusal = policy.judgeUrl(url);
    if (refusal) browser.guard.refuse({ what: 'sitemap', url, refusal });
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!allowPrivate && isPrivateHost(new URL(url).hostname)) throw new Refused('private', url);
  };
  const wants = ({ url, lastmod }: SitemapEntry): boolean =>
    scope.holds(url) && isRecent(lastmod, plan.since);
  try {
    // More entries than pages: some are refused or are duplicates.
    const enough = plan.maxPages * 2 + 100;
    return await findSitemapPages(plan.url, {
      fetcher,
      reader: new PageReader(workers),
      robots: new RobotsBook(fetcher, scope),
      signal,
      wants,
      enough,
      mayLoad,
    });
  } finally {
    await fetcher.close();
  }
};

const isRecent = (lastmod: string | undefined, since: number | undefined): boolean =>
  since === undefined || (lastmod !== undefined && Date.parse(lastmod) >= since);
