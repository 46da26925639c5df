// The browser for the other layers: starts Chrome on demand, restarts it, assigns tabs to sessions.
import { compact, defined, ifDefined, valueIf } from '../core/defined.ts';
import type { Config } from '../core/config.ts';
import { fail, type Failure } from '../core/failure.ts';
import type { Home } from '../core/home.ts';
import type { Log } from '../core/log.ts';
import type { Redactor } from '../core/redactor.ts';
import { abortable, Deadline } from '../core/time.ts';
import type { Chrome, ChromeControls } from './chrome.ts';
import { DomainGuard } from './guard/domain-guard.ts';
import type { EffectGate } from './guard/effect-gate.ts';
import type { Cookie } from './state/cookies.ts';
import type { Download } from './state/downloads.ts';
import { DEFAULT_SESSION, type FormerTab, Session, type SessionStorage } from './tabs/session.ts';
import type { ExtensionLink } from './extension/extension-link.ts';
import type { Pairing } from './extension/link-proof.ts';
import { ConsentWait } from './launch/consent-wait.ts';
import type { Tab, TabOptions } from './tabs/tab.ts';
import type { PopupSource } from './tabs/targets.ts';

/** Chrome may have to be downloaded first; each waiting call has its own deadline. */
const START_TIMEOUT_MS = 180_000;

const IDLE_REASON = 'closed, because no call used it';

/** A browser context is created within milliseconds. */
const CONTEXT_TIMEOUT_MS = 10_000;

interface BrowserOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  /** Removes secrets from the keys of requests. */
  readonly redactor: Redactor;
  /** The policy for the hosts that Chrome may reach. */
  readonly guard?: DomainGuard;
  /** Judges submits and downloads of pages by the owner's policy. */
  readonly gate?: EffectGate;
  /** Prepares the first tab that the default session opens in a newly started Chrome. */
  readonly onFirstTab?: (session: Session, tab: Tab, signal: AbortSignal) => Promise<void>;
  /** Called for each new session, except for sessions within another one. */
  readonly onSession?: (session: Session) => void;
  /** Loads the pairing for --attach extension. */
  readonly loadPairing?: () => Promise<Pairing | undefined>;
  /** Loads the scripts of --init-script. */
  readonly loadInitScripts?: () => Promise<readonly InitScript[]>;
  /** The sessions of hosts that share this engine; they use Chrome's profile. */
  readonly hosts?: ReadonlySet<string>;
}

/** A script that runs in every document before the scripts of the page. */
export interface InitScript {
  /** The session in whose tabs it runs; undefined for all sessions. */
  readonly session?: string;
  readonly source: string;
}

export interface TabSummary {
  readonly tabId: string;
  readonly url: string;
  readonly title: string;
  readonly session?: string;
  readonly active?: true;
  readonly loading?: true;
  /** The URL that failed to load; the tab shows Chrome's error page. */
  readonly load_failed?: string;
  readonly crashed?: true;
  readonly busy?: string;
  readonly dialog?: { readonly kind: string; readonly message: string };
}

export interface BrowserHealth {
  readonly state: 'not_started' | 'starting' | 'running';
  readonly starts: number;
  readonly lastExit?: string;
  readonly chrome?: Chrome['facts'] & Pick<ChromeControls, 'guard'>;
  /** The active controls; undefined while no Chrome runs. */
  readonly controls?: Omit<ChromeControls, 'guard'>;
  readonly tabs: number;
  readonly sessions: readonly string[];
}

export class Browser {
  readonly #options: BrowserOptions;
  readonly guard: DomainGuard;
  readonly #sessions = new Map<string, Session>();
  #chrome: Chrome | undefined;
  #starting: Promise<Chrome> | undefined;
  readonly #consent = new ConsentWait();
  /** The link to the extension, once a call needs it. */
  #link: ExtensionLink | undefined;
  /** Aborts a start that no call waits for. */
  #giveUp: AbortController | undefined;
  #starts = 0;
  /** The Chrome in which the first tab of the default session was prepared. */
  #prepared: Chrome | undefined;
  #lastExit: string | undefined;
  #initScripts: readonly InitScript[] = [];
  /** The address of the attached Chrome, for the next connection. */
  #reconnectUrl: string | undefined;
  /** The end of an idle Chrome, which uses the profile until then. */
  #closing: Promise<void> | undefined;

