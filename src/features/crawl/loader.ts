// Loads one page of a crawl with a fetch or in a tab, with retries and limits.
import type { Browser } from '../../browser/browser.ts';
import { isPdfType, MAX_PDF_BYTES } from '../../browser/pdf/pdf-kind.ts';
import type { OpenPdf } from '../../browser/pdf/tab-pdf.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { defined } from '../../core/defined.ts';
import { Failure } from '../../core/failure.ts';
import { sleep } from '../../core/time.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { type CrawlFormat, MAX_CONTENT_CHARS, type Render } from './crawl-options.ts';
import type { FetchedDocument, Fetcher } from './fetcher.ts';
import type { VisitFacts } from './own-pages.ts';
import type { PageReader } from './page-reader.ts';
import type { Politeness } from './politeness.ts';
import type { PageReading, StructuredContent } from './read-page.ts';
import { type Rendered, Renderer } from './renderer.ts';
import type { SessionCookies } from './session-cookies.ts';

export interface PdfPage {
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly truncated: boolean;
}

/** Builds a page of a crawl from the text of a PDF. */
const buildPdfPage = (
  { title, reading: { pages, pageCount } }: Pick<OpenPdf, 'title' | 'reading'>,
  format: CrawlFormat,
): PdfPage => {
  const whole = pages.join('');
  const text = whole.slice(0, MAX_CONTENT_CHARS).trimEnd();
  return {
    title,
    content: format === 'structured' ? buildStructured(text) : text,
    truncated: pages.length < pageCount || whole.length > MAX_CONTENT_CHARS,
  };
};

