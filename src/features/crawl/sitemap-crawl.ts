// Finds the pages of a site's sitemaps and crawls them, without following links.
import { createGunzip } from 'node:zlib';
import { defined } from '../../core/defined.ts';
import { Failure } from '../../core/failure.ts';
import { canParseUrl } from '../../core/text.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { type FetchedDocument, Fetcher } from './fetcher.ts';
import { PageReader } from './page-reader.ts';
import { type CrawlResult, SEEDS, SITEMAPS, type StopReason } from './result.ts';
import { RobotsBook } from './robots.ts';
import {
  type CrawlContext,
  type CrawlPlan,
  isPrivateStart,
  resolveScope,
  runCrawl,
} from './run-crawl.ts';
import { createGuardRefusal, RefusedUrl } from './scope.ts';
import type { Sitemap, SitemapEntry } from './sitemap.ts';

// Finds the pages of a site's sitemaps, from robots.txt or the usual paths, and from indexes.

export interface SitemapReport {
  readonly url: string;
  readonly pages: number;
  readonly problem?: string;
}

interface FoundPages {
  readonly entries: readonly SitemapEntry[];
  readonly reports: readonly SitemapReport[];
}

interface SearchOptions {
  readonly fetcher: Fetcher;
  readonly reader: PageReader;
  readonly robots: RobotsBook;
  readonly signal: AbortSignal;
  /** Filters the entries; other entries are dropped. */
  readonly wants: (entry: SitemapEntry) => boolean;
  /** Stop after this many entries. */
  readonly enough: number;
  readonly mayLoad: (url: string) => void;
}

const USUAL_PLACES = [
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/sitemap-index.xml',
  '/sitemap.xml.gz',
  '/sitemap.txt',
  '/wp-sitemap.xml',
];
const MAX_SITEMAPS = 500;
const MAX_BYTES = 50 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

const findSitemapPages = async (url: string, options: SearchOptions): Promise<FoundPages> => {
  const search = new SitemapSearch(options);
  if (/\.(?:xml|txt)(?:\.gz)?$|sitemap/i.test(new URL(url).pathname)) await search.read([url]);
  else {
    const { sitemaps } = await options.robots.of(url, options.signal);
    await search.read(
      sitemaps.filter((named) => canParseUrl(named, url)).map((named) => new URL(named, url).href),
    );
    for (const place of search.found ? [] : USUAL_PLACES) {
      await search.read([new URL(place, url).href], { quiet: true });
      if (search.found) break;
    }
  }
  return { entries: [...search.entries.values()], reports: search.reports };
};

class SitemapSearch {
  readonly #options: SearchOptions;
  readonly #seen = new Set<string>();
  readonly entries = new Map<string, SitemapEntry>();
  readonly reports: SitemapReport[] = [];

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Whether any sitemap was read or reported. */
  get found(): boolean {
    return this.reports.length > 0;
  }

  /**
   * Reads sitemaps and the sitemaps that they list. `quiet`: do not report a missing one (for
   * guessed paths).
   */
  async read(urls: readonly string[], { quiet = false } = {}): Promise<void> {
    const waiting = [...urls];
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      if (
        this.#seen.has(url) ||
        this.#seen.size >= MAX_SITEMAPS ||
        this.entries.size >= this.#options.enough
      )
        continue;
      this.#seen.add(url);
      waiting.push(...(await this.#readOne(url, quiet)));
    }
  }

  async #readOne(url: string, quiet: boolean): Promise<string[]> {
    const { wants, signal } = this.#options;
    try {
      const sitemap = await this.#load(url);
      if (sitemap === undefined) {
        if (!quiet) this.reports.push({ url, pages: 0, problem: 'it does not exist' });
        return [];
      }
      const { pages, sitemaps, problem } = sitemap;
      if (quiet && pages.length + sitemaps.length === 0) return [];
      for (const entry of pages)
        if (wants(entry) && this.entries.size < this.#options.enough)
          this.entries.set(entry.url, entry);
      this.reports.push(defined({ url, pages: pages.length, problem }));
      return sitemaps.map((entry) => entry.url);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure) && !(error instanceof RefusedUrl)) throw error;
      if (!quiet) this.reports.push({ url, pages: 0, problem: error.message.slice(0, 200) });
      return [];
    }
  }

  async #load(url: string): Promise<Sitemap | undefined> {
    const { fetcher, reader, signal, mayLoad } = this.#options;
    mayLoad(url);
    const accept = 'application/xml,text/xml,text/plain,*/*;q=0.5';
    const fetched = await fetcher.fetch(url, {
      accept,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
      mayGoTo: mayLoad,
    });
    if (fetched.status < 200 || fetched.status >= 300) return undefined;
    return reader.readSitemap(await decompress(fetched), fetched.charset, signal);
  }
}

