// Navigates a tab and returns the outcome: status, redirects, download or network error.
import { callAll } from '../../core/collections.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { headerValue, redirectChain, type RequestRecord } from '../traffic/request-record.ts';
import type { Download } from '../state/downloads.ts';
import { isPdfDownload } from '../pdf/pdf-kind.ts';
import { CLIENT_CERT_NEEDED, loadFailure, readFingerprint } from './load-failure.ts';
import { dialogOpenFailure } from './dialog.ts';
import type { Tab } from './tab.ts';

export type WaitUntil = 'commit' | 'domcontentloaded' | 'load' | 'networkidle';

/** Chrome's lifecycle event for each kind of wait. */
const LIFECYCLE: Readonly<Record<Exclude<WaitUntil, 'commit'>, string>> = {
  domcontentloaded: 'DOMContentLoaded',
  load: 'load',
  networkidle: 'networkIdle',
};

/** Chrome's error for an aborted load; no error page follows. */
const ABORTED = 'net::ERR_ABORTED';
/** How long to wait for Chrome's error page. */
const ERROR_PAGE_MS = 500;

/** The outcome of a navigation; the final URL is `tab.url`. */
export interface Navigation {
  /**
   * Undefined if no document was fetched: about:blank, back-forward cache, same-document
   * navigation.
   */
  readonly status?: number;
  readonly redirects: readonly { readonly url: string; readonly status: number }[];
  readonly mimeType?: string;
  /** The wait ended before the page had finished loading. */
  readonly stillLoading?: true;
  /** The page opened a dialog, which blocks its loading. */
  readonly dialogOpened?: true;
  /** The response is a file, which Chrome downloads; the tab keeps its page. */
  readonly download?: true;
  /** The download, if Chrome has reported it in time. */
  readonly downloaded?: Download;
  readonly sameDocument?: true;
}

