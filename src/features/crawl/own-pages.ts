// Loads the pages of a crawl in this process: checks each URL, waits for its turn, reads the page.
import type { Browser } from '../../browser/browser.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import type { HostTurns, RobotsFiles } from '../../store/cluster/cluster-store.ts';
import { CrawlAdmission, type Judgement } from './admission.ts';
import { Fetcher } from './fetcher.ts';
import type { Visit } from './frontier.ts';
import { type LoadedPage, PageLoader } from './loader.ts';
import { PageReader } from './page-reader.ts';
import { Politeness } from './politeness.ts';
import { RobotsBook } from './robots.ts';
import type { CrawlPlan } from './run-crawl.ts';
import { SessionCookies } from './session-cookies.ts';

/** Loads the pages of one crawl: in this process, or on the workers of a cluster. */
export interface PageSource {
  /** Number of processes that load pages; each of them loads `concurrency` pages at a time. */
  readonly machines: number;
  /** Throws a failure, or `RefusedUrl` if the crawl must not load this URL. */
  load(visit: Visit, facts: VisitFacts): Promise<LoadedPage>;
  close(): Promise<void>;
}

export interface VisitFacts {
  /** Whether no page has been loaded yet; redirects of the start page may leave the scope. */
  readonly isStart: () => boolean;
}

export interface PageServices {
  readonly browser: Browser;
  /** The session whose cookies and storage the crawl uses. */
  readonly session: Session;
  /** Worker threads that parse pages. */
  readonly workers: WorkerPool;
  /** Returns the real path of a file that the call may read; throws for any other file. */
  readonly allowFile: (path: string) => Promise<string>;
  readonly mayRead: (url: string) => Promise<boolean>;
  /** The turns of all processes of a cluster; by default those of this crawl. */
  readonly turns?: HostTurns | undefined;
  /** The robots.txt files that all processes of a cluster share. */
  readonly robots?: RobotsFiles | undefined;
}

export type PagePlan = Pick<CrawlPlan, 'url' | 'render' | 'format' | 'respectRobots' | 'delayMs'>;

export interface OwnPagesOptions extends PageServices {
  readonly plan: PagePlan;
  readonly judgement: Judgement;
  readonly isSeed: (url: string) => boolean;
  readonly signal: AbortSignal;
}

const STRANGERS_DELAY_MS = 200;

export class OwnPages implements PageSource {
  readonly machines = 1;
  readonly #fetcher: Fetcher;
  readonly #loader: PageLoader;

  constructor(options: OwnPagesOptions) {
    const { plan, judgement, browser, session, workers, signal } = options;
    this.#fetcher = new Fetcher(judgement);
    const politeness = new Politeness(
      (host) =>
        plan.delayMs ?? (judgement.allowPrivate || isPrivateHost(host) ? 0 : STRANGERS_DELAY_MS),
      options.turns,
    );
    const cookies = new SessionCookies({
      browser,
      session,
      start: plan.url,
      scope: judgement.scope,
      signal,
    });
    const admission = new CrawlAdmission({
      ...judgement,
      start: plan.url,
      isSeed: options.isSeed,
      robots: plan.respectRobots
        ? new RobotsBook(this.#fetcher, judgement.scope, options.robots)
        : undefined,
      cookies,
      allowFile: options.allowFile,
      mayRead: options.mayRead,
      politeness,
      signal,
    });
    this.#loader = new PageLoader({
      ...plan,
      browser,
      session,
      fetcher: this.#fetcher,
      reader: new PageReader(workers),
      cookies,
      politeness,
      workers,
      signal,
      mayLoad: (url, facts) => admission.mayLoad(url, { isStart: facts.isStart() }),
    });
  }

  load({ url }: Visit, facts: VisitFacts): Promise<LoadedPage> {
    return this.#loader.load(url, facts);
  }

  async close(): Promise<void> {
    await Promise.all([this.#loader.close(), this.#fetcher.close()]);
  }
}
