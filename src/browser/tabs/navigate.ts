// Moves a tab to another page and says what came of it: final address, status, redirects, or the
// network's error.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { headerValue, redirectChain, type RequestRecord } from '../traffic/request-record.ts';
import type { Download } from '../state/downloads.ts';
import { dialogOpenFailure } from './dialog.ts';
import { loadFailure } from './load-failure.ts';
import type { Tab } from './tab.ts';

export type WaitUntil = 'commit' | 'domcontentloaded' | 'load' | 'networkidle';

/** The lifecycle event of Chrome that ends each kind of wait. */
const LIFECYCLE: Readonly<Record<Exclude<WaitUntil, 'commit'>, string>> = {
  domcontentloaded: 'DOMContentLoaded',
  load: 'load',
  networkidle: 'networkIdle',
};

/** Chrome's word for a load that was given up: no page of its own follows. */
const ABORTED = 'net::ERR_ABORTED';
/** How long Chrome may take to show its error page. */
const ERROR_PAGE_MS = 500;

/** What happened to the tab; the address it ended at is the tab's own. */
export interface Navigation {
  /**
   * Absent where no document was fetched: about:blank, the back-forward cache, a move within the
   * document.
   */
  readonly status?: number;
  readonly redirects: readonly { readonly url: string; readonly status: number }[];
  readonly mimeType?: string;
  /** The page was shown before it had finished loading. */
  readonly stillLoading?: true;
  /** The page opened a dialog, which keeps it from loading on. */
  readonly dialogOpened?: true;
  /** The response is a file, which Chrome downloads; the tab keeps its page. */
  readonly download?: true;
  /** For the caller: the response is not a page that can be read, and how to get at its content. */
  readonly note?: string;
  readonly sameDocument?: true;
}

interface NavigationWait {
  readonly until: WaitUntil;
  readonly signal: AbortSignal;
  /** How long to wait for the page to load before saying that it still does. */
  readonly patienceMs: number;
}

export const navigateTo = async (
  tab: Tab,
  url: string,
  wait: NavigationWait,
): Promise<Navigation> => {
  const watch = new NavigationWatch(tab, wait);
  try {
    const sent = watch.unlessItStays(() => tab.cdp.send('Page.navigate', { url }, wait.signal));
    const { loaderId, errorText, isDownload } = await sent;
    if (isDownload) return await watch.withDownload();
    if (errorText !== undefined) return watch.withoutDocument(url, loaderId, errorText);
    if (loaderId === undefined) return { ...(await watch.finish(undefined)), sameDocument: true };
    return await watch.finish(loaderId);
  } finally {
    watch.dispose();
  }
};

export const reload = async (tab: Tab, wait: NavigationWait): Promise<Navigation> => {
  const watch = new NavigationWatch(tab, wait);
  try {
    await watch.unlessItStays(() => tab.cdp.send('Page.reload', {}, wait.signal));
    return await watch.finish(undefined);
  } finally {
    watch.dispose();
  }
};

/** Goes `by` entries through the tab's history. */
export const traverseHistory = async (
  tab: Tab,
  by: -1 | 1,
  wait: NavigationWait,
): Promise<Navigation> => {
  const { currentIndex, entries } = await tab.cdp.send(
    'Page.getNavigationHistory',
    undefined,
    wait.signal,
  );
  const entry = entries[currentIndex + by];
  if (!entry) throw fail('no_history', `There is no page ${by < 0 ? 'before' : 'after'} this one.`);
  const watch = new NavigationWatch(tab, wait);
  try {
    await watch.unlessItStays(() =>
      tab.cdp.send('Page.navigateToHistoryEntry', { entryId: entry.id }, wait.signal),
    );
    return await watch.finish(undefined);
  } finally {
    watch.dispose();
  }
};

/**
 * How many dialogs of a page are dismissed one after the other, and how long each may take to be
 * followed by the next.
 */
const MAX_DISMISSED = 20;
const NEXT_DIALOG_MS = 500;

/**
 * Answers a page that is about to be left until it asks no more: a dialog that opens on the way out
 * cannot be answered.
 */
const dismissDialogs = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  for (let count = 0; tab.dialog && count < MAX_DISMISSED; count++) {
    await tab.dismissDialog(tab.dialog, signal);
    using limit = new Deadline(NEXT_DIALOG_MS, undefined, signal);
    const free = Promise.all(
      [...new Set(tab.frames.all().map(({ session }) => session))].map((session) =>
        runs(session, limit.signal),
      ),
    );
    if (!tab.dialog)
      await Promise.race([
        free,
        tab.events.next('dialog', undefined, limit.signal).catch(() => {}),
      ]);
    signal.throwIfAborted();
  }
};

