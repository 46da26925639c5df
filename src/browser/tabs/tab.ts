// One tab: its CDP session, frames, traffic, dialog and title, kept up to date by events alone.
import type { Protocol } from 'devtools-protocol';
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import { detach, Events } from '../../core/events.ts';
import { fail, Failure } from '../../core/failure.ts';
import { createSteadyClock, monotonicMs } from '../../core/time.ts';
import { CdpError, isGone, isRefused } from '../cdp/errors.ts';
import type { CdpConnection, CdpSession, EventParams } from '../cdp/connection.ts';
import { CHANGED, type PageFacts } from '../../page/call-answers.ts';
import type { Point } from '../../page/act/act-answers.ts';
import type { BrowserGuard, SubmitJudge } from '../guard/browser-guard.ts';
import { DomainGuard } from '../guard/domain-guard.ts';
import { isSubmit } from '../guard/effect-gate.ts';
import { TabGuard } from '../guard/tab-guard.ts';
import { Interception } from '../traffic/interception.ts';
import { Traffic } from '../traffic/traffic.ts';
import { prepareReading } from '../read/closed-roots.ts';
import { RefBook } from '../read/ref-book.ts';
import { isPdfDownload } from '../pdf/pdf-kind.ts';
import type { Download } from '../state/downloads.ts';
import {
  acceptsByPolicy,
  answerByPolicy,
  answerDialog,
  type AnsweredDialog,
  type Dialog,
  type DialogPolicy,
} from './dialog.ts';
import { type Frame, FrameTree, WORLD } from './frames.ts';
import { PendingApprovals, UserControl } from './user-control.ts';
import { PageAllowance } from './page-allowance.ts';
import { Queue } from './queue.ts';

/** A tool call in a tab, for the call listeners. */
export interface TabCall {
  readonly tool: string;
  /** As given by the caller: secrets by name. */
  readonly arguments: unknown;
  readonly acts: boolean;
  readonly loadsPages: boolean;
}

interface TabEvents {
  /** A new document was committed in the main frame. */
  navigated: {
    readonly url: string;
    readonly loaderId: string;
    readonly fromBackForwardCache: boolean;
    readonly unreachableUrl?: string;
  };
  /** The main frame's address changed without a new document. */
  moved: { readonly url: string };
  /** A frame was attached, or shows a new document. */
  frame: Frame;
  lifecycle: { readonly loaderId: string; readonly name: string };
  dialog: Dialog;
  /** The policy answered a dialog. */
  answered: AnsweredDialog;
  /** The page opened a file chooser in headless Chrome, where no user can choose a file. */
  chooser: void;
  /**
   * Time of a change in a watched document, by the page's clock; emitted in order with network
   * events.
   */
  changed: number;
  /** This tab opened another one. Its URL is a getter, because it is not known at first. */
  popup: { readonly tabId: string; readonly url: string };
  /** A download of this tab started, progressed or ended. */
  download: Download;
  /** An action has found its target, and its input follows. Has listeners only for viewers. */
  aimed: {
    readonly did: string;
    /** In coordinates of the main frame's viewport. */
    readonly point?: Point;
    readonly target?: { readonly frame: Frame; readonly id: number };
  };
  /** A tool call starts (`call`) or ends (`called`) in this tab. */
  call: TabCall;
  called: TabCall & { readonly failed?: string; readonly data?: unknown };
  crashed: void;
  closed: void;
}

export interface TabOptions {
  /** Page size to emulate; undefined in a Chrome with windows. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** The policy for the hosts that the tab may reach. */
  readonly guard?: DomainGuard;
  /** Checks all requests of Chrome; absent in a Chrome of the user. */
  readonly browserGuard?: BrowserGuard;
  /** The tab that opened this one; its restrictions also apply here. */
  readonly openerId?: string;
  /** How many popups and downloads its pages may start; shared with its opener. */
  readonly allowance?: PageAllowance;
  /** The browser context of a session with its own storage; undefined for Chrome's profile. */
  readonly contextId?: string;
  /** Requests ignore service workers, which would send submits of pages unseen. */
  readonly bypassesWorkers?: boolean;
  /** Judges submits of this tab; for a Chrome whose requests cannot all be intercepted. */
  readonly judgeSubmit?: SubmitJudge;
  /**
   * Sends the settings of its session before the tab is resumed. `done` resolves when Chrome has
   * applied them, which can be after the tab was resumed.
   */
  readonly setUp?: (tab: Tab) => Promise<{ readonly done: Promise<unknown> }>;
}

