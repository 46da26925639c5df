// The page targets of one Chrome: lists all of them, attaches the used ones as tabs.
import type { Protocol } from 'devtools-protocol';
import { defined, ifDefined, valueIf } from '../../core/defined.ts';
import { Failure } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { abortable, settlesWithin } from '../../core/time.ts';
import { isGone, isRefused } from '../cdp/errors.ts';
import { type CdpConnection, type CdpSession, requireField } from '../cdp/connection.ts';
import type { Contexts } from './contexts.ts';
import { PageAllowance } from './page-allowance.ts';
import { Tab, type TabOptions } from './tab.ts';

type TargetInfo = Protocol.Target.TargetInfo;

const PAGES = [{ type: 'page', exclude: false }];
/** How long a page that is to be closed may take to send its first request. */
const FIRST_REQUEST_MS = 2_000;

/** Maximum length of a chain of popups. */
const MAX_OPENERS = 20;

/** Identifies the session of a popup. */
export interface PopupSource {
  readonly openerId: string | undefined;
  readonly contextId: string | undefined;
}

export interface TargetsOptions extends TabOptions {
  /**
   * True for a Chrome that we started: every page is attached before its scripts run. Otherwise
   * only the tabs that calls name are attached.
   */
  readonly owned: boolean;
  readonly log: Log;
  /** Browser contexts that this server created. */
  readonly contexts: Pick<Contexts, 'has'>;
  /** A page opened a tab. */
  readonly onPopup: (popup: Tab, openerId: string | undefined) => void;
  /** Returns the setup of a tab that a page opened, by its opener or its browser context. */
  readonly findSetup: (from: PopupSource) => TabOptions['setUp'];
  readonly onGone: (targetId: string, url: string) => void;
  /** Opens a tab for a session in the user's Chrome; Target.createTarget if undefined. */
  readonly openTarget?: (session: string, signal: AbortSignal) => Promise<{ targetId: string }>;
  readonly onAttached?: (tab: Tab) => void;
}

interface CreateTabOptions {
  /** The browser context; Chrome's profile if undefined. */
  readonly contextId?: string | undefined;
  /** The name of the session that gets the tab. */
  readonly session?: string;
}

export class Targets {
  readonly #connection: CdpConnection;
  readonly #options: TargetsOptions;
  readonly #infos = new Map<string, TargetInfo>();
  readonly #tabs = new Map<string, Promise<Tab>>();
  readonly #attached = new Map<string, Tab>();
  /** Targets that this server opened. */
  readonly #ours = new Set<string>();
  /** Number of tabs that this server is opening. */
  #creating = 0;
  /** Targets whose controls could not be set, until they are closed. */
  readonly #uncontrolled = new Map<string, Failure>();
  /** The allowance of each target; popups share that of their opener. */
  readonly #allowances = new Map<string, PageAllowance>();
  /** For downloads of frames that no longer exist. */
  readonly #strayAllowance = new PageAllowance();
  /** Popups above the limit, until they are closed. */
  readonly #refused = new Set<string>();
  #ahead: Promise<Tab> | undefined;

