// The pages of a crawl that the workers of a cluster load: visits and their outcomes as JSON.
import { fail, Failure, type FailureCode } from '../../core/failure.ts';
import { abortable } from '../../core/time.ts';
import type { VisitOutcome } from '../../store/cluster/cluster-store.ts';
import type { RemoteVisits } from '../tasks/kind.ts';
import type { Visit } from './frontier.ts';
import type { LoadedPage } from './loader.ts';
import type { PagePlan, PageSource, VisitFacts } from './own-pages.ts';
import type { CrawlPlan } from './run-crawl.ts';
import { type Refusal, RefusedUrl, type Scope } from './scope.ts';

/** The data that a worker needs to load a page as the lead's process would. */
export interface VisitOrder {
  readonly plan: PagePlan & Pick<CrawlPlan, 'scope' | 'include' | 'exclude'>;
  readonly session: string;
  /** The places that redirects of the start page added to the scope. */
  readonly places: readonly string[];
  readonly isStart: boolean;
  readonly isSeed: boolean;
}

interface RemotePagesOptions {
  readonly visits: RemoteVisits;
  readonly plan: CrawlPlan;
  readonly session: string;
  readonly scope: Scope;
  readonly isSeed: (url: string) => boolean;
  readonly signal: AbortSignal;
}

export class RemotePages implements PageSource {
  readonly #options: RemotePagesOptions;
  readonly #plan: VisitOrder['plan'];

  constructor(options: RemotePagesOptions) {
    this.#options = options;
    const { url, render, format, respectRobots, delayMs, scope, include, exclude } = options.plan;
    this.#plan = { url, render, format, respectRobots, delayMs, scope, include, exclude };
  }

  get machines(): number {
    return this.#options.visits.workers;
  }

  async load({ n, url }: Visit, { isStart }: VisitFacts): Promise<LoadedPage> {
    const { visits, session, scope, isSeed, signal } = this.#options;
    const request: VisitOrder = {
      plan: this.#plan,
      session,
      places: scope.places,
      isStart: isStart(),
      isSeed: isSeed(url),
    };
    return parseOutcome(await abortable(visits.load({ n, url, request }), signal));
  }

  close(): Promise<void> {
    return this.#options.visits.close();
  }
}

/** The outcome of a visit; a worker stores it as JSON. */
type CrawlOutcome =
  | { readonly page: LoadedPage }
  | { readonly refused: Refusal; readonly url: string }
  | { readonly failed: { readonly code: FailureCode; readonly message: string } }
  | { readonly lost: number };

export const buildPageOutcome = (page: LoadedPage): VisitOutcome =>
  ({ page }) satisfies CrawlOutcome;

/** Throws errors that are neither a refusal nor a failure: they are defects of this program. */
export const buildErrorOutcome = (error: unknown): VisitOutcome => {
  if (error instanceof RefusedUrl)
    return { refused: error.reason, url: error.url } satisfies CrawlOutcome;
  if (!(error instanceof Failure)) throw error;
  const { code, message } = error;
  return { failed: { code, message } } satisfies CrawlOutcome;
};

/** Returns the page, or throws as loading it in this process would. */
const parseOutcome = (stored: VisitOutcome): LoadedPage => {
  const outcome = stored as CrawlOutcome;
  if ('page' in outcome) return outcome.page;
  if ('refused' in outcome) throw new RefusedUrl(outcome.refused, outcome.url);
  if ('failed' in outcome) throw fail(outcome.failed.code, outcome.failed.message);
  throw fail('page_crashed', `${outcome.lost} workers ended while they loaded this page.`);
};