/** Until scripts of the page run again, or the time is up. */
const runs = async (session: CdpSession, signal: AbortSignal): Promise<void> => {
  await session.send('Runtime.evaluate', { expression: '0' }, signal).catch(() => {});
};

/** How long the event of a download that `Page.navigate` reported may take. */
const DOWNLOAD_EVENT_MS = 500;

const describeDownload = (download: Download | undefined): string => {
  if (!download)
    return 'The address is a file: Chrome downloads it and the tab keeps its page. See downloads.';
  const { id, file, type } = download;
  const kind = type === 'application/pdf' || /\.pdf$/i.test(file) ? 'a PDF file' : 'a file';
  return `The address is ${kind}: Chrome downloads it as ${id} ${JSON.stringify(file)} and the tab keeps its page. downloads gives its path.`;
};

const PDF = 'application/pdf';
const PDF_NOTE =
  'This is a PDF in the viewer of Chrome: read_page and find see none of its text. page_screenshot shows it; ' +
  "javascript_tool {code: \"const a = document.createElement('a'); a.href = location.href; a.download = ''; a.click()\"} " +
  'saves the file, and downloads gives its path.';

const INVALID_CREDENTIALS = 'net::ERR_INVALID_AUTH_CREDENTIALS';
/** Ways to sign in for which a browser asks by itself; what others refuse is a page like any. */
const BY_PASSWORD = /(?:^|[\n,])[ \t]{0,20}(?:basic|digest|ntlm|negotiate)\b/i;

/**
 * A Chrome without windows for it shows what the server says instead; what can be done about it is
 * the same.
 */
const asksForPassword = ({ status, responseHeaders }: RequestRecord): boolean =>
  status === 401 && BY_PASSWORD.test(headerValue(responseHeaders, 'www-authenticate') ?? '');

/** The proxy's own page about its password, which Chrome shows for http: addresses. */
const PROXY_AUTH_REQUESTED = 'net::ERR_PROXY_AUTH_REQUESTED';

const isProxyChallenge = ({ status, responseHeaders }: RequestRecord): boolean =>
  status === 407 && headerValue(responseHeaders, 'proxy-authenticate') !== undefined;

/** Listens from before the command is sent, so that nothing that happens at once is missed. */
class NavigationWatch {
  readonly #tab: Tab;
  readonly #wait: NavigationWait;
  readonly #reached = new Set<string>();
  readonly #off: (() => void)[] = [];
  #loaderId: string | undefined;
  #restored = false;
  /** The address that could not be shown, where Chrome committed its error page instead. */
  #unreachable: string | undefined;
  #moved = false;
  #download: Download | undefined;
  /** Aborts when the page asks whether it may be left. */
  readonly #asked = new AbortController();
  #wake: () => void = () => {};