/** Decompresses gzip, which is detected by its magic bytes, up to `MAX_BYTES`. */
const decompress = async ({ body }: FetchedDocument): Promise<Uint8Array> => {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  const stream = createGunzip();
  stream.end(body);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).byteLength;
      if (size > MAX_BYTES) break;
    }
  } catch {
    // The gzip stream is incomplete: keep the part that was decompressed.
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES);
};

export interface SitemapPlan extends CrawlPlan {
  /** Only pages with a `lastmod` at or after this time (Unix ms). */
  readonly since?: number | undefined;
}

export const runSitemapCrawl = async (
  plan: SitemapPlan,
  around: CrawlContext,
): Promise<CrawlResult> => {
  const { seeds, reports } = await findSeeds(plan, around);
  const result = await runCrawl({ ...plan, seeds, maxDepth: 0, followLinks: false }, around);
  const hasAny = reports.some(({ pages, problem }) => pages > 0 || problem === undefined);
  if (hasAny || result.summary.pages > 0) return result;
  // Without any sitemap or page the crawl must not report "completed".
  return {
    ...result,
    summary: { ...result.summary, stop_reason: 'no_sitemap' satisfies StopReason },
  };
};

interface FoundSeeds {
  readonly seeds: readonly string[];
  readonly reports: readonly SitemapReport[];
}

/** In a cluster the seeds are saved: another lead must not read changed sitemaps. */
const findSeeds = async (plan: SitemapPlan, around: CrawlContext): Promise<FoundSeeds> => {
  const { job, redactor } = around;
  for await (const saved of job.entries<FoundSeeds>(SEEDS)) return saved;
  const { entries, reports } = await find(plan, around);
  const seeds = entries.map(({ url }) => url);
  const isSecret = (url: string): boolean => redactor.text(url) !== url;
  for (const report of reports) await job.append(SITEMAPS, report);
  if (job.visits)
    await job.appendLarge(SEEDS, { seeds: seeds.filter((url) => !isSecret(url)), reports });
  return { seeds, reports };
};

const find = async (
  plan: SitemapPlan,
  { signal, browser, workers, robots }: CrawlContext,
): Promise<FoundPages> => {
  const { guard } = browser;
  const [names, upstream, trust] = await Promise.all([
    guard.names(),
    guard.upstream(),
    guard.trust(),
  ]);
  const allowPrivate = await isPrivateStart(plan.url, names);
  const policy = guard.current;
  const fetcher = new Fetcher({ allowPrivate, policy, names, upstream, trust });
  const scope = await resolveScope(plan);
  const mayLoad = (url: string): void => {
    const refusal = policy.judgeUrl(url);
    if (refusal) guard.refuse({ what: 'sitemap', url, refusal });
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!allowPrivate && isPrivateHost(new URL(url).hostname)) throw new RefusedUrl('private', url);
  };
  const wants = ({ url, lastmod }: SitemapEntry): boolean =>
    scope.holds(url) && isRecent(lastmod, plan.since);
  try {
    // More entries than pages: some are refused or are duplicates.
    const enough = plan.maxPages * 2 + 100;
    return await findSitemapPages(plan.url, {
      fetcher,
      reader: new PageReader(workers),
      robots: new RobotsBook(fetcher, scope, robots),
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
