// Watches whether a tab navigates to another document after an action, and how far it has loaded.
import { callAll } from '../../core/collections.ts';
import { compact, defined, valueIf } from '../../core/defined.ts';
import { monotonicMs } from '../../core/time.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Effects } from '../../core/receipt.ts';

/** A requested navigation that does not start within this time is considered cancelled. */
const BEGINS_WITHIN_MS = 300;
/** URL schemes that load a document; mailto: and similar ones leave the page in place. */
const WEB = /^(?:https?|about|blob|data|file):/;

export class DocumentWatch implements Disposable {
  readonly #tab: Tab;
  readonly #wake: () => void;
  readonly #off: readonly (() => void)[];
  readonly #urlBefore: string;
  readonly #loaderBefore: string;
  #navigating: string | undefined;
  /** When a navigation was requested that has not started yet; it may never start. */
  #requestedAt: number | undefined;
  #requestedUrl = '';
  #committed: { readonly url: string; readonly unreachable?: string } | undefined;
  #moved = false;
  #domReadyAt: number | undefined;
  #loaded = false;
  #onLeaving: () => void = () => {};

  constructor(tab: Tab, wake: () => void) {
    this.#tab = tab;
    this.#wake = wake;
    this.#urlBefore = tab.url;
    this.#loaderBefore = tab.frames.main.loaderId;
    this.#off = [...this.#followTab(), ...this.#followFrame()];
  }

  [Symbol.dispose](): void {
    callAll(this.#off);
  }

  #followTab(): (() => void)[] {
    const { events } = this.#tab;
    return [
      events.on('navigated', ({ url, unreachableUrl }) => this.#navigated(url, unreachableUrl)),
      events.on('moved', () => this.#movedWithin()),
      events.on('lifecycle', ({ loaderId, name }) => this.#lifecycle(loaderId, name)),
    ];
  }

  #followFrame(): (() => void)[] {
    const { cdp, id } = this.#tab;
    return [
      cdp.on(
        'Page.frameRequestedNavigation',
        ({ frameId, url, disposition }) =>
          frameId === id && disposition === 'currentTab' && this.#requested(url),
      ),
      cdp.on(
        'Page.frameStartedNavigating',
        ({ frameId, url, navigationType }) =>
          frameId === id && !/same/i.test(navigationType) && this.#leaving(url),
      ),
      // Older Chrome versions emit no frameStartedNavigating event, only frameStartedLoading.
      cdp.on(
        'Page.frameStartedLoading',
        ({ frameId }) =>
          frameId === id && this.#requestedAt !== undefined && this.#leaving(this.#requestedUrl),
      ),
      cdp.on('Page.frameStoppedLoading', ({ frameId }) => frameId === id && this.#stopped()),
    ];
  }

  #requested(url: string): void {
    if (!WEB.test(url)) return;
    this.#requestedUrl = url;
    this.#requestedAt = monotonicMs();
    this.#wake();
  }

  #leaving(url: string): void {
    if (!WEB.test(url)) return;
    this.#requestedAt = undefined;
    this.#navigating = url;
    this.#onLeaving();
    this.#wake();
  }

  #navigated(url: string, unreachable: string | undefined): void {
    this.#navigating = this.#requestedAt = undefined;
    this.#loaded = false;
    this.#domReadyAt = undefined;
    this.#committed = defined({ url, unreachable });
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

  /** Loading ended without a new document: an empty response or a download. */
  #stopped(): void {
    this.#navigating = this.#requestedAt = undefined;
    this.#wake();
  }

  /** Sets the callback for the start of a navigation. There is only one callback at a time. */
  onLeaving(callback: () => void): () => void {
    this.#onLeaving = callback;
    return () => (this.#onLeaving = () => {});
  }

  /** A new document is loading or has loaded. */
  get leaving(): boolean {
    return this.#navigating !== undefined || this.#committed !== undefined || this.#justRequested;
  }

  get #justRequested(): boolean {
    return this.#requestedAt !== undefined && monotonicMs() - this.#requestedAt < BEGINS_WITHIN_MS;
  }

  /** Whether no navigation is in progress and the new document, if any, has loaded far enough. */
  arrived(loadMs: number): boolean {
    if (this.#navigating !== undefined || this.#justRequested) return false;
    if (!this.#committed) return true;
    return (
      this.#loaded ||
      this.#committed.unreachable !== undefined ||
      (this.#domReadyAt !== undefined && monotonicMs() - this.#domReadyAt >= loadMs)
    );
  }

  /** Whether the tab navigated, to another document or within this one. */
  get any(): boolean {
    return this.leaving || this.#moved;
  }

  effects(): Pick<Effects, 'url' | 'reloaded'> {
    const from = this.#urlBefore;
    if (this.#navigating !== undefined)
      return { url: { from, to: this.#navigating, state: 'pending' } };
    const { url, frames } = this.#tab;
    if (this.#committed?.unreachable !== undefined) {
      const error =
        this.#tab.traffic.document(frames.main.loaderId)?.failure?.error ?? 'net::ERR_FAILED';
      return { url: { from, to: this.#committed.unreachable, state: 'failed', error } };
    }
    if (url === from)
      return this.#committed && frames.main.loaderId !== this.#loaderBefore
        ? { reloaded: true }
        : {};
    const isPdf =
      this.#committed &&
      this.#tab.traffic.document(frames.main.loaderId)?.mimeType === 'application/pdf';
    return {
      url: defined({
        from,
        to: url,
        state: valueIf(this.#committed && !this.#loaded, 'loading' as const),
        ...compact({ pdf: isPdf }),
      }),
    };
  }
}
