// What a tab was seen to do since an action began: everything that Chrome tells by events, gathered without asking the page.
import { after, monotonicMs } from '../../core/time.ts';
import type { ConsoleEntry } from '../traffic/console-entry.ts';
import { hasNoBody, headerValue, isStream, redirectChain, type RequestRecord } from '../traffic/request-record.ts';
import type { Download } from '../state/downloads.ts';
import type { AnsweredDialog } from '../tabs/dialog.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Effects, FailedRequest } from './receipt.ts';

/** Kinds of requests whose answer the page usually waits for to show something. */
const AWAITED = new Set(['Fetch', 'XHR', 'Document', 'Script']);
/** Those whose answer goes to a script of the page. */
const SCRIPTED = new Set(['Fetch', 'XHR']);
/** A question without an answer for longer is taken for a long poll; a change that was asked for deserves more patience. */
const POLL_AFTER_MS = 500;
/** An answer whose body is still coming in after this is a stream. */
const STREAM_AFTER_MS = 300;
/** Chrome reads a body that the page does not read after 50 ms by itself: of one that it reads something is in before. */
const READ_WITHIN_MS = 40;
const UNREAD_AFTER_MS = 60;
/** An answer that came sooner came whole, or is of a server that can be as quick with its rest. */
const QUICK_MS = 40;
/** A navigation that was asked for and does not begin within this time was called off. */
const BEGINS_WITHIN_MS = 300;
/** Addresses that lead to another document; mailto: and the like leave the page where it is. */
const WEB = /^(?:https?|about|blob|data|file):/;
const MAX_TOLD = 3;
const MAX_TEXT = 160;

interface Watched {
  readonly record: RequestRecord;
  readonly startedAt: number;
  respondedAt?: number;
  /** When the first of its body was taken in. */
  dataAt?: number;
  /** The page changed after the answer was handed to it. */
  shown?: true;
}