  constructor(options: BrowserOptions) {
    this.#options = options;
    this.guard = options.guard ?? new DomainGuard();
  }

  /** The session with this name, created on first use. */
  session(name: string = DEFAULT_SESSION): Session {
    return this.findSession(name) ?? this.#addSession(name, { storage: this.#storageOf(name) });
  }

  /** The session with this name; undefined if it was not used yet. */
  findSession(name: string): Session | undefined {
    return this.#sessions.get(name);
  }

  /** Opens a session with the given storage. */
  openSession(name: string, storage: SessionStorage = this.#storageOf(name)): Session {
    const known = this.findSession(name);
    if (!known) return this.#addSession(name, { storage });
    if (known.storage === storage) return known;
    // A session that has no tab yet was only named, for example by a listing of its tabs.
    if (known.tabs.size === 0 && !known.context) return this.#addSession(name, { storage });
    throw fail(
      'invalid_argument',
      `The session "${name}" is open with the storage "${known.storage}".`,
      { argument: 'storage', hint: 'Close it first, or use another name.' },
    );
  }

  /** A session for tabs of its own that shares the cookies and the storage of another session. */
  createInnerSession(within: Session, name: string): Session {
    return this.#addSession(name, { within });
  }

  #addSession(
    name: string,
    given: { readonly storage?: SessionStorage; readonly within?: Session },
  ): Session {
    const { redactor, config } = this.#options;
    const session = new Session(name, { redactor, dialogs: config.dialogs, ...given });
    this.#sessions.set(name, session);
    if (!given.within) this.#options.onSession?.(session);
    return session;
  }

  #storageOf(name: string): SessionStorage {
    const { config, hosts } = this.#options;
    if (name === DEFAULT_SESSION || hosts?.has(name) || this.#isOwnChrome) return 'profile';
    return config.sessionStorage;
  }

  /** True if the extension connects this process to the user's own Chrome. */
  get #isOwnChrome(): boolean {
    return this.#options.config.attach === 'extension';
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** The running Chrome, started if necessary. */
  async #connected(signal: AbortSignal, { withTab = false } = {}): Promise<Chrome> {
    if (this.#chrome && !this.#chrome.connection.closed) return this.#chrome;
    this.#starting ??= this.#start(withTab).finally(() => (this.#starting = undefined));
    return abortable(this.#starting, signal);
  }

  async #start(withTab: boolean): Promise<Chrome> {
    const { signal } = (this.#giveUp = new AbortController());
    using deadline = new Deadline(
      START_TIMEOUT_MS,
      () =>
        fail('chrome_launch_failed', `Chrome did not start within ${START_TIMEOUT_MS / 1000} s.`),
      signal,
    );
    await this.#closing?.catch(() => {}); // the next Chrome reports a profile that is in use
    this.#initScripts = (await this.#options.loadInitScripts?.()) ?? [];
    // Loaded on demand: a server that only lists its tools does not need it.
    const { startChrome } = await import('./chrome.ts');
    const chrome = await startChrome(
      {
        ...this.#options,
        guard: this.guard,
        withTab,
        consent: this.#consent,
        reconnectUrl: this.#reconnectUrl,
        requireLink: () => this.#requireLink(),
      },
      deadline.signal,
      {
        onPopup: (popup, openerId) => this.#addPopup(popup, openerId),
        findSetup: (from) => this.#findSetup(this.#findOwner(from)),
        findSession: (tabId) => this.#ownerOf(tabId)?.name,
        onGone: (tabId) => this.#ownerOf(tabId)?.remove(tabId),
        onGrantEnded: (tabId, reason) => this.#ownerOf(tabId)?.endGrant(tabId, reason),
      },
    );
    this.#reconnectUrl = chrome.reconnectUrl;
    await this.#readopt(chrome, deadline.signal);
    this.#chrome = chrome;
    this.#starts++;
    chrome.connection.root.onClose((reason) => this.#ended(chrome, reason));
    return chrome;
  }

  /** After a lost connection, gives the sessions the tabs that are still open. */
  async #readopt(chrome: Chrome, signal: AbortSignal): Promise<void> {
    for (const session of this.#sessions.values())
      for (const former of session.formerTabs.splice(0)) {
        if (former.ours) chrome.targets.markOurs(former.id);
        const tab = await chrome.targets.findTab(former.id, signal);
        if (!tab) continue;
        session.readopt(tab, former);
        await this.#applySettings(session, tab);
      }
  }

  async #requireLink(): Promise<ExtensionLink> {
    const { ExtensionLink } = await import('./extension/extension-link.ts');
    const { loadPairing = async () => undefined } = this.#options;
    return (this.#link ??= new ExtensionLink(loadPairing));
  }

  #ended(chrome: Chrome, reason: string): void {
    if (this.#chrome !== chrome) return;
    this.#chrome = undefined;
    this.#lastExit = reason;
    for (const session of this.#sessions.values()) {
      session.lostTabs.push(...[...session.tabs.values()].map(({ url }) => url));
      if (chrome.reconnectUrl !== undefined) session.formerTabs = listFormerTabs(session);
      for (const id of [...session.tabs.keys()]) session.remove(id);
      session.lostBecause = reason === IDLE_REASON ? 'idle' : 'crash';
      session.lostStorage = session.context !== undefined;
      session.context = undefined;
    }
    if (reason !== IDLE_REASON) this.#options.log.warn(`Chrome exited: ${reason}`);
    void chrome.close(); // removes its profile lock and temporary profile
  }

  /**
   * Closes our Chrome because no call used it. The sessions report their lost tabs with the next
   * reply. A Chrome that we did not start stays connected.
   */
  async closeIdle(): Promise<void> {
    const chrome = this.#chrome;
    if (!chrome || chrome.facts.attachedTo !== undefined) return;
    this.#ended(chrome, IDLE_REASON);
    this.#closing = chrome.close();
    await this.#closing;
  }

  #ownerOf(tabId: string): Session | undefined {
    return this.sessions.find(({ tabs }) => tabs.has(tabId));
  }

  /** The session of a tab that a page opened: its opener's, or that of its browser context. */
  #findOwner({ openerId, contextId }: PopupSource): Session | undefined {
    const owner = ifDefined(openerId, (openerId) => this.#ownerOf(openerId));
    if (owner) return owner;
    if (contextId !== undefined)
      return this.sessions.find((session) => session.contextId === contextId);
    if (openerId !== undefined) return undefined;
    return ifDefined(this.#findBusyTab(), ({ id }) => this.#ownerOf(id));
  }

  /**
   * The only tab of Chrome's profile in which a call runs. If several sessions use the profile, a
   * page of one could open a tab in another one, so there is none.
   */
  #findBusyTab(): Tab | undefined {
    const users = this.sessions.filter(({ storage, tabs }) => storage === 'profile' && tabs.size);
    if (users.length !== 1) return undefined;
    const tabs = users.flatMap((session) => [...session.tabs.values()]);
    const busy = tabs.filter(({ queue }) => queue.running !== undefined);
    return valueIf(busy.length === 1, busy[0]);
  }

  #addPopup(popup: Tab, openerId: string | undefined): void {
    const owner = this.#findOwner({ openerId, contextId: popup.contextId });
    if (!owner || owner.tabs.has(popup.id)) return;
    const source = openerId === undefined ? this.#findBusyTab() : undefined;
    owner.add(popup);
    // Chrome reports the popups of a known opener itself.
    source?.events.emit('popup', {
      tabId: popup.id,
      get url() {
        return popup.url;
      },
    });
  }

  /** The settings of a session for its new tabs; undefined if it has none. */
  #findSetup(session: Session | undefined): TabOptions['setUp'] {
    const owner = session?.within ?? session;
    const emulated = owner?.emulated ?? {};
    const setups = [...(owner?.setups ?? [])];
    const scripts = this.#initScripts.filter(
      ({ session: name = owner?.name }) => name === owner?.name,
    );
    const isEmulated = Object.keys(emulated).length > 0;
    if (!isEmulated && setups.length + scripts.length === 0) return undefined;
    return async (tab) => {
      const started = [
        ...setups.map((setUp) => setUp(tab)),
        ...scripts.map(({ source }) => tab.addInitScript(source)),
      ];
      const done = (begun?: { readonly done: Promise<unknown> }): { done: Promise<unknown> } => ({
        done: Promise.all([...started, begun?.done]),
      });
      if (!isEmulated) return done();
      const { getEmulation } = await import('./state/emulation.ts');
      return done(await getEmulation(tab).begin(emulated));
    };
  }

  async #applySettings(session: Session, tab: Tab): Promise<void> {
    const settings = await this.#findSetup(session)?.(tab);
    await settings?.done;
  }

  /** The browser context of a session with its own storage, created on first use. */
  async #requireContext(
    chrome: Chrome,
    session: Session,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { storage, name } = session;
    if (session.within) return this.#requireContext(chrome, session.within, signal);
    if (storage === 'profile') return undefined;
    // The context outlives the call that creates it, so the call's signal does not end it.
    session.context ??= chrome.contexts.create(name, AbortSignal.timeout(CONTEXT_TIMEOUT_MS));
    const creating = session.context;
    creating.then(
      (id) => (session.contextId = id),
      () => {
        if (session.context === creating) session.context = undefined;
      },
    );
    return abortable(creating, signal);
  }

  /** Opens a tab in the session and makes it current, unless `select` is false. */
  async openTab(session: Session, signal: AbortSignal, { select = true } = {}): Promise<Tab> {
    const chrome = await this.#connected(signal, { withTab: session.storage === 'profile' });
    const contextId = await this.#requireContext(chrome, session, signal);
    const tab = await chrome.targets.create(signal, { contextId, session: session.name });
    await tab.guard.narrow(this.guard.callDomains);
    const owner = this.#ownerOf(tab.id);
    if (owner !== session) owner?.remove(tab.id);
    // In a browser context, the settings were applied before the tab was resumed.
    if (contextId === undefined) await this.#applySettings(session, tab);
    session.add(tab);
    if (select) session.select(tab);
    await this.#prepareFirst(chrome, session, tab, signal);
    return tab;
  }

  async #prepareFirst(
    chrome: Chrome,
    session: Session,
    tab: Tab,
    signal: AbortSignal,
  ): Promise<void> {
    const { onFirstTab } = this.#options;
    if (!onFirstTab || session.name !== DEFAULT_SESSION || this.#prepared === chrome) return;
    this.#prepared = chrome;
    await onFirstTab(session, tab, signal).catch((error: unknown) => {
      this.#prepared = undefined; // the next tab tries again
      throw error;
    });
  }

  /** Concurrent calls that need the first tab of a session share one. */
  async #requireCurrentTab(session: Session, signal: AbortSignal): Promise<Tab> {
    if (session.formerTabs.length > 0) await this.#connected(signal);
    if (session.current) return this.#attachAgain(session, session.current, signal);
    const shared = session.opening;
    if (!shared) return this.#openFirstTab(session, signal);
    try {
      return await abortable(shared.tab, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!shared.signal.aborted) throw error;
      return this.#requireCurrentTab(session, signal); // only the other call was cancelled
    }
  }

  /** The extension detaches from tabs that no call uses. */
  async #attachAgain(session: Session, tab: Tab, signal: AbortSignal): Promise<Tab> {
    if (!tab.closed || !this.#isOwnChrome) return tab;
    const chrome = await this.#connected(signal);
    const attached = await chrome.targets.findTab(tab.id, signal);
    if (!attached) return tab; // the tab is closed, or its grant has ended
    await this.#applySettings(session, attached);
    await keepEmulation(tab, attached, signal);
    session.replace(attached);
    return attached;
  }

  async #openFirstTab(session: Session, signal: AbortSignal): Promise<Tab> {
    const tab = this.openTab(session, signal);
    session.opening = { tab, signal };
    try {
      return await tab;
    } finally {
      session.opening = undefined;
    }
  }

  /** The tab of a call: the named one, else the session's current one, else a new one. */
  async requireTab(session: Session, tabId: string | undefined, signal: AbortSignal): Promise<Tab> {
    if (tabId === undefined) return this.#requireCurrentTab(session, signal);
    const own = session.findTab(tabId);
    if (own) return this.#attachAgain(session, own, signal);
    const chrome = await this.#connected(signal);
    const readopted = session.findTab(tabId);
    if (readopted) return readopted;
    const tab = this.#ownerOf(tabId) ? undefined : await chrome.targets.findTab(tabId, signal);
    // A tab in the browser context of a session is added to that session when it is attached.
    const owner = this.#ownerOf(tabId);
    if (!tab || (owner && owner !== session)) throw this.#tabNotFound(session, tabId, owner);
    session.add(tab); // a tab without an owner joins the first session that names it
    return tab;
  }

  #tabNotFound(session: Session, tabId: string, owner: Session | undefined): Failure {
    const tabs = this.summaries().filter(
      (tab) => tab.session === undefined || tab.session === session.name,
    );
    const message = owner
      ? `The tab ${tabId} belongs to the session "${owner.name}".`
      : `No tab ${tabId} in the session "${session.name}".`;
    return fail(
      'tab_not_found',
      message,
      defined({
        tabs: tabs.slice(0, 20).map(({ tabId, url, title }) => ({ tabId, url, title })),
        hint: ifDefined(
          owner,
          (owner) => `Use the session "${owner.name}", or one of your own tabs.`,
        ),
      }),
    );
  }

  async closeTab(session: Session, tab: Tab, signal: AbortSignal): Promise<void> {
    if (!tab.ours) {
      throw fail(
        'tab_not_owned',
        'This tab was not opened by this server, so it cannot be closed.',
        {
          tabId: tab.id,
        },
      );
    }
    const chrome = await this.#connected(signal);
    await chrome.targets.close(tab, signal);
    session.remove(tab.id);
  }

  /** Ends a session and closes its tabs and their popups; deletes its own storage. */
  async closeSession(session: Session, signal: AbortSignal): Promise<void> {
    this.#sessions.delete(session.name);
    const inner = this.sessions.filter(({ within }) => within === session);
    await Promise.allSettled(inner.map((one) => this.closeSession(one, signal)));
    const chrome = this.#chrome;
    const tabs = chrome ? [...session.tabs.values()].filter(({ ours }) => ours) : [];
    await Promise.allSettled(tabs.map((tab) => this.closeTab(session, tab, signal)));
    const contextId = await session.context?.catch(() => undefined);
    session.context = undefined;
    if (chrome && contextId !== undefined) await chrome.contexts.dispose(contextId, signal);
  }

  /** Makes a tab current, and activates it in its window if this engine opened it. */
  async selectTab(session: Session, tab: Tab, signal: AbortSignal): Promise<void> {
    session.select(tab);
    if (tab.ours) await tab.cdp.send('Page.bringToFront', undefined, signal);
  }

  /** Every page of Chrome, from cached data without a CDP command. */
  summaries(): TabSummary[] {
    if (!this.#chrome) return [];
    const { targets } = this.#chrome;
    const ordered = [
      ...this.sessions.flatMap((session) =>
        [...session.tabs.values()].map((tab) => summarise(tab, session)),
      ),
    ];
    const listed = new Set(ordered.map(({ tabId }) => tabId));
    const others = targets.infos.filter(({ targetId }) => !listed.has(targetId));
    return [
      ...ordered,
      ...others.map(({ targetId, url, title }) => ({ tabId: targetId, url, title })),
    ];
  }

  /** Connects to the user's own Chrome, whose user may have granted tabs; no other Chrome. */
  async connectOwnChrome(signal: AbortSignal): Promise<void> {
    if (this.#isOwnChrome) await this.#connected(signal);
  }

  /** Whether the tab of a lost connection may still be open, so that the next call attaches it. */
  isStillOpen(tab: Tab): boolean {
    if (!this.#chrome) return this.#reconnectUrl !== undefined;
    return this.#chrome.targets.isStillOpen(tab.id);
  }

  /** Whether Chrome is running; does not start it. */
  get running(): boolean {
    return this.#chrome !== undefined;
  }

  /** All cookies of a session; empty if Chrome is not running or the session has no context. */
  async readCookies(session: Session, signal: AbortSignal): Promise<readonly Cookie[]> {
    const root = this.#chrome?.connection.root;
    const contextId = await session.context;
    if (!root || (session.storage === 'own' && contextId === undefined)) return [];
    const { readAllCookies } = await import('./state/cookies.ts');
    return readAllCookies(root, contextId, signal);
  }

  /** Every download since Chrome was started. */
  get downloads(): readonly Download[] {
    return this.#chrome?.downloads.all ?? [];
  }

  /** Returns false if no such download is running. */
  async cancelDownload(id: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#chrome?.downloads.cancel(id, signal)) ?? false;
  }

  get #state(): BrowserHealth['state'] {
    if (this.#chrome) return 'running';
    return this.#starting ? 'starting' : 'not_started';
  }

  health(): BrowserHealth {
    const running = this.#chrome && describeRunning(this.#chrome);
    return defined({
      state: this.#state,
      starts: this.#starts,
      lastExit: this.#lastExit,
      ...running,
      tabs: this.#chrome?.targets.infos.length ?? 0,
      sessions: [...this.#sessions.keys()],
    });
  }

  /** Names of the CDP methods used since Chrome was started. */
  get methodsUsed(): string[] {
    return [...(this.#chrome?.connection.methodsUsed ?? [])].sort();
  }

  /**
   * Ends our Chrome, or disconnects from one that we did not start; the next call starts it again.
   */
  async stop(): Promise<boolean> {
    this.#giveUp?.abort(fail('cancelled', 'Chrome was stopped before it had started.'));
    const chrome = this.#chrome ?? (await this.#starting?.catch(() => undefined));
    this.#consent.abandon();
    this.#chrome = undefined;
    if (chrome) this.#sessions.clear();
    await chrome?.close();
    await this.#link?.close();
    return chrome !== undefined;
  }
}

const listFormerTabs = (session: Session): FormerTab[] =>
  [...session.tabs.values()].map(({ id, url, ours }) => ({
    ...{ id, url, ours },
    shortId: session.shortIds.get(id) ?? '',
    isCurrent: session.current?.id === id,
  }));

/** Sets the emulated settings of a tab in a new connection to the same tab. */
const keepEmulation = async (before: Tab, tab: Tab, signal: AbortSignal): Promise<void> => {
  const { getEmulation } = await import('./state/emulation.ts');
  const { settings } = getEmulation(before);
  if (Object.keys(settings).length > 0) await getEmulation(tab).change(settings, signal);
};

const describeRunning = (chrome: Chrome): Pick<BrowserHealth, 'chrome' | 'controls'> => {
  const { guard, ...controls } = chrome.controls();
  return { chrome: { ...chrome.facts, guard }, controls };
};

const summarise = (tab: Tab, session: Session): TabSummary =>
  defined({
    tabId: tab.id,
    ...tab.shown,
    session: session.name,
    ...compact({ active: session.current === tab, loading: tab.loading }),
    load_failed: tab.unreachableUrl?.slice(0, 2000),
    ...compact({ crashed: tab.crashed, busy: tab.queue.running }),
    dialog: tab.dialog
      ? { kind: tab.dialog.kind, message: tab.dialog.message.slice(0, 200) }
      : undefined,
  });
