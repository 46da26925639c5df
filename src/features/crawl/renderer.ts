// Loads pages in the crawl's own tabs, which are reused, and reads the rendered HTML.
import { randomUUID } from 'node:crypto';
import { defined } from '../../core/defined.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { PDF_TYPE, showsPdf } from '../../browser/pdf/pdf-kind.ts';
import type { OpenPdf } from '../../browser/pdf/tab-pdf.ts';
import type { Browser } from '../../browser/browser.ts';
import { readMarkdown } from '../../browser/read/read-modes.ts';
import { answerDialog } from '../../browser/tabs/dialog.ts';
import { evaluate } from '../../browser/tabs/evaluate.ts';
import { navigateTo, type Navigation } from '../../browser/tabs/navigate.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { callAll } from '../../core/collections.ts';
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import { classifyGuardRefusal, RefusedUrl } from './scope.ts';

export interface Rendered {
  readonly url: string;
  readonly status?: number;
  readonly type?: string;
  readonly html: string;
  readonly truncated: boolean;
  readonly markdown?: string;
  /** The tab shows a PDF, and `html` is empty. */
  readonly pdf?: OpenPdf;
}

interface RenderOptions {
  readonly markdown: boolean;
  readonly maxChars: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly workers: WorkerPool;
  /** Whether the page still waits for its scripts to add content. */
  readonly looksEmpty: (html: string, url: string) => Promise<boolean>;
}

/**
 * `LOAD_MS`: time until the load event, then the page is read anyway. `FILL_MS`: extra time for
 * scripts to add content.
 */
const LOAD_MS = 15_000;
const FILL_MS = 5_000;
const CLOSE_MS = 3_000;
const HTML = "document.documentElement ? document.documentElement.outerHTML : ''";

export class Renderer {
  readonly #browser: Browser;
  /** The session of the call, whose cookies and storage the crawl's tabs use. */
  readonly #within: Session;
  #session: Session | undefined;
  readonly #idle: Tab[] = [];

  constructor(browser: Browser, within: Session) {
    this.#browser = browser;
    this.#within = within;
  }

  async render(url: string, options: RenderOptions): Promise<Rendered> {
    using deadline = new Deadline(
      options.timeoutMs,
      () => fail('timeout', `The page did not load within ${options.timeoutMs} ms.`),
      options.signal,
    );
    const tab = await this.#tab(deadline.signal);
    try {
      const rendered = await this.#read(tab, url, options, deadline.signal);
      this.#idle.push(tab);
      return rendered;
    } catch (error) {
      this.#drop(tab); // do not reuse a tab that may hang
      throw error;
    } finally {
      this.#closePopups();
    }
  }

