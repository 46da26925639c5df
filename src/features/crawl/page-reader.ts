// Reads pages and sitemaps in worker threads, with limits on time and memory.
import { fail, type Failure } from '../../core/failure.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import type { PageReading, PageMarkup } from './read-page.ts';
import type { Sitemap } from './sitemap.ts';
import type { CrawlWorkAnswer, CrawlWorkRequest } from './workers/crawl.ts';

/** The parsed tree of a 5 MB document takes several hundred MB. */
const MAX_HEAP_MB = 1024;
/** The trees of a page of 100 KB fit. */
const YOUNG_HEAP_MB = 96;
const READ_MS = 20_000;
/** The thread is not reused after a larger document, because its heap is mostly garbage. */
const MAX_REUSED_BYTES = 2 * 1024 * 1024;

const SCRIPT: WorkerScript = {
  name: 'crawl',
  loadSource: async () => (await import('worker-script:crawl')).default,
  maxHeapMb: MAX_HEAP_MB,
  youngHeapMb: YOUNG_HEAP_MB,
};

export class PageReader {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  /** Throws if parsing takes too long or needs too much memory. */
  async readPage(source: PageMarkup, signal: AbortSignal): Promise<PageReading> {
    const answer = await this.#work({ kind: 'page', source }, source.body.length, signal);
    if (answer.kind === 'page') return answer.reading;
    throw unreadable(answer);
  }

  async readSitemap(
    body: Uint8Array,
    charset: string | undefined,
    signal: AbortSignal,
  ): Promise<Sitemap> {
    const answer = await this.#work({ kind: 'sitemap', body, charset }, body.length, signal);
    if (answer.kind === 'sitemap') return answer.sitemap;
    throw unreadable(answer);
  }

  async #work(
    request: CrawlWorkRequest,
    sizeBytes: number,
    signal: AbortSignal,
  ): Promise<CrawlWorkAnswer> {
    const retireThread = sizeBytes > MAX_REUSED_BYTES;
    try {
      return await this.#workers.run<CrawlWorkAnswer>(SCRIPT, request, {
        timeoutMs: READ_MS,
        onTimeout: () => fail('timeout', `Parsing took longer than ${READ_MS} ms.`),
        signal,
        background: true,
        retireThread,
      });
    } catch (error) {
      throw isWorkerOutOfMemory(error)
        ? fail('payload_too_large', 'Parsing needs too much memory.')
        : error;
    }
  }
}

const unreadable = (answer: CrawlWorkAnswer): Failure => {
  const reason = 'message' in answer ? answer.message.slice(0, 200) : answer.kind;
  return fail('navigation_failed', `The document cannot be parsed: ${reason}.`);
};
