// Runs a crawl: breadth first, several pages at a time; saves each step so that it can resume.
import { createHash } from 'node:crypto';
import { compact, defined } from '../../core/defined.ts';
import type { HostAddresses } from '../../browser/guard/host-addresses.ts';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { Deadline } from '../../core/time.ts';
import type { Job } from '../tasks/kind.ts';
import type { Judgement } from './admission.ts';
import { Frontier, type Visit } from './frontier.ts';
import { LinkFilter } from './link-filter.ts';
import type { LoadedPage } from './loader.ts';
import type { CrawlFormat, Render, ScopeKind } from './crawl-options.ts';
import { OwnPages, type PageMeans, type PageSource } from './own-pages.ts';
import { isPrivateAddress, isPrivateHost } from '../../policy/network-address.ts';
import { type Refusal, RefusedUrl, Scope } from './scope.ts';
import {
  assembleCrawl,
  type CrawledPage,
  type CrawlResult,
  FRONTIER,
  type KeptLinks,
  type KeptPage,
  type CrawlStep,
  PAGES,
  type StopReason,
} from './result.ts';
import { isNotPage, buildUrlKey, normaliseUrl } from './urls.ts';

export interface CrawlPlan {
  readonly url: string;
  /** URLs to visit first; by default the start URL. */
  readonly seeds?: readonly string[];
  /** False if only the seeds are visited. */
  readonly followLinks?: false;
  readonly maxDepth: number;
  readonly maxPages: number;
  readonly scope: ScopeKind;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly format: CrawlFormat;
  readonly respectRobots: boolean;
  /**
   * Delay between two requests to a host. Default: 0 if the start or the host is private, else
   * 200.
   */
  readonly delayMs?: number | undefined;
  readonly concurrency: number;
  readonly render: Render;
  /** For tests: the number of the visit that throws an error. */
  readonly failOnPage?: number | undefined;
}

export interface CrawlContext extends PageMeans {
  readonly job: Job;
  /** URLs that it changes contain a secret and are not saved. */
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  /** The crawl stops after this time and returns its pages so far. */
  readonly timeMs: number;
  readonly progress: (progress: {
    readonly done: number;
    readonly total: number;
    readonly message: string;
  }) => void;
}

/** Whether the start host is on a private network; then other private hosts may be visited too. */
export const isPrivateStart = async (url: string, names: HostAddresses): Promise<boolean> => {
  const { hostname } = new URL(url);
  if (hostname === '') return false; // a file URL, or a URL that is refused when it is loaded
  if (isPrivateHost(hostname)) return true;
  // An unknown host fails when it is loaded.
  const found = await names.find(hostname.replace(/^\[|\]$/g, '')).catch(() => []);
  return found.some(({ address }) => isPrivateAddress(address));
};

export const runCrawl = async (plan: CrawlPlan, around: CrawlContext): Promise<CrawlResult> => {
  using time = new Deadline(
    around.timeMs,
    () => fail('timeout', 'The crawl ran out of time.'),
    around.signal,
  );
  const { guard } = around.browser;
  const names = await guard.names();
  const crawl = new Crawl(
    plan,
    { ...around, signal: time.signal },
    {
      scope: await resolveScope(plan),
      allowPrivate: await isPrivateStart(plan.url, names),
      policy: guard.current,
      names,
      upstream: await guard.upstream(),
      trust: await guard.trust(),
    },
  );
  try {
    const stopReason = await crawl.run().catch((error: unknown) => {
      around.signal.throwIfAborted();
      if (time.signal.aborted) return 'timeout' as const;
      throw error;
    });
    return await assembleCrawl(around.job, stopReason);
  } finally {
    await crawl.close();
  }
};

export const resolveScope = async (plan: CrawlPlan): Promise<Scope> => {
  if (plan.url === 'about:blank')
    throw fail('invalid_argument', 'about:blank is not a site.', {
      argument: 'url',
    });
  const { findRegistrableDomain: registrableDomain } = await import('./registrable-domain.ts');
  const scope = new Scope({ ...plan, kind: plan.scope, registrableDomain });
  scope.addBase(plan.url);
  return scope;
};

class Crawl {
  readonly #plan: CrawlPlan;
  readonly #around: CrawlContext;
  readonly #judgement: Judgement;
  readonly #links: LinkFilter;
  readonly #source: PageSource;
  /** Aborts when a visit fails with an error that ends the crawl. */
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #seeds: ReadonlySet<string>;
  /** Keys of URLs that were dropped as duplicates of another URL. */
  readonly #dropped = new Set<string>();
  /** Hashes of URLs with secrets that an earlier crawl visited. */
  readonly #beenAt = new Set<string>();
  readonly #facts = { isStart: () => this.#pages === 0 };
  #frontier: Frontier;
  #visits = 0;
  #pages = 0;