const buildStructured = (text: string): StructuredContent => ({
  headings: text.split('\n').flatMap((line) => {
    const heading = /^(#{1,6}) /.exec(line);
    const level = heading?.[1]?.length ?? 0;
    return level === 0 ? [] : [{ level, text: line.slice(level + 1) }];
  }),
  links: [],
  tables: [],
  json_ld: [],
  text,
});

export interface LoadedPage {
  /** The URL after all redirects. */
  readonly url: string;
  readonly via: 'fetch' | 'browser';
  readonly status?: number;
  readonly type?: string;
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly links: readonly string[];
  readonly canonical?: string;
  readonly truncated: boolean;
  /** A short error message, such as "HTTP 404". */
  readonly error?: string;
  /** The fetched HTML has no text; scripts, frames or styles may add some. */
  readonly isEmpty?: boolean;
  /** The request sent cookies of the session. */
  readonly sentCookies?: boolean;
}

interface LoaderOptions {
  readonly render: Render;
  readonly format: CrawlFormat;
  readonly browser: Browser;
  readonly session: Session;
  readonly fetcher: Fetcher;
  readonly reader: PageReader;
  readonly cookies: SessionCookies;
  readonly politeness: Politeness;
  /** Threads that read PDF files. */
  readonly workers: WorkerPool;
  /** Throws if this URL must not be loaded. Called for the page and for each redirect target. */
  readonly mayLoad: (url: string, facts: VisitFacts) => Promise<void>;
  readonly signal: AbortSignal;
}

const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const ACCEPT = 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.5';

const ATTEMPTS = 3;
const BACK_OFF_MS = 500;
/** A longer Retry-After is not waited for; the response is returned as it is. */
const MAX_REST_MS = 60_000;
const IN_TROUBLE = new Set([429, 500, 502, 503, 504]);

export class PageLoader {
  readonly #options: LoaderOptions;
  readonly #renderer: Renderer;

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#renderer = new Renderer(options.browser, options.session);
  }

  async load(url: string, facts: VisitFacts): Promise<LoadedPage> {
    await this.#options.mayLoad(url, facts);
    if (this.#options.render === 'browser' || url.startsWith('file:'))
      return this.#inTab(url, facts);
    const fetched = await this.#patiently(url, () => this.#fetch(url, facts));
    if (isPdfType(fetched.type) && fetched.status < 400) return this.#parsedPdf(fetched);
    const { needsScripts, ...page } = await this.#parsed(fetched);
    const mayShowMore = needsScripts || (page.isEmpty && !page.truncated);
    if (this.#options.render === 'fetch' || !mayShowMore || page.error !== undefined) return page;
    return this.#inTab(url, facts).catch((error: unknown) => {
      this.#options.signal.throwIfAborted();
      // If Chrome is not available, the fetched page is better than an error.
      if (error instanceof Failure && error.code.startsWith('chrome_')) return page;
      throw error;
    });
  }

  #fetch(url: string, facts: VisitFacts): Promise<FetchedDocument> {
    const { fetcher, cookies, mayLoad, signal } = this.#options;
    const mayGoTo = (target: string): Promise<void> => mayLoad(target, facts);
    const bounds = { accept: ACCEPT, maxBytes: limitBytes, timeoutMs: TIMEOUT_MS, signal };
    const cookiesFor = (address: string, before: readonly string[]): Promise<string | undefined> =>
      cookies.headerFor(address, before);
    return fetcher.fetch(url, { ...bounds, mayGoTo, cookiesFor });
  }

  async #inTab(url: string, facts: VisitFacts): Promise<LoadedPage> {
    const { format, mayLoad, reader, signal, workers } = this.#options;
    // the Markdown is created in the tab
    const read = this.#createReading(format === 'markdown' ? undefined : format);
    const looksEmpty = async (html: string, address: string): Promise<boolean> =>
      (await read(html, address)).needsScripts;
    const options = {
      markdown: format === 'markdown',
      maxChars: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      signal,
      workers,
      looksEmpty,
    };
    const rendered = await this.#patiently(url, () => this.#renderer.render(url, options));
    if (rendered.url !== url) await mayLoad(rendered.url, facts);
    if (rendered.pdf)
      return {
        ...shared(rendered),
        links: [],
        ...buildPdfPage(rendered.pdf, format),
        via: 'browser',
      };
    const reading = await read(rendered.html, rendered.url);
    const { title, links, canonical } = reading;
    const needsMarkdown = format === 'markdown' && rendered.markdown === undefined;
    const source = { url: rendered.url, body: rendered.html, type: 'text/html', format };
    const { content } = needsMarkdown ? await reader.readPage(source, signal) : reading;
    return defined({
      ...shared(rendered),
      title,
      links,
      canonical,
      content: rendered.markdown?.slice(0, MAX_CONTENT_CHARS) ?? content,
      truncated: rendered.truncated || reading.truncated,
      via: 'browser',
    });
  }

  /** Returns a function that parses the HTML of a rendered page and caches the last result. */
  #createReading(
    format: CrawlFormat | undefined,
  ): (html: string, url: string) => Promise<PageReading> {
    let last:
      | { readonly html: string; readonly url: string; readonly reading: Promise<PageReading> }
      | undefined;
    return (html, url) => {
      if (last?.html !== html || last.url !== url) {
        const source = { url, body: html, type: 'text/html', format };
        last = { html, url, reading: this.#options.reader.readPage(source, this.#options.signal) };
      }
      return last.reading;
    };
  }

  /**
   * Waits for the host's rate limit, and retries after temporary HTTP statuses and network errors.
   */
  async #patiently<T extends { readonly status?: number; readonly retryAfterMs?: number }>(
    url: string,
    ask: () => Promise<T>,
  ): Promise<T> {
    const { politeness, signal } = this.#options;
    const { host } = new URL(url);
    for (let attempt = 1; ; attempt++) {
      const turn = await politeness.turn(host, signal);
      const last = attempt === ATTEMPTS;
      const backOffMs = BACK_OFF_MS * 2 ** (attempt - 1);
      try {
        const answer = await ask().finally(() => turn.answered());
        if (
          last ||
          !IN_TROUBLE.has(answer.status ?? 200) ||
          (answer.retryAfterMs ?? 0) > MAX_REST_MS
        )
          return answer;
        await politeness.rest(host, answer.retryAfterMs ?? backOffMs);
      } catch (error) {
        if (last || !isPassing(error)) throw error;
        await sleep(backOffMs, signal);
      }
    }
  }

  async #parsed(
    fetched: FetchedDocument,
  ): Promise<LoadedPage & Pick<PageReading, 'needsScripts' | 'isEmpty'>> {
    const { format, reader, signal } = this.#options;
    const { url, body, type, charset, sentCookies } = fetched;
    const { problem, ...page } = await reader.readPage(
      { url, body, type, charset, format },
      signal,
    );
    const { error = problem, ...place } = shared(fetched);
    const truncated = fetched.truncated || page.truncated;
    return defined({ ...page, ...place, truncated, sentCookies, via: 'fetch', error });
  }

  async #parsedPdf(fetched: FetchedDocument): Promise<LoadedPage> {
    const { format, signal, workers } = this.#options;
    const { body, truncated, sentCookies } = fetched;
    const { createTooLarge, readPdfText } = await import('../../browser/pdf/pdf-text.ts');
    if (truncated) throw createTooLarge(`it has more than ${MAX_PDF_BYTES} bytes`);
    const reading = await readPdfText(body, { workers, signal, background: true });
    const page = buildPdfPage({ title: reading.title, reading }, format);
    return { ...shared(fetched), links: [], ...page, sentCookies, via: 'fetch' };
  }

  async close(): Promise<void> {
    await this.#renderer.close();
  }
}

const limitBytes = (type: string): number => (isPdfType(type) ? MAX_PDF_BYTES : MAX_BYTES);

const shared = ({
  url,
  status,
  type,
  truncated,
}: FetchedDocument | Rendered): Pick<
  LoadedPage,
  'url' | 'status' | 'type' | 'truncated' | 'error'
> =>
  defined({
    url,
    status,
    type,
    error: status !== undefined && status >= 400 ? `HTTP ${status}` : undefined,
    truncated,
  });

const PASSING = new RegExp(
  [
    'ECONNRESET|ETIMEDOUT|EPIPE|UND_ERR_(?:SOCKET|CONNECT_TIMEOUT)',
    'ERR_(?:CONNECTION_RESET|NETWORK_CHANGED|EMPTY_RESPONSE)',
  ].join('|'),
);

/** Whether a retry may succeed. Unknown hosts, bad certificates and redirect loops fail again. */
const isPassing = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'navigation_failed' && PASSING.test(error.message);