export class Evidence implements Disposable {
  readonly #tab: Tab;
  readonly #off: (() => void)[] = [];
  readonly #requests = new Map<string, Watched>();
  /** Requests that had no answer before: when it comes, pages that poll ask anew. */
  readonly #before: ReadonlySet<string>;
  /** Those of them that have been answered. */
  readonly #polled = new Set<string>();
  readonly #urlBefore: string;
  readonly #loaderBefore: string;
  readonly #newTabs: { readonly tabId: string; readonly url: string }[] = [];
  /** Addresses that windows were opened with, in order; known before the windows are. */
  readonly #openedUrls: string[] = [];
  readonly #downloads = new Map<string, { readonly id: string; readonly file: string }>();
  readonly #errors: string[] = [];
  readonly #dialogs: AnsweredDialog[] = [];
  #chooser = false;
  #answered: RequestRecord[] = [];
  /** A script of the page was given the beginning of an answer, or all of it, after the page was last looked at. */
  #owed: 'beginning' | 'all' | undefined;
  /** When the page changed since. */
  #shown: number | undefined;
  /** It may be drawn in a frame to come. What has no content, or no end, is not waited for like that. */
  #drawn = false;
  #navigating: string | undefined;
  /** When a navigation was asked for that has not begun: it may come to nothing. */
  #askedAt: number | undefined;
  #askedFor = '';
  #committed: { readonly url: string; readonly unreachable?: string } | undefined;
  #moved = false;
  #domReadyAt: number | undefined;
  #loaded = false;
  #wake: () => void = () => {};
  #onLeaving: () => void = () => {};
  readonly startedAt = monotonicMs();

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#urlBefore = tab.url;
    this.#loaderBefore = tab.frames.main.loaderId;
    this.#before = new Set(tab.traffic.pending().flatMap(({ record }) => (record.state === 'pending' ? record.requestId : [])));
    const { traffic, events, cdp, id } = tab;
    this.#listen(traffic.events.on('request', (record) => this.#requested(record)));
    this.#listen(traffic.events.on('response', (record) => this.#responded(record)));
    this.#listen(traffic.events.on('finished', (record) => this.#answeredBy(record)));
    this.#listen(traffic.events.on('failed', (record) => this.#failed(record)));
    this.#listen(traffic.events.on('console', (entry) => this.#said(entry)));
    this.#listen(events.on('navigated', ({ url, unreachableUrl }) => this.#navigated(url, unreachableUrl)));
    this.#listen(events.on('moved', () => this.#movedWithin()));
    this.#listen(events.on('lifecycle', ({ loaderId, name }) => this.#lifecycle(loaderId, name)));
    this.#listen(events.on('changed', (at) => this.#changed(at)));
    this.#listen(events.on('dialog', () => this.#wake()));
    this.#listen(events.on('answered', (dialog) => this.#answeredDialog(dialog)));
    this.#listen(events.on('chooser', () => this.#askedForFile()));
    this.#listen(events.on('closed', () => this.#wake()));
    this.#listen(events.on('popup', (popup) => this.#opened(popup)));
    this.#listen(events.on('download', (download) => this.#downloading(download)));
    this.#listen(
      cdp.on(
        'Page.frameRequestedNavigation',
        ({ frameId, url, disposition }) => frameId === id && disposition === 'currentTab' && this.#asked(url),
      ),
    );
    this.#listen(
      cdp.on(
        'Page.frameStartedNavigating',
        ({ frameId, url, navigationType }) => frameId === id && !/same/i.test(navigationType) && this.#leaving(url),
      ),
    );
    // An older Chrome does not say that a navigation has begun, only that something loads.
    this.#listen(
      cdp.on('Page.frameStartedLoading', ({ frameId }) => frameId === id && this.#askedAt !== undefined && this.#leaving(this.#askedFor)),
    );
    this.#listen(cdp.on('Network.dataReceived', ({ requestId }) => this.#taken(requestId)));
    this.#listen(cdp.on('Page.windowOpen', ({ url }) => this.#openedUrls.push(url)));
    this.#listen(cdp.on('Page.frameStoppedLoading', ({ frameId }) => frameId === id && this.#stopped()));
  }

  [Symbol.dispose](): void {
    for (const off of this.#off) off();
  }

  #listen(off: () => void): void {
    this.#off.push(off);
  }

  #requested(record: RequestRecord): void {
    if (this.#polled.has(keyOf(record)) || UNTOLD.test(record.url)) return;
    this.#requests.set(record.requestId, { record, startedAt: monotonicMs() });
    this.#wake();
  }

  #responded(record: RequestRecord): void {
    this.#wasPolled(record);
    const watched = this.#requests.get(record.requestId);
    if (!watched) return;
    watched.respondedAt = monotonicMs();
    this.#handOver(record, 'beginning');
  }

  #taken(requestId: string): void {
    const watched = this.#requests.get(requestId);
    if (watched) watched.dataAt ??= monotonicMs();
  }

  #answeredBy(record: RequestRecord): void {
    this.#wasPolled(record);
    if (!this.#requests.has(record.requestId)) return;
    // What has no body is not in the page's records of what it was given.
    if (SCRIPTED.has(record.resourceType) && record.frameId !== undefined && !hasNoBody(record)) this.#answered.push(record);
    this.#handOver(record, 'all');
  }

  #failed(record: RequestRecord): void {
    this.#wasPolled(record);
    if (this.#requests.has(record.requestId)) this.#handOver(record, 'all');
  }

  #wasPolled(record: RequestRecord): void {
    if (this.#before.has(record.requestId)) this.#polled.add(keyOf(record));
  }

  #handOver(record: RequestRecord, part: 'beginning' | 'all'): void {
    if (SCRIPTED.has(record.resourceType)) {
      this.#owed = part;
      this.#shown = undefined;
      this.#drawn ||= !hasNoBody(record) && !isStream(record);
    }
    this.#wake();
  }

  #changed(at: number): void {
    this.#shown = at;
    for (const watched of this.#requests.values()) if (watched.respondedAt !== undefined) watched.shown = true;
    this.#wake();
  }

  /** Whether an answer may have changed the page since it was last looked at. */
  get owed(): boolean {
    return this.#owed !== undefined;
  }

  /** The page was looked at, at a moment of its own clock. More may come of an answer that was given in full. */
  looked(at: number): void {
    if (this.#owed === 'beginning' && this.#shown !== undefined && this.#shown <= at) this.#owed = undefined;
  }

  /** How to look at the page now. */
  takeOwed(): 'shown' | 'answer' {
    const how = this.#drawn && this.#shown === undefined ? 'answer' : 'shown';
    this.#owed = undefined;
    this.#drawn = false;
    return how;
  }

  /** Addresses of answers to a frame's scripts that came since this was last asked. */
  takeAnswered(frameId: string): string[] {
    const taken = this.#answered.filter((record) => record.frameId === frameId);
    this.#answered = this.#answered.filter((record) => record.frameId !== frameId);
    return taken.map((record) => (redirectChain(record)[0] ?? record).url.split('#')[0] ?? '');
  }

  /** The receipt tells of it, so that nobody else needs to. */
  #answeredDialog(dialog: AnsweredDialog): void {
    this.#tab.answeredDialogs.delete(dialog);
    if (this.#dialogs.length < MAX_TOLD) this.#dialogs.push({ ...dialog, message: dialog.message.slice(0, MAX_TEXT) });
    this.#wake();
  }

  #askedForFile(): void {
    this.#chooser = true;
    this.#wake();
  }

  #said({ kind, text }: ConsoleEntry): void {
    if (kind === 'exception' && this.#errors.length < MAX_TOLD) this.#errors.push(firstLine(text));
  }

  #asked(url: string): void {
    if (!WEB.test(url)) return;
    this.#askedFor = url;
    this.#askedAt = monotonicMs();
    this.#wake();
  }

  #leaving(url: string): void {
    if (!WEB.test(url)) return;
    this.#askedAt = undefined;
    this.#navigating = url;
    this.#onLeaving();
    this.#wake();
  }

  #navigated(url: string, unreachable: string | undefined): void {
    this.#navigating = this.#askedAt = undefined;
    this.#loaded = false;
    this.#domReadyAt = undefined;
    this.#committed = { url, ...(unreachable === undefined ? {} : { unreachable }) };
    this.#wake();
  }

  #movedWithin(): void {
    this.#moved = true;
    this.#wake();
  }

  #lifecycle(loaderId: string, name: string): void {
    if (loaderId !== this.#tab.frames.main.loaderId) return;
    if (name === 'DOMContentLoaded') this.#domReadyAt = monotonicMs();
    if (name === 'load') this.#loaded = true;
    this.#wake();
  }

  /** Loading ended without a new document: no content, or a file. */
  #stopped(): void {
    this.#navigating = this.#askedAt = undefined;
    this.#wake();
  }

  #opened(popup: { readonly tabId: string; readonly url: string }): void {
    this.#newTabs.push(popup);
    this.#wake();
  }

  #downloading({ id, file }: Download): void {
    this.#downloads.set(id, { id, file });
    this.#wake();
  }

  /** The page cannot be asked any more: a dialog holds it up, or it is gone. */
  get interrupted(): boolean {
    return this.#tab.dialog !== undefined || this.#tab.closed;
  }

  /** Calls back when the page stops answering: a dialog opens, the tab closes, or it leaves for another document. */
  onInterruption(callback: () => void): () => void {
    const { events } = this.#tab;
    const off = [events.on('dialog', callback), events.on('closed', callback)];
    this.#onLeaving = callback;
    return () => {
      this.#onLeaving = () => {};
      for (const unsubscribe of off) unsubscribe();
    };
  }

  /** A new document is on its way, or there already. */
  get leaving(): boolean {
    return this.#navigating !== undefined || this.#committed !== undefined || this.#justAsked;
  }

  get #justAsked(): boolean {
    return this.#askedAt !== undefined && monotonicMs() - this.#askedAt < BEGINS_WITHIN_MS;
  }

  /** Whether there is a new document with everything in it that is worth waiting for. */
  arrived(loadMs: number): boolean {
    if (this.#navigating !== undefined || this.#justAsked) return false;
    if (!this.#committed) return true;
    return (
      this.#loaded ||
      this.#committed.unreachable !== undefined ||
      (this.#domReadyAt !== undefined && monotonicMs() - this.#domReadyAt >= loadMs)
    );
  }

  /** Whether anything was seen. */
  get any(): boolean {
    return (
      this.#requests.size > 0 ||
      this.leaving ||
      this.#moved ||
      this.#dialogs.length > 0 ||
      this.#chooser ||
      this.#newTabs.length > 0 ||
      this.#downloads.size > 0 ||
      this.#errors.length > 0
    );
  }

  /** How long requests of this action are still worth waiting for; 0 when all have ended or turned out to be endless. */
  awaitMs(): number {
    const now = monotonicMs();
    const endless = new Set(
      this.#tab.traffic
        .pending()
        .filter(({ longLived }) => longLived)
        .map(({ record }) => record.requestId),
    );
    let longest = 0;
    for (const watched of this.#requests.values()) {
      const { record } = watched;
      if (record.state === 'finished' || record.state === 'failed' || endless.has(record.requestId) || !AWAITED.has(record.resourceType))
        continue;
      longest = Math.max(longest, awaitedUntil(watched) - now);
    }
    return longest;
  }

  /** The next event of any kind, or the time. */
  next(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => finish(() => reject(signal.reason as Error));
      const finish = (act: () => void): void => {
        this.#wake = () => {};
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', stop);
        act();
      };
      const timer = after(ms, () => finish(resolve));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#wake = () => finish(resolve);
    });
  }

  effects(): Effects {
    const { dialog, closed } = this.#tab;
    return {
      ...(closed ? { tabClosed: true } : {}),
      ...this.#address(),
      ...(this.#newTabs.length > 0
        ? { newTabs: this.#newTabs.map(({ tabId, url }, i) => ({ tabId, url: url || (this.#openedUrls[i] ?? '') })) }
        : {}),
      ...(dialog ? { dialog: { kind: dialog.kind, message: dialog.message.slice(0, MAX_TEXT) } } : {}),
      ...(this.#dialogs.length > 0 ? { answered: this.#dialogs } : {}),
      ...(this.#chooser ? { chooser: true } : {}),
      ...(this.#downloads.size > 0 ? { downloads: [...this.#downloads.values()] } : {}),
      ...this.#traffic(),
      ...(this.#errors.length > 0 ? { pageErrors: this.#errors } : {}),
    };
  }

  #address(): Pick<Effects, 'url' | 'reloaded'> {
    const from = this.#urlBefore;
    if (this.#navigating !== undefined) return { url: { from, to: this.#navigating, state: 'pending' } };
    const { url, frames } = this.#tab;
    if (this.#committed?.unreachable !== undefined) {
      const error = this.#tab.traffic.document(frames.main.loaderId)?.failure?.error ?? 'net::ERR_FAILED';
      return { url: { from, to: this.#committed.unreachable, state: 'failed', error } };
    }
    if (url === from) return this.#committed && frames.main.loaderId !== this.#loaderBefore ? { reloaded: true } : {};
    return { url: { from, to: url, ...(this.#committed && !this.#loaded ? { state: 'loading' as const } : {}) } };
  }

  #traffic(): Pick<Effects, 'requests'> {
    const records = [...this.#requests.values()].map(({ record }) => record);
    if (records.length === 0) return {};
    const failed = records.filter(hasFailed).map(({ method, url, status, failure }): FailedRequest => ({
      method,
      url,
      status: status !== undefined && status >= 400 ? status : (failure?.error ?? 'failed'),
    }));
    return { requests: { count: records.length, pending: records.filter(({ state }) => state === 'pending').length, failed } };
  }
}

/** When a request that is under way is no longer worth waiting for. */
const awaitedUntil = ({ record, startedAt, respondedAt, dataAt = Infinity, shown }: Watched): number => {
  if (respondedAt === undefined) return record.method === 'GET' ? startedAt + POLL_AFTER_MS : Infinity;
  if (!SCRIPTED.has(record.resourceType)) return respondedAt + STREAM_AFTER_MS;
  const length = bodyLength(record);
  if (length !== undefined && record.decodedBytes >= length) return respondedAt; // in, whether or not the page reads it
  if (shown && length === undefined) {
    const took = record.ttfbMs ?? 0;
    return respondedAt + (took < QUICK_MS ? 0 : Math.min(took, STREAM_AFTER_MS));
  }
  return respondedAt + (dataAt - respondedAt < READ_WITHIN_MS ? STREAM_AFTER_MS : UNREAD_AFTER_MS);
};

/** How many bytes the page will be given, where that is known beforehand. */
const bodyLength = (record: RequestRecord): number | undefined => {
  if (hasNoBody(record)) return 0;
  const { responseHeaders } = record;
  const length = headerValue(responseHeaders, 'content-length');
  return length === undefined || headerValue(responseHeaders, 'content-encoding') !== undefined ? undefined : Number(length);
};

/** What no action asks for. */
const UNTOLD = /^(?:data|blob):|\/favicon\.ico$/;

const keyOf = ({ method, url }: RequestRecord): string => `${method} ${url.split('?')[0]}`;

const hasFailed = ({ status, state, failure }: RequestRecord): boolean =>
  (status !== undefined && status >= 400) || (state === 'failed' && failure?.canceled !== true);

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, MAX_TEXT);
