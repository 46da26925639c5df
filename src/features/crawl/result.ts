// The result of a crawl, put together from what was kept on the way: the same for one that ended,
// was cancelled or was killed.
import { defined } from '../../core/defined.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import type { StructuredContent } from './content.ts';
import type { SitemapReport } from './find-sitemaps.ts';
import { REFUSALS, type Refusal } from './refusal.ts';

export interface CrawledPage {
  readonly url: string;
  /** The address that led there, where it is another one. */
  readonly requested_url?: string;
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly depth: number;
  readonly links_found: number;
  readonly via: 'fetch' | 'browser';
  readonly status?: number;
  /** Where it is no HTML. */
  readonly content_type?: string;
  readonly canonical?: string;
  /** Equal where the content is. */
  readonly hash?: string;
  readonly truncated?: true;
  /** It was fetched with the cookies of the session. */
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
  /** Addresses that were not visited, by what refused them. */
  readonly refused: Readonly<Record<Refusal, number>>;
  /** Addresses of pages visited already, and pages with the same content as an earlier one. */
  readonly duplicates: number;
  /** Pages that were fetched with the cookies of the session; absent if there are none. */
  readonly sent_cookies?: number;
  /**
   * Of a crawl that went on from another: addresses that held a secret, so that they were not
   * written down and nobody could go there.
   */
  readonly not_kept?: number;
  /** The sitemaps that were read, where they were what was asked for. */
  readonly sitemaps?: readonly SitemapReport[];
}

/** `duplicate_of`: the address of an earlier page with the same content. */
type ResultPage = CrawledPage & { readonly duplicate_of?: string };

export interface CrawlResult {
  readonly summary: CrawlSummary;
  readonly pages: readonly ResultPage[];
}

/** Where crawl_sitemap keeps what it found in each sitemap. */
export const SITEMAPS = 'sitemaps.jsonl';
export const PAGES = 'pages.jsonl';
export const FRONTIER = 'frontier.jsonl';

/**
 * A line of pages.jsonl. `marks`: of those of its addresses that hold a secret, by which they are
 * known again.
 */
export interface KeptPage {
  readonly n: number;
  readonly page: CrawledPage;
  readonly marks?: readonly string[];
}

/**
 * What a page led to. Addresses that hold a secret are not written down: `hidden` are their marks,
 * `lost` those that an earlier crawl met.
 */
export interface KeptLinks {
  readonly n: number;
  readonly links: readonly string[];
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  readonly hidden?: readonly string[];
  readonly lost?: readonly string[];
}

interface KeptNoPage {
  readonly n: number;
  readonly url: string;
  readonly no_page: Refusal | 'duplicate';
  readonly marks?: readonly string[];
}

/**
 * A line of frontier.jsonl: where the crawl began, what a page led to, or an address that is no
 * page.
 */
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

/** Says of a page that an earlier one has the very same content. */
const withDuplicates = (pages: readonly CrawledPage[]): CrawlResult['pages'] => {
  const first = new Map<string, string>();
  return pages.map((page) => {
    if (page.hash === undefined) return page;
    const before = first.get(page.hash);
    if (before === undefined) first.set(page.hash, page.url);
    return before === undefined ? page : { ...page, duplicate_of: before };
  });
};