  constructor(connection: CdpConnection, options: TargetsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { root } = this.#connection;
    root.on('Target.targetCreated', ({ targetInfo }) => this.#created(targetInfo));
    root.on('Target.targetInfoChanged', ({ targetInfo }) => this.#changed(targetInfo));
    root.on('Target.targetDestroyed', ({ targetId }) => this.#destroyed(targetId));
    root.on('Target.attachedToTarget', ({ sessionId, targetInfo }) =>
      this.#autoAttached(sessionId, targetInfo),
    );
    await Promise.all([
      root.send('Target.setDiscoverTargets', { discover: true, filter: PAGES }, signal),
      this.#options.owned
        ? root.send(
            'Target.setAutoAttach',
            { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: PAGES },
            signal,
          )
        : undefined,
    ]);
  }

  /** Every page target, attached or not. */
  get infos(): readonly TargetInfo[] {
    return [...this.#infos.values()];
  }

  /** Every attached tab. */
  get tabs(): readonly Tab[] {
    return [...this.#attached.values()];
  }

  /** The page target with this id, attached or not: the main frame of a page has its id. */
  findPage(frameId: string): string | undefined {
    return valueIf(this.#infos.has(frameId), frameId);
  }

  /**
   * Whether a page whose session has ended may still be open. In a Chrome that we started only a
   * closed page loses its session, which Chrome reports before it reports the end of the page.
   */
  isStillOpen(targetId: string): boolean {
    return !this.#options.owned && this.#infos.has(targetId);
  }

  /** The URL of a page; undefined if it is closed. */
  findUrl(targetId: string): string | undefined {
    return this.#attached.get(targetId)?.url ?? this.#infos.get(targetId)?.url;
  }

  /** The page, the page that opened it, and so on. */
  listOpeners(targetId: string): readonly string[] {
    const chain = [targetId];
    for (let id = this.#openerOf(targetId); id !== undefined; id = this.#openerOf(id)) {
      if (chain.includes(id) || chain.length >= MAX_OPENERS) break;
      chain.push(id);
    }
    return chain;
  }

  #openerOf(targetId: string): string | undefined {
    return this.#infos.get(targetId)?.openerId ?? this.#attached.get(targetId)?.guard.openerId;
  }

  /** The tab of a target if it is attached already. */
  attachedTab(targetId: string): Tab | undefined {
    return this.#attached.get(targetId);
  }

  /** The attached tab that contains the frame. */
  tabOfFrame(frameId: string): Tab | undefined {
    return (
      this.#attached.get(frameId) ??
      [...this.#attached.values()].find(({ frames }) => frames.byId(frameId) !== undefined)
    );
  }

  /** The allowance of the page that contains or contained the frame. */
  allowanceOf(frameId: string): PageAllowance {
    return (
      this.#allowances.get(frameId) ?? this.tabOfFrame(frameId)?.allowance ?? this.#strayAllowance
    );
  }

  /** The tab of a target, attached if necessary; undefined if the target does not exist. */
  async findTab(targetId: string, signal: AbortSignal): Promise<Tab | undefined> {
    if (!this.#infos.has(targetId) && !this.#tabs.has(targetId)) return undefined;
    if (!this.#tabs.has(targetId))
      await this.#connection.root.send(
        'Target.attachToTarget',
        { targetId, flatten: true },
        signal,
      );
    const tab = this.#tabs.get(targetId);
    return tab && abortable(tab, signal);
  }

  /** Marks a tab as opened by this server, in an earlier connection. */
  markOurs(targetId: string): void {
    this.#ours.add(targetId);
  }

  /** Opens the tab for the next `create` call early, together with Chrome's start commands. */
  openAhead(signal: AbortSignal): void {
    this.#ahead = this.#open(signal);
    this.#ahead.catch(() => {}); // `create` tries again
  }

  /** A new tab at about:blank, in Chrome's profile or in a browser context. */
  async create(signal: AbortSignal, options: CreateTabOptions = {}): Promise<Tab> {
    if (options.contextId !== undefined || this.#options.openTarget)
      return this.#open(signal, options);
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ? abortable(ahead, signal).catch(() => this.#open(signal)) : this.#open(signal);
  }

  #createTarget(
    signal: AbortSignal,
    { contextId, session = '' }: CreateTabOptions,
  ): Promise<{ readonly targetId: string }> {
    const { openTarget, owned } = this.#options;
    if (openTarget && contextId === undefined) return openTarget(session, signal);
    return this.#connection.root.send(
      'Target.createTarget',
      defined({ url: 'about:blank', background: !owned, browserContextId: contextId }),
      signal,
    );
  }

  async #open(signal: AbortSignal, options: CreateTabOptions = {}): Promise<Tab> {
    this.#creating++;
    const created = this.#createTarget(signal, options);
    const { targetId } = await created.finally(() => this.#creating--);
    this.#ours.add(targetId);
    const failure = this.#uncontrolled.get(targetId);
    if (failure) throw failure;
    if (!this.#tabs.has(targetId)) {
      if (this.#options.owned)
        await this.#connection.root.next(
          'Target.attachedToTarget',
          signal,
          ({ targetInfo }) => targetInfo.targetId === targetId,
        );
      else
        await this.#connection.root.send(
          'Target.attachToTarget',
          { targetId, flatten: true },
          signal,
        );
    }
    return abortable(requireField(this.#tabs.get(targetId), 'the new tab'), signal);
  }

  async close(tab: Tab, signal: AbortSignal): Promise<void> {
    // Page.close would run beforeunload handlers and wait for them; closing the target does not.
    await this.#connection.root.send('Target.closeTarget', { targetId: tab.id }, signal);
    if (!tab.closed) await tab.events.next('closed', undefined, signal);
  }

  /**
   * Whether a popup exceeds its opener's limit. In a Chrome that we did not start, Chrome decides
   * about popups.
   */
  #refusesPopup({ targetId, openerId }: TargetInfo): boolean {
    if (this.#refused.has(targetId)) return true;
    if (this.#allowances.has(targetId)) return false;
    const shared = ifDefined(openerId, (openerId) => this.#allowances.get(openerId));
    if (shared && this.#options.owned && !shared.takePopup()) {
      this.#refused.add(targetId);
      return true;
    }
    this.#allowances.set(targetId, shared ?? new PageAllowance(this.#strayAllowance));
    return false;
  }

  /**
   * Closes a paused page before it loads anything. A paused popup blocks the process of its opener
   * even after it was closed, so it has to run first.
   */
  async #closePaused(session: CdpSession, targetId: string): Promise<void> {
    const failed = failRequests(session);
    if (await isCutOff(session)) {
      await session.send('Runtime.runIfWaitingForDebugger').catch(() => {}); // the page is gone
      // Chrome continues the paused requests of a page that closes, so the first one has to fail
      // before that. An empty popup sends none.
      await settlesWithin(failed, FIRST_REQUEST_MS);
    }
    await this.#connection.root.send('Target.closeTarget', { targetId }).catch((error: unknown) => {
      if (!isGone(error))
        this.#options.log.warn('a page that may not load could not be closed', error);
    });
  }

  #created(info: TargetInfo): void {
    if (this.#refusesPopup(info)) return;
    this.#infos.set(info.targetId, info);
    if (info.openerId) this.#tellOpener(info.targetId, info.openerId);
    if (this.#options.owned || !info.openerId || !this.#attached.has(info.openerId)) return;
    // A Chrome that we did not start does not auto-attach popups, so attach as soon as one is
    // known.
    this.#ours.add(info.targetId);
    this.#connection.root
      .send('Target.attachToTarget', { targetId: info.targetId, flatten: true })
      .catch((error: unknown) => {
        if (!isGone(error)) this.#options.log.warn('A popup could not be attached.', error);
      });
  }

  #tellOpener(tabId: string, openerId: string): void {
    const addressOf = (): string =>
      this.#attached.get(tabId)?.url || this.#infos.get(tabId)?.url || '';
    this.#attached.get(openerId)?.events.emit('popup', {
      tabId,
      get url() {
        return addressOf();
      },
    });
  }

  #changed(info: TargetInfo): void {
    if (this.#refused.has(info.targetId)) return;
    this.#infos.set(info.targetId, info);
    const tab = this.#attached.get(info.targetId);
    if (!tab) return;
    tab.title = info.title;
    catchUp(tab, info);
  }

  #destroyed(targetId: string): void {
    const url = this.#attached.get(targetId)?.url ?? this.#infos.get(targetId)?.url ?? '';
    this.#infos.delete(targetId);
    this.#attached.delete(targetId);
    this.#tabs.delete(targetId);
    this.#ours.delete(targetId);
    this.#uncontrolled.delete(targetId);
    this.#allowances.delete(targetId);
    if (this.#refused.delete(targetId)) return;
    this.#options.onGone(targetId, url);
  }

  #autoAttached(sessionId: string, info: TargetInfo): void {
    if (info.type !== 'page' || this.#tabs.has(info.targetId)) return;
    const session = this.#connection.session(sessionId);
    if (!session) return;
    if (this.#refusesPopup(info)) return void this.#closePaused(session, info.targetId);
    this.#infos.set(info.targetId, info);
    const attaching = this.#attachTab(session, info);
    this.#tabs.set(info.targetId, attaching);
    session.onClose(() => {
      if (this.#tabs.get(info.targetId) === attaching) this.#tabs.delete(info.targetId);
      this.#attached.delete(info.targetId);
    });
    attaching.catch((error: unknown) => {
      this.#tabs.delete(info.targetId);
      if (isGone(error) || isRefused(error)) return; // the call that needs the tab reports it
      if (error instanceof Failure && error.code === 'control_failed')
        return this.#closeUncontrolled(session, info.targetId, error);
      this.#options.log.defect(error);
    });
  }

  /** Closes a page whose controls could not be set, before it can be used. */
  #closeUncontrolled(session: CdpSession, targetId: string, failure: Failure): void {
    this.#uncontrolled.set(targetId, failure);
    if (!this.#options.owned && !this.#ours.has(targetId))
      return this.#options.log.warn(`A tab cannot be used: ${failure.message}`);
    this.#options.log.warn(`A tab was closed: ${failure.message}`);
    void this.#closePaused(session, targetId);
  }

  /** Chrome reports no opener of a tab that a click with Control or the middle button opens. */
  #isOpenedByInput(targetId: string): boolean {
    return this.#options.owned && this.#creating === 0 && !this.#ours.has(targetId);
  }

  async #attachTab(session: CdpSession, info: TargetInfo): Promise<Tab> {
    const { owned, viewport, guard, browserGuard, onPopup, contexts, findSetup } = this.#options;
    const { bypassesWorkers, judgeSubmit } = this.#options;
    const ours = owned || this.#ours.has(info.targetId);
    const { openerId, browserContextId } = info;
    const contextId = valueIf(contexts.has(browserContextId), browserContextId);
    const isOpenedByPage =
      openerId !== undefined || contextId !== undefined || this.#isOpenedByInput(info.targetId);
    const allowance = this.#allowances.get(info.targetId);
    const tab = await Tab.attach(
      info.targetId,
      session,
      this.#connection,
      ours,
      defined({
        allowance,
        viewport,
        guard,
        browserGuard,
        openerId,
        contextId,
        bypassesWorkers,
        judgeSubmit,
        setUp: isOpenedByPage ? findSetup({ openerId, contextId }) : undefined,
      }),
    );
    // Chrome may have reported the title and the address of the page already.
    const known = this.#infos.get(info.targetId) ?? info;
    if (!tab.facts) tab.title = known.title;
    this.#attached.set(info.targetId, tab);
    catchUp(tab, known);
    this.#options.onAttached?.(tab);
    if (isOpenedByPage) onPopup(tab, openerId);
    return tab;
  }
}

const catchUp = (tab: Tab, { url }: TargetInfo): void => {
  tab.frames.catchUp(url).catch(() => {}); // the tab is gone
};

/** Fails every request of the session; resolves after the first one. */
const failRequests = (session: CdpSession): Promise<void> =>
  new Promise((resolve) => {
    session.onClose(() => resolve());
    session.on('Network.loadingFailed', () => resolve());
    session.on('Fetch.requestPaused', ({ requestId }) => {
      const errorReason = 'BlockedByClient';
      // Rejects only if the request or the page is gone.
      session.send('Fetch.failRequest', { requestId, errorReason }).then(() => resolve(), resolve);
    });
  });

const OFFLINE = { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 };

/** Pauses the requests of a page and cuts off its network; false if Chrome rejects both. */
const isCutOff = async (session: CdpSession): Promise<boolean> => {
  const controls = await Promise.allSettled([
    session.send('Fetch.enable', {}),
    session.send('Network.enable', {}),
    session.send('Network.emulateNetworkConditions', OFFLINE),
  ]);
  return controls[0].status === 'fulfilled' || controls[2].status === 'fulfilled';
};