const TELL = '__oc_tell';
/** After the domain guard, before mocks. */
const SUBMIT_PRIORITY = 900_000;
/** Longer than any question to the user: the question has its own timeout. */
const SUBMIT_TIMEOUT_MS = 24 * 60 * 60 * 1000;
/** Maximum number of answered dialogs kept for the next reply. */
const MAX_ANSWERED = 20;

export class Tab {
  readonly events = new Events<TabEvents>();
  readonly traffic = new Traffic({});
  readonly interception = new Interception({
    onDecision: (decision) => this.traffic.markIntercepted(decision),
  });
  readonly guard: TabGuard;
  readonly allowance: PageAllowance;
  readonly contextId: string | undefined;
  readonly frames: FrameTree;
  readonly queue = new Queue();
  /** Requests that wait for the user's answer. */
  readonly holds = new PendingApprovals();
  /** Whether the user has taken the tab over. */
  readonly control = new UserControl();
  /** Refs of elements in all frames, valid as long as the tab lives. */
  readonly refs = new RefBook();
  /** Wall-clock time for replies about this tab; never decreases. */
  readonly clock = createSteadyClock();
  /** Device pixels per CSS pixel, if emulated. */
  pixelRatio = 1;
  title = '';
  loading = false;
  crashed = false;
  closed = false;
  dialog: Dialog | undefined;
  /** The URL that failed to load, while the tab shows Chrome's error page. */
  unreachableUrl: string | undefined;
  /** How dialogs are answered; set by the session that owns the tab. */
  dialogPolicy: () => DialogPolicy = () => 'ask';
  /** Dialogs that the policy answered and no reply has reported yet. */
  readonly answeredDialogs = new Set<AnsweredDialog>();
  /** A pending navigation; Chrome delays commands to the page until it commits. */
  leavingFor: { readonly url: string; readonly since: number } | undefined;
  /**
   * The id of the download that a navigation started instead of showing a PDF; read calls use it
   * until the next page.
   */
  openedFile: string | undefined;
  /** The title of the PDF that the tab shows, after it has been read. */
  pdfTitle: string | undefined;
  /** Facts that the page script reported on load; undefined before that. */
  facts: PageFacts | undefined;
  /** File choosers are cancelled and reported in headless Chrome, where no user can see them. */
  readonly chooser: Protocol.Page.SetInterceptFileChooserDialogRequest;
  readonly #connection: CdpConnection;
  readonly #downloads = new Map<string, Download>();
  readonly #initScripts: string[] = [];
  /** Submits of this tab are intercepted here. */
  readonly #isGated: boolean;

