// Loads pages for the crawls that other workers lead.
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import type { ClaimedVisit, VisitOutcome } from '../../store/cluster/cluster-store.ts';
import { OwnPages, type PageServices } from './own-pages.ts';
import { buildErrorOutcome, buildPageOutcome, type VisitOrder } from './remote-pages.ts';
import { createJudgement } from './run-crawl.ts';

/** How long the connections of a crawl stay open after its last visit. */
const IDLE_MS = 10_000;

interface VisitLoaderOptions extends Pick<
  PageServices,
  'browser' | 'workers' | 'turns' | 'robots'
> {
  /** Whether the owner's policy allows to read this URL without a question. */
  readonly mayRead: (url: string, session: string) => boolean;
}

/** The pages of one crawl, as one worker loads them. */
interface OpenCrawl {
  readonly pages: Promise<OwnPages>;
  readonly stop: AbortController;
  readonly seeds: Set<string>;
  active: number;
  closing: Disposable | undefined;
}

export class VisitLoader {
  readonly #options: VisitLoaderOptions;
  readonly #open = new Map<string, OpenCrawl>();

  constructor(options: VisitLoaderOptions) {
    this.#options = options;
  }

  /** Throws the reason if the crawl is stopped; every other error is an outcome. */
  async load(visit: ClaimedVisit): Promise<VisitOutcome> {
    const order = visit.request as VisitOrder;
    const { isStart, isSeed, ...shared } = order;
    const key = JSON.stringify([visit.taskId, shared]);
    const crawl = this.#open.get(key) ?? this.#create(key, order);
    if (isSeed) crawl.seeds.add(visit.url);
    crawl.active++;
    crawl.closing?.[Symbol.dispose]();
    try {
      const pages = await crawl.pages;
      const { n, url } = visit;
      return buildPageOutcome(await pages.load({ n, url, depth: 0 }, { isStart: () => isStart }));
    } catch (error) {
      crawl.stop.signal.throwIfAborted();
      return buildErrorOutcome(toChromeFailure(error));
    } finally {
      if (--crawl.active === 0) this.#closeLater(key, crawl);
    }
  }

  /** Stops the visits of a task. */
  stop(taskId: string): void {
    for (const [key, crawl] of this.#open)
      if ((JSON.parse(key) as string[])[0] === taskId) this.#stop(key, crawl);
  }

  close(): void {
    for (const [key, crawl] of this.#open) this.#stop(key, crawl);
  }

  /** A later visit of the same crawl gets new pages. */
  #stop(key: string, crawl: OpenCrawl): void {
    this.#open.delete(key);
    crawl.stop.abort(stopped());
    if (crawl.active === 0) this.#closeLater(key, crawl);
  }

  #create(key: string, order: VisitOrder): OpenCrawl {
    const [stop, seeds] = [new AbortController(), new Set<string>()];
    const pages = this.#createPages(order, stop.signal, (url) => seeds.has(url));
    const crawl: OpenCrawl = { stop, seeds, pages, active: 0, closing: undefined };
    this.#open.set(key, crawl);
    return crawl;
  }

  async #createPages(
    { plan, session, places }: VisitOrder,
    signal: AbortSignal,
    isSeed: (url: string) => boolean,
  ): Promise<OwnPages> {
    const { browser, workers, turns, robots, mayRead } = this.#options;
    const judgement = await createJudgement(plan, browser.guard, places);
    return new OwnPages({
      ...{ browser, workers, turns, robots, plan, judgement },
      session: browser.session(session),
      allowFile: () => Promise.reject(fail('url_not_allowed', 'Workers load no files.')),
      mayRead: async (url) => mayRead(url, session),
      isSeed,
      signal,
    });
  }

  #closeLater(key: string, crawl: OpenCrawl): void {
    const isStopped = crawl.stop.signal.aborted;
    crawl.closing?.[Symbol.dispose]();
    crawl.closing = after(isStopped ? 0 : IDLE_MS, () => {
      if (!isStopped) this.#open.delete(key);
      // Pages that could not be created have nothing to close.
      void crawl.pages.then((pages) => pages.close()).catch(() => {});
    });
  }
}

const stopped = (): Error => fail('cancelled', 'The visit is not needed any more.');