  constructor(plan: CrawlPlan, around: CrawlContext, judgement: Judgement) {
    this.#plan = plan;
    this.#around = around;
    this.#judgement = judgement;
    this.#signal = AbortSignal.any([around.signal, this.#stop.signal]);
    this.#seeds = new Set((plan.seeds ?? [plan.url]).flatMap((url) => normaliseUrl(url) ?? []));
    this.#frontier = new Frontier(plan);
    this.#links = new LinkFilter({
      ...judgement,
      start: plan.url,
      tellRefused: (url, refusal) => around.browser.guard.refuse({ what: 'crawl', url, refusal }),
    });
    this.#source = new OwnPages({
      ...around,
      plan,
      judgement,
      isSeed: (url) => this.#seeds.has(url),
      signal: this.#signal,
    });
  }

  async run(): Promise<StopReason> {
    const { job } = this.#around;
    if (job.previous) await this.#takeOver();
    await this.#keep({ start: this.#plan.url });
    for (const url of this.#seeds) if (!this.#wasAt(url)) this.#frontier.offer(url, 0);
    await this.#visitAll();
    if (this.#pages === 0 && this.#visits > 0) return 'start_refused';
    if (this.#pages >= this.#plan.maxPages && this.#frontier.waiting > 0) return 'max_pages';
    return this.#frontier.tooDeep > 0 ? 'max_depth' : 'completed';
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  /** Continues an earlier crawl: copies its pages and queues their links. */
  async #takeOver(): Promise<void> {
    const { job } = this.#around;
    const steps: Exclude<CrawlStep, { start: string }>[] = [];
    const pages: KeptPage[] = [];
    for await (const page of job.previous?.entries<KeptPage>(PAGES) ?? []) pages.push(page);
    for await (const step of job.previous?.entries<CrawlStep>(FRONTIER) ?? [])
      if ('n' in step) steps.push(step);
    const depths = new Map(pages.map(({ n, page }) => [n, page.depth]));
    const last = Math.max(-1, ...pages.map(({ n }) => n), ...steps.map(({ n }) => n));
    this.#frontier = new Frontier({ ...this.#plan, from: last + 1 });
    // If the process was killed after saving a page's links, but before the page, visit it again.
    const steady = steps
      .filter((step) => 'no_page' in step || depths.has(step.n))
      .sort((a, b) => a.n - b.n);
    for (const step of steady) await this.#keep('links' in step ? withLost(step) : step);
    for (const entry of pages.sort((a, b) => a.n - b.n)) {
      await job.appendLarge(PAGES, entry);
      this.#pages++;
      this.#rememberPage(entry.page);
      for (const mark of entry.marks ?? []) this.#beenAt.add(mark);
    }
    for (const step of steady) {
      if (!('no_page' in step)) continue;
      this.#frontier.remember(step.url);
      for (const mark of step.marks ?? []) this.#beenAt.add(mark);
      if (step.no_page === 'duplicate') this.#dropped.add(buildUrlKey(step.url));
    }
    for (const step of steady)
      if ('links' in step)
        for (const url of step.links) this.#frontier.offer(url, (depths.get(step.n) ?? 0) + 1);
  }

  #rememberPage({ url, requested_url, canonical, depth }: CrawledPage): void {
    if (depth === 0) this.#judgement.scope.addBase(url);
    for (const address of [url, requested_url, canonical])
      if (address !== undefined) this.#frontier.remember(address);
  }

  async #visitAll(): Promise<void> {
    const { maxPages, concurrency } = this.#plan;
    const active = new Set<Promise<void>>();
    try {
      for (;;) {
        while (active.size < concurrency && this.#pages + active.size < maxPages) {
          this.#signal.throwIfAborted();
          const visit = this.#frontier.take();
          if (!visit) break;
          const work: Promise<void> = this.#visit(visit).finally(() => active.delete(work));
          active.add(work);
        }
        if (active.size === 0) return;
        await Promise.race(active);
      }
    } catch (error) {
      this.#stop.abort(error);
      await Promise.allSettled(active);
      throw error;
    }
  }

  async #visit(visit: Visit): Promise<void> {
    if (++this.#visits === this.#plan.failOnPage)
      throw new Error(`requested test fault at page ${this.#visits}`);
    try {
      await this.#settle(visit, await this.#source.load(visit, this.#facts));
    } catch (error) {
      this.#signal.throwIfAborted();
      if (error instanceof RefusedUrl) return await this.#refused(visit, error);
      await this.#failed(visit, toChromeFailure(error));
    }
  }

  async #refused(visit: Visit, { reason, url, byGuard }: RefusedUrl): Promise<void> {
    if (byGuard) this.#around.browser.guard.refuse({ what: 'crawl', url, refusal: byGuard });
    await this.#noPage(visit, reason);
  }

  async #settle(visit: Visit, loaded: LoadedPage): Promise<void> {
    const moved = buildUrlKey(loaded.url) !== buildUrlKey(visit.url);
    const canonical = this.#findCanonical(loaded);
    // The page is a duplicate if its final or canonical URL is queued or visited. A dropped URL
    // does not count: two pages that name each other as canonical would both be lost.
    const others: string[] = [];
    if (moved) others.push(loaded.url);
    if (canonical !== undefined) others.push(canonical);
    if (
      others.some(
        (url) =>
          this.#wasAt(url) || (this.#frontier.knows(url) && !this.#dropped.has(buildUrlKey(url))),
      )
    )
      return this.#noPage(visit, 'duplicate');
    const page: CrawledPage = defined({
      url: loaded.url,
      requested_url: moved ? visit.url : undefined,
      ...describeLoaded(loaded),
      depth: visit.depth,
      canonical,
    });
    this.#rememberPage(page);
    const { links, refused } = this.#links.sift(
      loaded.error !== undefined || this.#plan.followLinks === false ? [] : loaded.links,
    );
    const unseen = links.filter((url) => !this.#wasAt(url));
    await this.#keepPage(visit, page, unseen, refused);
  }

  /**
   * Ignores canonical URLs out of scope, because a page must not claim to be another site's page.
   */
  #findCanonical({ canonical, url }: LoadedPage): string | undefined {
    if (
      canonical === undefined ||
      buildUrlKey(canonical) === buildUrlKey(url) ||
      isNotPage(canonical)
    )
      return undefined;
    return this.#judgement.scope.holdsPlace(canonical) ? canonical : undefined;
  }

  async #failed(visit: Visit, error: unknown): Promise<void> {
    if (
      !(error instanceof Failure) ||
      error.code === 'storage_failed' ||
      error.code.startsWith('chrome_')
    )
      throw error;
    const via = this.#plan.render === 'browser' ? 'browser' : 'fetch';
    const problem = `${error.code}: ${error.message}`.slice(0, 300);
    await this.#keepPage(
      visit,
      {
        url: visit.url,
        title: '',
        content: '',
        depth: visit.depth,
        links_found: 0,
        via,
        error: problem,
      },
      [],
      {},
    );
  }

  /**
   * Saves the links before the page: after a kill, a resumed crawl would not find them otherwise.
   */
  async #keepPage(
    visit: Visit,
    page: CrawledPage,
    links: readonly string[],
    refused: Partial<Record<Refusal, number>>,
  ): Promise<void> {
    const hidden = this.#hashSecretUrls(links);
    const savedLinks = hidden.length === 0 ? links : links.filter((url) => !this.#isSecret(url));
    const steps = this.#keep(
      defined({
        n: visit.n,
        links: savedLinks,
        refused,
        hidden: hidden.length === 0 ? undefined : hidden,
      }),
    );
    const marks = this.#hashSecretUrls([page.url, page.requested_url, page.canonical]);
    const pages = this.#around.job.appendLarge(
      PAGES,
      defined({
        n: visit.n,
        page,
        marks: marks.length === 0 ? undefined : marks,
      }) satisfies KeptPage,
    );
    await Promise.all([steps, pages]);
    this.#pages++;
    this.#frontier.end(visit, links);
    const total = Math.min(this.#plan.maxPages, this.#pages + this.#frontier.waiting);
    this.#around.progress({ done: this.#pages, total, message: page.url.slice(0, 200) });
  }

  async #noPage(visit: Visit, reason: Refusal | 'duplicate'): Promise<void> {
    if (reason === 'duplicate') this.#dropped.add(buildUrlKey(visit.url));
    const marks = this.#hashSecretUrls([visit.url]);
    await this.#keep(
      defined({
        n: visit.n,
        url: visit.url,
        no_page: reason,
        marks: marks.length === 0 ? undefined : marks,
      }),
    );
    this.#frontier.end(visit, []);
  }

  #keep(step: CrawlStep): Promise<void> {
    return this.#around.job.append(FRONTIER, step);
  }

  #isSecret(url: string): boolean {
    return this.#around.redactor.text(url) !== url;
  }

  /** Hashes the URLs that contain a secret. */
  #hashSecretUrls(urls: readonly (string | undefined)[]): string[] {
    return urls.flatMap((url) => (url !== undefined && this.#isSecret(url) ? [hashUrl(url)] : []));
  }

  #wasAt(url: string): boolean {
    return this.#beenAt.size > 0 && this.#beenAt.has(hashUrl(url));
  }
}

const NO_TEXT = 'no text without scripts: crawl it with render "auto" or "browser"';

const describeLoaded = (loaded: LoadedPage): Omit<CrawledPage, 'url' | 'depth'> => {
  const {
    title,
    content,
    links,
    via,
    status,
    type,
    truncated,
    error = loaded.isEmpty ? NO_TEXT : undefined,
  } = loaded;
  const shown = error === undefined ? content : '';
  return defined({
    title,
    content: shown,
    links_found: links.length,
    via,
    status: status === undefined || status === 200 ? undefined : status,
    content_type: type === undefined || type === '' || /html/.test(type) ? undefined : type,
    hash: shown === '' ? undefined : hashContent(shown),
    ...compact({ truncated, sent_cookies: loaded.sentCookies }),
    error,
  });
};

/**
 * Moves `hidden` to `lost`: a resumed crawl has only the hashes of these URLs and cannot visit
 * them.
 */
const withLost = ({ hidden = [], lost = [], ...step }: KeptLinks): KeptLinks =>
  hidden.length + lost.length === 0 ? step : { ...step, lost: [...lost, ...hidden] };

const hashUrl = (url: string): string =>
  createHash('sha256').update(buildUrlKey(url)).digest('hex').slice(0, 24);

const hashContent = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