  private constructor(
    readonly id: string,
    readonly cdp: CdpSession,
    connection: CdpConnection,
    /** Whether this engine, or one of its tabs, opened the tab; other tabs are never closed. */
    readonly ours: boolean,
    /** The emulated page size; undefined if the window determines it. */
    public viewport: TabOptions['viewport'],
    options: TabOptions,
  ) {
    const { guard = new DomainGuard(), allowance = new PageAllowance() } = options;
    const { browserGuard, openerId, contextId, judgeSubmit } = options;
    if (judgeSubmit) this.#holdSubmits(judgeSubmit);
    this.#isGated = judgeSubmit !== undefined;
    this.allowance = allowance;
    this.contextId = contextId;
    this.#connection = connection;
    this.chooser = viewport ? { enabled: true, cancel: true } : { enabled: false };
    this.guard = new TabGuard({
      tabId: id,
      openerId,
      guard,
      traffic: this.traffic,
      interception: this.interception,
      browserGuard,
    });
    this.frames = new FrameTree(id, cdp, {
      onFrame: (frame) => {
        this.guard.addFrame(frame.id);
        this.events.emit('frame', frame);
      },
      onNavigated: (frame, { type, frame: { unreachableUrl } }) => {
        if (frame !== this.frames.main) return;
        this.crashed = false;
        this.leavingFor = undefined;
        this.facts = undefined;
        this.openedFile = undefined;
        this.pdfTitle = undefined;
        this.unreachableUrl = unreachableUrl;
        this.events.emit(
          'navigated',
          defined({
            url: frame.url,
            loaderId: frame.loaderId,
            fromBackForwardCache: type === 'BackForwardCacheRestore',
            unreachableUrl,
          }),
        );
      },
      onMovedWithinDocument: (frame) => {
        if (frame === this.frames.main) this.events.emit('moved', { url: frame.url });
      },
    });
  }

  get url(): string {
    return this.frames.main.url;
  }

  /** What read calls return: a PDF that Chrome downloaded instead of showing it, or the page. */
  get shown(): { readonly url: string; readonly title: string } {
    const { url, title, openedFile, pdfTitle } = this;
    const download = ifDefined(openedFile, (id) => this.#downloads.get(id));
    return { url: download?.url ?? url, title: pdfTitle ?? download?.file ?? title };
  }

  /** Sets up a newly attached page target and resumes it. */
  static async attach(
    id: string,
    cdp: CdpSession,
    connection: CdpConnection,
    ours: boolean,
    options: TabOptions,
  ): Promise<Tab> {
    const { viewport } = options;
    const tab = new Tab(id, cdp, connection, ours, viewport, options);
    tab.#listen();
    await Promise.all([
      // The page script reports its facts through this binding, in the isolated world only.
      cdp.send('Runtime.addBinding', { name: TELL, executionContextName: WORLD }),
      tab.frames.watch(cdp, id),
      tab.traffic.watch(cdp, { kind: 'page', targetId: id }),
      tab.#followChildren(cdp),
      tab.#callOffChoosers(cdp),
      options.bypassesWorkers
        ? cdp.send('Network.setBypassServiceWorker', { bypass: true })
        : undefined,
      // The headless shell denies clipboard writes by default; Chrome with windows allows them.
      viewport ? tab.setPermission('clipboard-write', 'granted').catch(() => {}) : undefined,
      // Pages in background tabs behave as if visible and focused.
      cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      ifDefined(viewport, (viewport) =>
        cdp.send('Emulation.setDeviceMetricsOverride', {
          ...viewport,
          deviceScaleFactor: 0,
          mobile: false,
        }),
      ),
      tab.#runWithControls(cdp, { setUp: options.setUp }),
    ]);
    return tab;
  }

  #holdSubmits(judge: SubmitJudge): void {
    this.interception.add({
      name: 'consent',
      priority: SUBMIT_PRIORITY,
      onError: 'fail',
      resourceTypes: ['Document'],
      timeoutMs: SUBMIT_TIMEOUT_MS,
      handle: async ({ url, method, headers, hasBody, frameId }) => {
        if (!isSubmit({ method, hasPostData: hasBody })) return undefined;
        const isAllowed = await judge({ request: { url, method, headers }, frameId }, this.id);
        return valueIf(!isAllowed, { action: 'fail', reason: 'Aborted' });
      },
    });
  }

  /** All cookies of the storage of this tab. Only Chrome's root session accepts a context id. */
  readCookieStore(signal: AbortSignal): Promise<Protocol.Storage.GetCookiesResponse> {
    if (this.contextId === undefined) return this.#readProfileCookies(signal);
    const store = { browserContextId: this.contextId };
    return this.#connection.root.send('Storage.getCookies', store, signal);
  }