interface NavigationWait {
  readonly until: WaitUntil;
  readonly signal: AbortSignal;
  /** How long to wait for the load before returning with `stillLoading`. */
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

/** `ignoreCache`: requests everything from the server again. */
export const reload = async (
  tab: Tab,
  wait: NavigationWait,
  { ignoreCache = false } = {},
): Promise<Navigation> => {
  const watch = new NavigationWatch(tab, wait);
  try {
    await watch.unlessItStays(() => tab.cdp.send('Page.reload', { ignoreCache }, wait.signal));
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
  if (!entry)
    throw fail(
      'no_history',
      `The history of the tab has no page ${by < 0 ? 'before' : 'after'} this one.`,
    );
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
 * Maximum number of dialogs that are dismissed in a row, and how long to wait for the next one.
 */
const MAX_DISMISSED = 20;
const NEXT_DIALOG_MS = 500;

/**
 * Dismisses dialogs before a navigation: a dialog that opens during the navigation cannot be
 * answered.
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

/** Resolves when the page's scripts run again, or when the signal aborts. */
const runs = async (session: CdpSession, signal: AbortSignal): Promise<void> => {
  await session.send('Runtime.evaluate', { expression: '0' }, signal).catch(() => {});
};

/** How long to wait for the download event after `Page.navigate` reported a download. */
const DOWNLOAD_EVENT_MS = 500;

const INVALID_CREDENTIALS = 'net::ERR_INVALID_AUTH_CREDENTIALS';
/** Schemes for which a browser opens a login prompt; a 401 with another scheme is a normal page. */
const BY_PASSWORD = /(?:^|[\n,])[ \t]{0,20}(?:basic|digest|ntlm|negotiate)\b/i;

/** Headless Chrome shows the body of the 401 response instead of a login prompt. */
const asksForPassword = ({ status, responseHeaders }: RequestRecord): boolean =>
  status === 401 && BY_PASSWORD.test(headerValue(responseHeaders, 'www-authenticate') ?? '');

/** Error for a proxy's 407 page, which Chrome shows for http: URLs. */
const PROXY_AUTH_REQUESTED = 'net::ERR_PROXY_AUTH_REQUESTED';

const isProxyChallenge = ({ status, responseHeaders }: RequestRecord): boolean =>
  status === 407 && headerValue(responseHeaders, 'proxy-authenticate') !== undefined;

/** Subscribes to events before the command is sent, so that no event is missed. */
class NavigationWatch {
  readonly #tab: Tab;
  readonly #wait: NavigationWait;
  readonly #reached = new Set<string>();
  readonly #off: (() => void)[] = [];
  #loaderId: string | undefined;
  #restored = false;
  /** The URL that failed to load, if Chrome committed its error page. */
  #unreachable: string | undefined;
  #moved = false;
  #download: Download | undefined;
  /** Aborts when the page opens a `beforeunload` dialog. */
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
   * Rejects if the page opens a `beforeunload` dialog, because Chrome does not answer the command
   * until then. Other dialogs are dismissed first: they block the headless shell too.
   */
  async unlessItStays<T>(send: () => Promise<T>): Promise<T> {
    const { dialog } = this.#tab;
    if (dialog?.kind === 'beforeunload') throw dialogOpenFailure(dialog);
    if (dialog) await dismissDialogs(this.#tab, this.#wait.signal);
    return abortable(send(), this.#asked.signal);
  }

  dispose(): void {
    callAll(this.#off);
  }

  /**
   * Waits until the document (that of `loaderId`, if given) reaches the requested state, or
   * `patienceMs` ends.
   */
  async finish(loaderId: string | undefined): Promise<Navigation> {
    const inTime = await this.#until(() => this.#done(loaderId), this.#wait.patienceMs);
    return await this.#report(loaderId ?? this.#loaderId, !inTime);
  }

  /** Checks `done` after every event; returns false after `patienceMs`. */
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
    const downloaded = this.#download;
    if (downloaded && isPdfDownload(downloaded)) this.#tab.openedFile = downloaded.id;
    return defined({ redirects: [], download: true as const, downloaded });
  }

  /**
   * The response had no content (the page stays), or the load failed and Chrome shows its error
   * page.
   */
  async withoutDocument(
    url: string,
    loaderId: string | undefined,
    netError: string,
  ): Promise<Navigation> {
    const document = ifDefined(loaderId, (loaderId) => this.#tab.traffic.document(loaderId));
    const status = document?.status;
    if (status === 204 || status === 205) return { status, redirects: [] };
    // Wait for the error page, so that the next call does not run in the old page.
    if (netError !== ABORTED)
      await this.#until(
        () => this.#unreachable !== undefined,
        Math.min(ERROR_PAGE_MS, this.#wait.patienceMs),
      );
    // Chrome reports one error for a challenge of the server and of the proxy; only the status
    // differs.
    if (document && isProxyChallenge(document)) throw loadFailure(url, PROXY_AUTH_REQUESTED);
    throw await this.#explainFailure(url, document?.failure?.error ?? netError);
  }

  /**
   * Adds the fingerprint of an invalid certificate, which the user can compare with its own, and
   * finds the reason why a server ended the connection.
   */
  async #explainFailure(url: string, netError: string): Promise<Failure> {
    const failure = loadFailure(url, netError);
    const { signal } = this.#wait;
    const isEnded = failure.code === 'navigation_failed';
    if (isEnded && (await abortable(this.#tab.guard.needsClientCertificate(url, netError), signal)))
      return loadFailure(url, CLIENT_CERT_NEEDED);
    if (failure.code !== 'certificate_invalid') return failure;
    const fingerprint = await readFingerprint(this.#tab.cdp, this.#wait.signal);
    return loadFailure(url, netError, undefined, fingerprint);
  }

  #done(loaderId: string | undefined): boolean {
    this.#asked.signal.throwIfAborted();
    if (this.#tab.dialog) return true;
    if (loaderId === undefined && (this.#restored || (this.#moved && this.#loaderId === undefined)))
      return true;
    const { until } = this.#wait;
    const id = loaderId ?? this.#loaderId;
    if (id === undefined) return false;
    if (until === 'commit' || this.#isChallengeOfProxy(id)) return this.#loaderId === id;
    return this.#reached.has(`${id} ${LIFECYCLE[until]}`);
  }

  /** Chrome shows the response of the proxy, but never reports its load for an https: URL. */
  #isChallengeOfProxy(loaderId: string): boolean {
    const document = this.#tab.traffic.document(loaderId);
    return document !== undefined && isProxyChallenge(document);
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

  async #report(loaderId: string | undefined, stillLoading: boolean): Promise<Navigation> {
    const document = ifDefined(loaderId, (loaderId) => this.#tab.traffic.document(loaderId));
    if (this.#unreachable !== undefined)
      throw await this.#explainFailure(
        this.#unreachable,
        document?.failure?.error ?? 'net::ERR_FAILED',
      );
    if (document && isProxyChallenge(document))
      throw loadFailure(document.url, PROXY_AUTH_REQUESTED);
    if (document && asksForPassword(document)) throw loadFailure(document.url, INVALID_CREDENTIALS);
    return defined({
      status: document?.status ? (document.deliveredStatus ?? document.status) : undefined,
      redirects: document
        ? redirectChain(document).map(({ url, status = 0 }) => ({ url, status }))
        : [],
      mimeType: document?.mimeType ? document.mimeType : undefined,
      ...compact({
        stillLoading,
        dialogOpened: Boolean(this.#tab.dialog),
        sameDocument: loaderId === undefined && this.#moved,
      }),
    });
  }
}