  async #read(
    tab: Tab,
    url: string,
    options: RenderOptions,
    signal: AbortSignal,
  ): Promise<Rendered> {
    const crashed = watchForCrash(tab);
    using _off = { [Symbol.dispose]: crashed.off };
    return Promise.race([crashed.promise, this.#load(tab, url, options, signal)]);
  }

  async #load(
    tab: Tab,
    url: string,
    options: RenderOptions,
    signal: AbortSignal,
  ): Promise<Rendered> {
    const idle = new Set<string>();
    const off = tab.events.on(
      'lifecycle',
      ({ loaderId, name }) => name === 'networkIdle' && idle.add(loaderId),
    );
    try {
      const navigation = await navigateTo(tab, url, {
        until: 'load',
        signal,
        patienceMs: LOAD_MS,
      }).catch((error: unknown) => {
        throw refusedIn(tab) ?? error;
      });
      if (showsPdf(tab)) return await readPdf(tab, navigation, { ...options, signal });
      if (navigation.download)
        throw fail('navigation_failed', 'The URL is a download, not a page.', {
          net_error: 'download',
        });
      let page = await readHtml(tab, options.maxChars, signal);
      if (!idle.has(tab.frames.main.loaderId) && (await options.looksEmpty(page.html, tab.url))) {
        await networkIdle(tab, signal);
        page = await readHtml(tab, options.maxChars, signal);
      }
      const markdown =
        options.markdown && isHtml(navigation)
          ? (await readMarkdown(tab, { urls: false }, signal)).markdown
          : undefined;
      return defined({
        url: tab.url,
        status: navigation.status,
        type: navigation.mimeType,
        ...page,
        markdown,
      });
    } finally {
      off();
    }
  }

  async #tab(signal: AbortSignal): Promise<Tab> {
    for (let tab = this.#idle.pop(); tab; tab = this.#idle.pop()) {
      if (!tab.closed && !tab.crashed) return tab;
      this.#drop(tab);
    }
    this.#session ??= this.#browser.createInnerSession(
      this.#within,
      `crawl:${randomUUID().slice(0, 8)}`,
    );
    const tab = await this.#browser.openTab(this.#session, signal);
    // No user can answer dialogs here: dismiss them, but accept beforeunload.
    tab.events.on('dialog', (dialog) => {
      void answerDialog(
        tab.cdp,
        dialog,
        { accept: dialog.kind === 'beforeunload' },
        AbortSignal.timeout(CLOSE_MS),
      ).catch(() => {});
    });
    this.#mine.add(tab.id);
    return tab;
  }

  readonly #mine = new Set<string>();

  #drop(tab: Tab): void {
    if (this.#session)
      void this.#browser
        .closeTab(this.#session, tab, AbortSignal.timeout(CLOSE_MS))
        .catch(() => {});
  }

  /** Closes the popups that pages opened. */
  #closePopups(): void {
    for (const tab of this.#session?.tabs.values() ?? [])
      if (!this.#mine.has(tab.id)) this.#drop(tab);
  }

  async close(): Promise<void> {
    if (this.#session)
      await this.#browser.closeSession(this.#session, AbortSignal.timeout(CLOSE_MS));
    this.#session = undefined;
  }
}

/**
 * Returns the refusal if the domain policy blocked a redirect. The policy has already reported it.
 */
const refusedIn = (tab: Tab): RefusedUrl | undefined => {
  const refused = tab.guard.takeUntold().refusals.findLast(({ ofPage }) => ofPage);
  return refused && new RefusedUrl(classifyGuardRefusal(refused.refusal), refused.url);
};

const readPdf = async (
  tab: Tab,
  { status, mimeType = PDF_TYPE }: Navigation,
  { workers, signal }: Pick<RenderOptions, 'workers' | 'signal'>,
): Promise<Rendered> => {
  const { readTabPdf } = await import('../../browser/pdf/tab-pdf.ts');
  const pdf = await readTabPdf(tab, { workers, signal, background: true });
  return defined({ url: pdf.url, status, type: mimeType, html: '', truncated: false, pdf });
};

const isHtml = ({ mimeType }: Navigation): boolean =>
  mimeType === undefined || /html/.test(mimeType);

const readHtml = async (
  tab: Tab,
  maxChars: number,
  signal: AbortSignal,
): Promise<{ html: string; truncated: boolean }> => {
  const { value, truncatedFrom } = await evaluate(tab.frames.main, HTML, {
    world: 'isolated',
    signal,
    timeoutMs: 10_000,
    maxChars,
  });
  return { html: typeof value === 'string' ? value : '', truncated: truncatedFrom !== undefined };
};

/** Waits until the network is idle, for at most `FILL_MS`. */
const networkIdle = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  using patience = new Deadline(FILL_MS, undefined, signal);
  await tab.events
    .next('lifecycle', ({ name }) => name === 'networkIdle', patience.signal)
    .catch(() => signal.throwIfAborted());
};

const watchForCrash = (tab: Tab): { promise: Promise<never>; off: () => void } => {
  const offs: (() => void)[] = [];
  const promise = new Promise<never>((_, reject) => {
    offs.push(
      tab.events.on('crashed', () =>
        reject(fail('page_crashed', 'The page crashed while it was read.')),
      ),
      tab.events.on('closed', () =>
        reject(fail('tab_closed', 'The tab was closed while it was read.')),
      ),
    );
  });
  promise.catch(() => {}); // the tab may crash after the race has settled
  return {
    promise,
    off: () => {
      callAll(offs);
    },
  };
};
