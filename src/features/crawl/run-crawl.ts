// Runs a crawl: breadth first, several pages at a time; saves each step so that it can resume.
import { createHash } from 'node:crypto';
import { compact, defined } from '../../core/defined.ts';
import type { HostAddresses } from '../../browser/guard/host-addresses.ts';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import type { DomainGuard } from '../../browser/guard/domain-guard.ts';
import { fail, Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { Deadline } from '../../core/time.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import type { Job } from '../tasks/kind.ts';
import type { Judgement } from './admission.ts';
import { Frontier, hashUrl, LinkFilter, type Visit } from './frontier.ts';
import type { LoadedPage } from './loader.ts';
import type { CrawlFormat, Render, ScopeKind } from './crawl-options.ts';
import { OwnPages, type PageServices, type PageSource } from './own-pages.ts';
import { isPrivateAddress, isPrivateHost } from '../../policy/network-address.ts';
import { type Refusal, RefusedUrl, Scope } from './scope.ts';
import {
  assembleCrawl,
  type CrawledPage,
  type CrawlResult,
  FRONTIER,
  type KeptLinks,
  type KeptNoPage,
  type KeptPage,
  type CrawlStep,
  PAGES,
  type StopReason,
} from './result.ts';
import { RemotePages } from './remote-pages.ts';
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

export interface CrawlContext extends PageServices {
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
  const crawl = new Crawl(
    plan,
    { ...around, signal: time.signal },
    await createJudgement(plan, around.browser.guard),
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

type ScopePlan = Pick<CrawlPlan, 'url' | 'scope' | 'include' | 'exclude'>;

/** `places`: further origins, hosts or domains in scope. */
export const createJudgement = async (
  plan: ScopePlan,
  guard: Pick<DomainGuard, 'current' | 'names' | 'upstream' | 'trust'>,
  places: readonly string[] = [],
): Promise<Judgement> => {
  const scope = await resolveScope(plan);
  scope.addPlaces(places);
  const names = await guard.names();
  return {
    scope,
    allowPrivate: await isPrivateStart(plan.url, names),
    policy: guard.current,
    names,
    upstream: await guard.upstream(),
    trust: await guard.trust(),
  };
};

export const resolveScope = async (plan: ScopePlan): Promise<Scope> => {
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
    const isSeed = (url: string): boolean => this.#seeds.has(url);
    const { visits } = around.job;
    this.#source = visits
      ? new RemotePages({
          ...{ visits, plan, isSeed, scope: judgement.scope },
          session: around.session.name,
          signal: this.#signal,
        })
      : new OwnPages({ ...around, plan, judgement, isSeed, signal: this.#signal });
  }

  async run(): Promise<StopReason> {
    const { job } = this.#around;
    const own = await loadProgress(job);
    if (own.isStarted) await this.#continueOwn(own);
    else await this.#start();
    await this.#visitAll();
    if (this.#pages === 0 && this.#visits > 0) return 'start_refused';
    if (this.#pages >= this.#plan.maxPages && this.#frontier.waiting > 0) return 'max_pages';
    return this.#frontier.tooDeep > 0 ? 'max_depth' : 'completed';
  }

  async close(): Promise<void> {
    await this.#source.close();
  }

  async #start(): Promise<void> {
    const { previous } = this.#around.job;
    if (previous) await this.#continue(await loadProgress(previous));
    await this.#keep({ start: this.#plan.url });
    for (const url of this.#seeds) if (!this.#wasAt(url)) this.#frontier.offer(url, 0);
  }

  /**
   * Continues this crawl after another worker led it: repeats its visits in their order, so that
   * the other visits get the numbers that they would have had.
   */
  async #continueOwn({ pages, steps, hidden, refused }: CrawlProgress): Promise<void> {
    const ended = new Map<string, EndedStep>();
    for (const entry of listEnded(pages, steps))
      for (const key of entry.keys) ended.set(key, entry);
    const places = new Set(pages.flatMap(({ page }) => listPlaces(page)));
    this.#links.skip(refused);
    for (const mark of pages.flatMap(({ marks = [] }) => marks)) this.#beenAt.add(mark);
    for (const step of steps) if ('no_page' in step) this.#rememberNoPage(step);
    for (const url of this.#seeds) this.#frontier.offer(url, 0);
    this.#frontier.replay(({ url }) => {
      const key = buildUrlKey(url);
      const entry = ended.get(key) ?? ended.get(hashUrl(url));
      if (!entry) return places.has(key) ? [] : undefined;
      if (entry.page) this.#rememberPage(entry.page);
      return entry.links;
    });
    for (const { page } of pages) this.#rememberPage(page);
    this.#pages = pages.length;
    this.#visits = ended.size;
    // The hashes of these URLs cannot be visited; the summary reports them.
    if (hidden.length > 0) await this.#keep({ n: -1, links: [], refused: {}, lost: hidden });
  }

  /** Continues an earlier crawl: copies its pages and queues their links. */
  async #continue({ pages, steps: steady }: CrawlProgress): Promise<void> {
    const { job } = this.#around;
    const depths = new Map(pages.map(({ n, page }) => [n, page.depth]));
    const last = Math.max(-1, ...pages.map(({ n }) => n), ...steady.map(({ n }) => n));
    this.#frontier = new Frontier({ ...this.#plan, from: last + 1 });
    for (const step of steady) await this.#keep('links' in step ? withLost(step) : step);
    for (const entry of pages) {
      await job.appendLarge(PAGES, entry);
      this.#pages++;
      this.#rememberPage(entry.page);
      for (const mark of entry.marks ?? []) this.#beenAt.add(mark);
    }
    for (const step of steady) {
      if (!('no_page' in step)) continue;
      this.#frontier.remember(step.url);
      this.#rememberNoPage(step);
    }
    for (const step of steady)
      if ('links' in step)
        for (const url of step.links) this.#frontier.offer(url, (depths.get(step.n) ?? 0) + 1);
  }

  #rememberNoPage({ url, no_page: reason, marks = [] }: KeptNoPage): void {
    for (const mark of marks) this.#beenAt.add(mark);
    if (reason === 'duplicate') this.#dropped.add(buildUrlKey(url));
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
        const atOnce = concurrency * this.#source.machines;
        while (active.size < atOnce && this.#pages + active.size < maxPages) {
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
    const { links, refused, refusedLinks } = this.#links.sift(
      loaded.error !== undefined || this.#plan.followLinks === false ? [] : loaded.links,
    );
    const unseen = links.filter((url) => !this.#wasAt(url));
    // Only another lead needs them, so that it does not count these links again.
    const hashes = this.#around.job.visits ? refusedLinks.map(hashUrl) : [];
    await this.#keepPage(visit, page, unseen, { refused, hashes });
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
      { refused: {}, hashes: [] },
    );
  }

  /**
   * Saves the links before the page: after a kill, a resumed crawl would not find them otherwise.
   */
  async #keepPage(
    visit: Visit,
    page: CrawledPage,
    links: readonly string[],
    { refused, hashes }: RefusedLinks,
  ): Promise<void> {
    const hidden = this.#hashSecretUrls(links);
    const savedLinks = hidden.length === 0 ? links : links.filter((url) => !this.#isSecret(url));
    const steps = this.#keep(
      defined({
        n: visit.n,
        links: savedLinks,
        refused,
        hidden: hidden.length === 0 ? undefined : hidden,
        refused_links: hashes.length === 0 ? undefined : hashes,
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

interface RefusedLinks {
  readonly refused: Partial<Record<Refusal, number>>;
  readonly hashes: readonly string[];
}

type NumberedStep = Exclude<CrawlStep, { start: string }>;

/** The saved lines of a crawl, in the order of its visits. */
interface CrawlProgress {
  readonly isStarted: boolean;
  readonly pages: readonly KeptPage[];
  readonly steps: readonly NumberedStep[];
  /** Hashes of URLs with a secret that were not saved. */
  readonly hidden: readonly string[];
  /** Hashes of the links that were refused and counted. */
  readonly refused: readonly string[];
}

/** A visit that has ended, and the keys of its URL. */
interface EndedStep {
  readonly keys: readonly string[];
  readonly links: readonly string[];
  readonly page?: CrawledPage;
}

const listEnded = (
  pages: readonly KeptPage[],
  steps: readonly NumberedStep[],
): readonly EndedStep[] => {
  const found = new Map(pages.map((entry) => [entry.n, entry]));
  return steps.flatMap((step): readonly EndedStep[] => {
    if ('no_page' in step)
      return [{ keys: [buildUrlKey(step.url), ...(step.marks ?? [])], links: [] }];
    const { page, marks = [] } = found.get(step.n) ?? {};
    if (!page) return [];
    const keys = [buildUrlKey(page.requested_url ?? page.url), ...marks];
    return [{ keys, links: step.links, page }];
  });
};

/** The keys of the other URLs of a page. */
const listPlaces = ({ url, canonical }: CrawledPage): readonly string[] =>
  [url, canonical].flatMap((address) => (address === undefined ? [] : [buildUrlKey(address)]));

const loadProgress = async (kept: KeptFiles): Promise<CrawlProgress> => {
  let isStarted = false;
  const steps: NumberedStep[] = [];
  const pages: KeptPage[] = [];
  for await (const page of kept.entries<KeptPage>(PAGES)) pages.push(page);
  for await (const step of kept.entries<CrawlStep>(FRONTIER)) {
    isStarted = true;
    if ('n' in step) steps.push(step);
  }
  const saved = new Set(pages.map(({ n }) => n));
  // If the process was killed after saving a page's links, but before the page, visit it again.
  const steady = steps.filter((step) => 'no_page' in step || saved.has(step.n));
  const byNumber = (a: { readonly n: number }, b: { readonly n: number }): number => a.n - b.n;
  const links = steady.filter((step) => 'links' in step);
  return {
    isStarted,
    pages: pages.sort(byNumber),
    steps: steady.sort(byNumber),
    hidden: links.flatMap(({ hidden = [] }) => hidden),
    refused: links.flatMap(({ refused_links: refused = [] }) => refused),
  };
};

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

const hashContent = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
