// Collects the CDP events of a tab during an action: navigation, requests, dialogs, tabs, errors.
import { callAll } from '../../core/collections.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { textBefore, textAt } from '../../core/text.ts';
import { after, monotonicMs } from '../../core/time.ts';
import type { ConsoleEntry } from '../traffic/console-entry.ts';
import type { Download } from '../state/downloads.ts';
import type { AnsweredDialog } from '../tabs/dialog.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Effects } from '../../core/receipt.ts';
import { DocumentWatch } from './document-watch.ts';
import { RequestWatch } from './request-watch.ts';

const MAX_REPORTED = 3;
const MAX_TEXT = 160;

export class TabActivity implements Disposable {
  readonly #tab: Tab;
  readonly #off: (() => void)[] = [];
  readonly requests: RequestWatch;
  readonly #document: DocumentWatch;
  readonly #newTabs: { readonly tabId: string; readonly url: string }[] = [];
  /** URLs of opened windows, in order. Chrome reports them before the tabs exist. */
  readonly #openedUrls: string[] = [];
  readonly #downloads = new Map<string, { readonly id: string; readonly file: string }>();
  readonly #errors: string[] = [];
  readonly #dialogs: AnsweredDialog[] = [];
  #chooser = false;
  #wake: () => void = () => {};
  readonly startedAt = monotonicMs();

  constructor(tab: Tab) {
    this.#tab = tab;
    tab.allowance.renew();
    const wake = (): void => this.#wake();
    this.requests = new RequestWatch(tab, wake);
    this.#document = new DocumentWatch(tab, wake);
    const { traffic, events, cdp } = tab;
    this.#listen(traffic.events.on('console', (entry) => this.#recordException(entry)));
    this.#listen(events.on('dialog', wake));
    this.#listen(events.on('answered', (dialog) => this.#answeredDialog(dialog)));
    this.#listen(events.on('chooser', () => this.#openedChooser()));
    this.#listen(events.on('closed', wake));
    this.#listen(events.on('popup', (popup) => this.#opened(popup)));
    this.#listen(events.on('download', (download) => this.#downloading(download)));
    this.#listen(cdp.on('Page.windowOpen', ({ url }) => this.#openedUrls.push(url)));
  }

  [Symbol.dispose](): void {
    this.requests[Symbol.dispose]();
    this.#document[Symbol.dispose]();
    callAll(this.#off);
  }

  #listen(off: () => void): void {
    this.#off.push(off);
  }

  /** The receipt reports the dialog, so it is removed from the tab's unreported dialogs. */
  #answeredDialog(dialog: AnsweredDialog): void {
    this.#tab.answeredDialogs.delete(dialog);
    if (this.#dialogs.length < MAX_REPORTED)
      this.#dialogs.push({ ...dialog, message: dialog.message.slice(0, MAX_TEXT) });
    this.#wake();
  }

  #openedChooser(): void {
    this.#chooser = true;
    this.#wake();
  }

  #recordException({ kind, text }: ConsoleEntry): void {
    if (kind === 'exception' && this.#errors.length < MAX_REPORTED)
      this.#errors.push(firstLine(text));
  }

  #opened(popup: { readonly tabId: string; readonly url: string }): void {
    this.#newTabs.push(popup);
    this.#wake();
  }

  #downloading({ id, file }: Download): void {
    this.#downloads.set(id, { id, file });
    this.#wake();
  }

  /** The page cannot respond: a dialog is open or the tab is closed. */
  get interrupted(): boolean {
    return this.#tab.dialog !== undefined || this.#tab.closed;
  }

  /**
   * Calls back when the page stops responding: a dialog opens, the tab closes, or a navigation
   * starts.
   */
  onInterruption(callback: () => void): () => void {
    const { events } = this.#tab;
    const off = [
      events.on('dialog', callback),
      events.on('closed', callback),
      this.#document.onLeaving(callback),
    ];
    return () => {
      callAll(off);
    };
  }

  /** A new document is loading or has loaded. */
  get leaving(): boolean {
    return this.#document.leaving;
  }

  /** Whether no navigation is in progress and the new document, if any, has loaded far enough. */
  arrived(loadMs: number): boolean {
    return this.#document.arrived(loadMs);
  }

  /** Whether any event was observed. */
  get any(): boolean {
    return (
      this.requests.any ||
      this.#document.any ||
      this.#dialogs.length > 0 ||
      this.#chooser ||
      this.#newTabs.length > 0 ||
      this.#downloads.size > 0 ||
      this.#errors.length > 0
    );
  }

  /** Resolves at the next event of any kind, or after `ms`. */
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
    return defined({
      ...compact({ tabClosed: closed }),
      ...this.#document.effects(),
      newTabs:
        this.#newTabs.length > 0
          ? this.#newTabs.map(({ tabId, url }, i) => ({
              tabId,
              url: url || textAt(this.#openedUrls, i),
            }))
          : undefined,
      dialog: ifDefined(dialog, (dialog) => ({
        kind: dialog.kind,
        message: dialog.message.slice(0, MAX_TEXT),
      })),
      ...compact({ answered: this.#dialogs, chooser: this.#chooser }),
      downloads: this.#downloads.size > 0 ? [...this.#downloads.values()] : undefined,
      ...this.requests.effects(),
      ...compact({ pageErrors: this.#errors }),
    });
  }
}

const firstLine = (text: string): string => textBefore(text, '\n').slice(0, MAX_TEXT);