  /** In the user's Chrome, the extension allows only the cookies of the tab's own site. */
  async #readProfileCookies(signal: AbortSignal): Promise<Protocol.Storage.GetCookiesResponse> {
    try {
      return await this.cdp.send('Storage.getCookies', {}, signal);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return this.cdp.send('Network.getCookies', { urls: [this.url] }, signal);
    }
  }

  /** Sets a permission of one origin, or of all origins, in the storage of this tab. */
  async setPermission(
    name: string,
    setting: Protocol.Browser.PermissionSetting,
    { origin, signal }: { readonly origin?: string; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const given = { permission: { name }, setting, origin, browserContextId: this.contextId };
    await this.cdp.send('Browser.setPermission', defined(given), signal);
  }

  /** Runs a script in every new document of the tab and its frames, before their own scripts. */
  async addInitScript(source: string): Promise<void> {
    this.#initScripts.push(source);
    const sessions = new Set([this.cdp, ...this.frames.all().map(({ session }) => session)]);
    await Promise.all([...sessions].map((session) => runFirst(session, source)));
  }

  /** Resumes a new target; in a restricted tab, only after Chrome has confirmed the controls. */
  async #runWithControls(
    session: CdpSession,
    { isWorker = false, setUp }: { isWorker?: boolean; setUp?: TabOptions['setUp'] } = {},
  ): Promise<void> {
    const controls = Promise.all([
      this.interception.watch(session, { isWorker }),
      this.guard.watch(session, { isWorker }),
    ]);
    if (this.guard.restricts || this.#isGated) await controls;
    const settings = await setUp?.(this);
    await Promise.all([controls, settings?.done, session.send('Runtime.runIfWaitingForDebugger')]);
  }

  #listen(): void {
    const { cdp } = this;
    cdp.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== this.id) return;
      this.events.emit('lifecycle', { loaderId, name });
      // A loaded page is usually read next.
      if (name === 'load') for (const frame of this.frames.all()) void prepareReading(frame);
    });
    cdp.on(
      'Page.frameStartedLoading',
      ({ frameId }) => frameId === this.id && (this.loading = true),
    );
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== this.id) return;
      this.loading = false;
      this.leavingFor = undefined;
    });
    cdp.on('Page.frameStartedNavigating', ({ frameId, url, navigationType }) => {
      if (frameId === this.id && !/sameDocument/i.test(navigationType))
        this.leavingFor = { url, since: monotonicMs() };
    });
    cdp.on('Page.javascriptDialogClosed', () => (this.dialog = undefined));
    cdp.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name !== TELL) return;
      if (payload.startsWith(CHANGED))
        return this.events.emit('changed', Number(payload.slice(CHANGED.length)));
      this.facts = JSON.parse(payload) as PageFacts;
      this.title = this.facts.title;
    });
    cdp.on('Inspector.targetCrashed', () => {
      this.crashed = true;
      this.loading = false;
      this.dialog = undefined;
      this.events.emit('crashed', undefined);
    });
    cdp.onClose(() => {
      this.closed = true;
      this.guard.close();
      this.events.emit('closed', undefined);
    });
    this.#watchDialogs(cdp);
    this.#watchGestures(cdp);
  }

  /** A user of a Chrome with windows may open any number of windows. */
  #watchGestures(session: CdpSession): void {
    session.on('Page.windowOpen', ({ userGesture }) => {
      if (userGesture && !this.viewport) this.allowance.countGesture();
    });
  }

  /** Dialogs of out-of-process frames are reported on their own session. */
  #watchDialogs(session: CdpSession): void {
    session.on('Page.javascriptDialogOpening', ({ type, message, defaultPrompt }) => {
      const dialog: Dialog = defined({
        kind: type,
        message,
        openedAt: Date.now(),
        ...compact({ defaultPrompt }),
      });
      const policy = this.dialogPolicy();
      if (policy === 'ask') return this.#opened(dialog);
      const accepted = acceptsByPolicy(policy, dialog);
      answerByPolicy(session, dialog, accepted).then(
        () => this.#answered({ kind: type, message, accepted }),
        () => this.#opened(dialog), // the caller has to answer it
      );
    });
  }

  async #callOffChoosers(session: CdpSession): Promise<void> {
    session.on('Page.fileChooserOpened', () => this.events.emit('chooser', undefined));
    if (this.chooser.enabled)
      await session.send('Page.setInterceptFileChooserDialog', this.chooser);
  }

  #opened(dialog: Dialog): void {
    if (this.closed) return;
    this.dialog = dialog;
    this.events.emit('dialog', dialog);
  }

  /** Dismisses a dialog before a navigation; Chrome with windows does this itself. */
  async dismissDialog(dialog: Dialog, signal: AbortSignal): Promise<void> {
    try {
      await answerDialog(this.cdp, dialog, { accept: false }, signal);
      this.#answered({ kind: dialog.kind, message: dialog.message, accepted: false });
    } catch (error) {
      if (!(error instanceof CdpError)) throw error; // the dialog is already closed
    }
    if (this.dialog === dialog) this.dialog = undefined;
  }

  #answered(dialog: AnsweredDialog): void {
    if (this.answeredDialogs.size < MAX_ANSWERED) this.answeredDialogs.add(dialog);
    this.events.emit('answered', dialog);
  }

  /** Attaches out-of-process frames and workers of `session` before their scripts run. */
  async #followChildren(session: CdpSession): Promise<void> {
    session.on('Target.attachedToTarget', (event) => detach(this.#childAttached(event)));
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
    });
  }

  async #childAttached({
    sessionId,
    targetInfo,
  }: EventParams<'Target.attachedToTarget'>): Promise<void> {
    const session = this.#connection.session(sessionId);
    if (!session) return;
    try {
      const { targetId, type } = targetInfo;
      const isFrame = type === 'iframe';
      this.guard.addFrame(targetId);
      await Promise.all([
        isFrame ? this.frames.watch(session, targetId) : Promise.resolve(),
        this.traffic.watch(session, { kind: isFrame ? 'iframe' : 'worker', targetId }),
        ...(isFrame ? this.#initScripts.map((source) => runFirst(session, source)) : []),
        isFrame ? this.#watchDialogs(session) : Promise.resolve(),
        isFrame ? this.#watchGestures(session) : Promise.resolve(),
        isFrame ? this.#callOffChoosers(session) : Promise.resolve(),
        this.#followChildren(session),
        this.#runWithControls(session, { isWorker: !isFrame }),
      ]);
    } catch (error) {
      if (error instanceof Failure && error.code === 'control_failed')
        return this.guard.reportFault(session, error);
      if (!isGone(error)) throw error; // the frame or worker ended immediately
    }
  }

  /** The downloads that this tab started, in their current state. */
  get downloads(): readonly Download[] {
    return [...this.#downloads.values()];
  }

  /** Called by the listener for Chrome's download events. */
  tellDownload(download: Download): void {
    this.#downloads.set(download.id, download);
    // A popup whose first response is a PDF has no document.
    if (this.url === '' && isPdfDownload(download)) this.openedFile ??= download.id;
    this.events.emit('download', download);
  }

  /** The frame with this id, or the main frame if undefined. */
  requireFrame(frameId: string | undefined): Frame {
    if (frameId === undefined) return this.frames.main;
    const frame = this.frames.byId(frameId);
    if (frame) return frame;
    const known = this.frames.all().map(({ id, url }) => ({ frameId: id, url }));
    throw fail('invalid_argument', `No frame ${frameId} exists in this tab.`, {
      argument: 'frameId',
      frames: known.slice(0, 50),
    });
  }

  /** Whether the page's main thread responds; false if the signal aborts first. */
  async answers(signal: AbortSignal): Promise<boolean> {
    try {
      await this.cdp.send('Runtime.evaluate', { expression: '0' }, signal);
      return true;
    } catch {
      return false;
    }
  }
}

const runFirst = (session: CdpSession, source: string): Promise<unknown> =>
  session.send('Page.addScriptToEvaluateOnNewDocument', { source });