  constructor(tab: Tab, wait: NavigationWait) {
    this.#tab = tab;
    this.#wait = wait;
    this.#off.push(
      tab.events.on('lifecycle', ({ loaderId, name }) => {
        this.#reached.add(`${loaderId} ${name}`);
        this.#wake();
      }),
      tab.events.on('navigated', ({ loaderId, fromBackForwardCache, unreachableUrl }) => {
        this.#loaderId = loaderId;
        this.#unreachable = unreachableUrl;
        this.#restored = fromBackForwardCache;
        this.#wake();
      }),
      tab.events.on('moved', () => {
        this.#moved = true;
        this.#wake();
      }),
      tab.events.on('download', (download) => {
        this.#download = download;
        this.#wake();
      }),
      tab.events.on('dialog', (dialog) => {
        if (dialog.kind === 'beforeunload') this.#asked.abort(dialogOpenFailure(dialog));
        this.#wake();
      }),
    );
  }

  /**
   * A page that asks whether it may be left stays until that is answered, and Chrome says nothing
   * before. Whatever else it asks or shows is dismissed: the headless shell would stay for that
   * too.
   */
  async unlessItStays<T>(send: () => Promise<T>): Promise<T> {
    const { dialog } = this.#tab;
    if (dialog?.kind === 'beforeunload') throw dialogOpenFailure(dialog);
    if (dialog) await dismissDialogs(this.#tab, this.#wait.signal);
    return abortable(send(), this.#asked.signal);
  }

  dispose(): void {
    for (const off of this.#off) off();
  }

  /**
   * Waits for the document (that of `loaderId`, if known) to get as far as asked, within the
   * caller's patience.
   */
  async finish(loaderId: string | undefined): Promise<Navigation> {
    const inTime = await this.#until(() => this.#done(loaderId), this.#wait.patienceMs);
    return this.#report(loaderId ?? this.#loaderId, !inTime);
  }

  /** Looks again after every event; false when patience ends first. */
  async #until(done: () => boolean, patienceMs: number): Promise<boolean> {
    using patience = new Deadline(patienceMs);
    while (!done()) if ((await this.#nextEvent(patience.signal)) === 'patience') return false;
    return true;
  }

  async withDownload(): Promise<Navigation> {
    await this.#until(
      () => this.#download !== undefined,
      Math.min(DOWNLOAD_EVENT_MS, this.#wait.patienceMs),
    );
    return { redirects: [], download: true, note: describeDownload(this.#download) };
  }

  /**
   * The answer had no content, so that the page stays; or the load failed, and Chrome shows its own
   * page about it.
   */
  async withoutDocument(
    url: string,
    loaderId: string | undefined,
    netError: string,
  ): Promise<Navigation> {
    const document = loaderId === undefined ? undefined : this.#tab.traffic.document(loaderId);
    const status = document?.status;
    if (status === 204 || status === 205) return { status, redirects: [] };
    // The next call must not meet the old page on its way out.
    if (netError !== ABORTED)
      await this.#until(
        () => this.#unreachable !== undefined,
        Math.min(ERROR_PAGE_MS, this.#wait.patienceMs),
      );
    // Chrome uses one error for a challenge of the server and of the proxy; only the status
    // differs.
    if (document && isProxyChallenge(document)) throw loadFailure(url, PROXY_AUTH_REQUESTED);
    throw loadFailure(url, document?.failure?.error ?? netError);
  }

  #done(loaderId: string | undefined): boolean {
    this.#asked.signal.throwIfAborted();
    if (this.#tab.dialog) return true;
    if (loaderId === undefined && (this.#restored || (this.#moved && this.#loaderId === undefined)))
      return true;
    const { until } = this.#wait;
    const id = loaderId ?? this.#loaderId;
    if (until === 'commit') return id !== undefined && this.#loaderId === id;
    return id !== undefined && this.#reached.has(`${id} ${LIFECYCLE[until]}`);
  }

  #nextEvent(patience: AbortSignal): Promise<'event' | 'patience'> {
    const { signal } = this.#wait;
    return new Promise((resolve, reject) => {
      const finish = (act: () => void): void => {
        this.#wake = () => {};
        signal.removeEventListener('abort', onAbort);
        patience.removeEventListener('abort', onPatience);
        offClose();
        act();
      };
      const onAbort = (): void => finish(() => reject(signal.reason as Error));
      const onPatience = (): void => finish(() => resolve('patience'));
      const offClose = this.#tab.cdp.onClose(() =>
        finish(() => reject(fail('tab_closed', 'The tab was closed while it was loading.'))),
      );
      if (signal.aborted) return onAbort();
      if (patience.aborted) return onPatience();
      this.#wake = () => finish(() => resolve('event'));
      signal.addEventListener('abort', onAbort, { once: true });
      patience.addEventListener('abort', onPatience, { once: true });
    });
  }

  #report(loaderId: string | undefined, stillLoading: boolean): Navigation {
    const document = loaderId === undefined ? undefined : this.#tab.traffic.document(loaderId);
    if (this.#unreachable !== undefined)
      throw loadFailure(this.#unreachable, document?.failure?.error ?? 'net::ERR_FAILED');
    if (document && isProxyChallenge(document))
      throw loadFailure(document.url, PROXY_AUTH_REQUESTED);
    if (document && asksForPassword(document)) throw loadFailure(document.url, INVALID_CREDENTIALS);
    return defined({
      status: document?.status ? (document.deliveredStatus ?? document.status) : undefined,
      redirects: document
        ? redirectChain(document).map(({ url, status = 0 }) => ({ url, status }))
        : [],
      mimeType: document?.mimeType ? document.mimeType : undefined,
      note: document?.mimeType === PDF ? PDF_NOTE : undefined,
      stillLoading: stillLoading ? true : undefined,
      dialogOpened: this.#tab.dialog ? true : undefined,
      sameDocument: loaderId === undefined && this.#moved ? true : undefined,
    });
  }
}
