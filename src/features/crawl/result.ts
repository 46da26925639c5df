// Assembles a crawl's result from its files, after it completed, was cancelled or was killed.
import { defined } from '../../core/defined.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import type { StructuredContent } from './read-page.ts';
import type { SitemapReport } from './sitemap-crawl.ts';
import { REFUSALS, type Refusal } from './scope.ts';

export interface CrawledPage {
  readonly url: string;
  /** The requested URL, if it redirected. */
  readonly requested_url?: string;
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly depth: number;
  readonly links_found: number;
  readonly via: 'fetch' | 'browser';
  readonly status?: number;
  /** Only if the page is not HTML. */
  readonly content_type?: string;
  readonly canonical?: string;
  /** Pages with equal content have equal hashes. */
  readonly hash?: string;
  readonly truncated?: true;
  /** The request sent cookies of the session. */
  readonly sent_cookies?: true;
  readonly error?: string;
}

export type StopReason =
  | 'completed'
  | 'max_pages'
  | 'max_depth'
  | 'start_refused'
  | 'no_sitemap'
  | 'timeout';

export interface CrawlSummary {
  readonly start_url: string;
  readonly stop_reason: string;
  readonly pages: number;
  readonly errors: number;
  readonly via: { readonly fetch: number; readonly browser: number };
  /** Number of URLs that were not visited, by reason. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /**
   * Number of further URLs of visited pages, plus pages with the same content as an earlier one.
   */
  readonly duplicates: number;
  /** Number of pages fetched with cookies of the session; absent if 0. */
  readonly sent_cookies?: number;
  /**
   * In a resumed crawl: number of unvisited URLs that the earlier crawl did not save, because they
   * contain a secret.
   */
  readonly not_kept?: number;
  /** The sitemaps that crawl_sitemap read. */
  readonly sitemaps?: readonly SitemapReport[];
}

/** `duplicate_of`: URL of an earlier page with the same content. */
type ResultPage = CrawledPage & { readonly duplicate_of?: string };

export interface CrawlResult {
  readonly summary: CrawlSummary;
  readonly pages: readonly ResultPage[];
}

/** The file in which crawl_sitemap saves a report for each sitemap. */
export const SITEMAPS = 'sitemaps.jsonl';
/** In a cluster: the pages that crawl_sitemap found, for another lead. */
export const SEEDS = 'seeds.jsonl';
export const PAGES = 'pages.jsonl';
export const FRONTIER = 'frontier.jsonl';

/** A line of pages.jsonl. `marks`: hashes of the page's URLs that contain a secret. */
export interface KeptPage {
  readonly n: number;
  readonly page: CrawledPage;
  readonly marks?: readonly string[];
}

/**
 * The links of a page. URLs with a secret are not saved: `hidden` has their hashes, `lost` the
 * hashes from earlier crawls.
 */
export interface KeptLinks {
  readonly n: number;
  readonly links: readonly string[];
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  readonly hidden?: readonly string[];
  readonly lost?: readonly string[];
  /** In a cluster: the hashes of the links that `refused` counts. */
  readonly refused_links?: readonly string[];
}

export interface KeptNoPage {
  readonly n: number;
  readonly url: string;
  readonly no_page: Refusal | 'duplicate';
  readonly marks?: readonly string[];
}

/** A line of frontier.jsonl: the start URL, a page's links, or a URL that did not become a page. */
export type CrawlStep = { readonly start: string } | KeptLinks | KeptNoPage;

export const assembleCrawl = async (kept: KeptFiles, stopReason: string): Promise<CrawlResult> => {
  const pages: KeptPage[] = [];
  for await (const entry of kept.entries<KeptPage>(PAGES)) pages.push(entry);
  pages.sort((a, b) => a.n - b.n);
  const shown = withDuplicates(pages.map(({ page }) => page));
  const marks = pages.flatMap((entry) => entry.marks ?? []);
  return { summary: await summarise(kept, shown, marks, stopReason), pages: shown };
};

const summarise = async (
  kept: KeptFiles,
  pages: CrawlResult['pages'],
  marks: readonly string[],
  stopReason: string,
): Promise<CrawlSummary> => {
  const refused = Object.fromEntries(REFUSALS.map((reason) => [reason, 0])) as Record<
    Refusal,
    number
  >;
  let start = '';
  let duplicates = 0;
  const lost = new Set<string>();
  const found = new Set(marks);
  for await (const step of kept.entries<CrawlStep>(FRONTIER)) {
    if ('start' in step) start ||= step.start;
    else if ('links' in step) {
      for (const reason of REFUSALS) refused[reason] += step.refused[reason] ?? 0;
      for (const mark of step.lost ?? []) lost.add(mark);
    } else {
      for (const mark of step.marks ?? []) found.add(mark);
      if (step.no_page === 'duplicate') duplicates++;
      else refused[step.no_page]++;
    }
  }
  const sentCookies = pages.filter((page) => page.sent_cookies).length;
  const notKept = [...lost].filter((mark) => !found.has(mark)).length;
  const sitemaps: SitemapReport[] = [];
  for await (const report of kept.entries<SitemapReport>(SITEMAPS)) sitemaps.push(report);
  const count = (test: (page: ResultPage) => boolean): number => pages.filter(test).length;
  return defined({
    start_url: start,
    stop_reason: stopReason,
    pages: pages.length,
    errors: count(({ error }) => error !== undefined),
    via: {
      fetch: count(({ via }) => via === 'fetch'),
      browser: count(({ via }) => via === 'browser'),
    },
    refused,
    duplicates: duplicates + count((page) => page.duplicate_of !== undefined),
    sent_cookies: sentCookies === 0 ? undefined : sentCookies,
    not_kept: notKept === 0 ? undefined : notKept,
    sitemaps: sitemaps.length === 0 ? undefined : sitemaps,
  });
};

/** Sets `duplicate_of` on pages whose content equals that of an earlier page. */
const withDuplicates = (pages: readonly CrawledPage[]): CrawlResult['pages'] => {
  const first = new Map<string, string>();
  return pages.map((page) => {
    if (page.hash === undefined) return page;
    const before = first.get(page.hash);
    if (before === undefined) first.set(page.hash, page.url);
    return before === undefined ? page : { ...page, duplicate_of: before };
  });
};
