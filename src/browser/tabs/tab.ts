// One tab: its CDP session, frames, traffic, dialog and title, kept up to date by events alone.
import type { Protocol } from 'devtools-protocol';
import { defined } from '../../core/defined.ts';
import { Events } from '../../core/events.ts';
import { fail, Failure } from '../../core/failure.ts';
import { createSteadyClock, monotonicMs } from '../../core/time.ts';
import { CdpError, isGone } from '../cdp/errors.ts';
import type { CdpConnection, CdpSession, EventParams } from '../cdp/connection.ts';
import { CHANGED, type PageFacts } from '../../page/call-answers.ts';
import { DomainGuard } from '../guard/domain-guard.ts';
import { TabGuard } from '../guard/tab-guard.ts';
import { Interception } from '../traffic/interception.ts';
import { Traffic } from '../traffic/traffic.ts';
import { prepareReading } from '../read/closed-roots.ts';
import { RefBook } from '../read/ref-book.ts';
import type { Download } from '../state/downloads.ts';
import {
  acceptsByPolicy,
  type AnsweredDialog,
  answerByPolicy,
  answerDialog,
  type Dialog,
  type DialogPolicy,
} from './dialog.ts';
import { type Frame, FrameTree, WORLD } from './frames.ts';
import { PageAllowance } from './page-allowance.ts';
import { Queue } from './queue.ts';

/** A tool's work in a tab, for those who watch it. */
export interface TabCall {
  readonly tool: string;
  /** As they were given: secrets by their names. */
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
  /** A frame came up, or shows a new document. */
  frame: Frame;
  lifecycle: { readonly loaderId: string; readonly name: string };
  dialog: Dialog;
  /** A dialog was answered by the policy, at once. */
  answered: AnsweredDialog;
  /** The page asked for a file, in a Chrome without windows, where nobody can choose one. */
  chooser: void;
  /**
   * When the content of a watched document changed, by its clock; told in its place among the
   * events of the network.
   */
  changed: number;
  /** This tab opened another one; its address is live, it is not known at first. */
  popup: { readonly tabId: string; readonly url: string };
  /** A download of this tab began, went on or ended. */
  download: Download;
  /** A call of a tool has its turn in this tab, and ends it. */
  call: TabCall;
  called: TabCall & { readonly failed?: string; readonly data?: unknown };
  crashed: void;
  closed: void;
}

export interface TabOptions {
  /** Page size to emulate; absent in a Chrome with windows. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** What it may reach. */
  readonly guard?: DomainGuard;
  /** The tab that opened it; what holds for that one holds here. */
  readonly openerId?: string;
  /** How many popups and downloads its pages may start; shared with its opener. */
  readonly allowance?: PageAllowance;
}

const TELL = '__oc_tell';
/** A page may ask for ever: more is not told of. */
const MAX_ANSWERED = 20;

export class Tab {
  readonly events = new Events<TabEvents>();
  readonly traffic = new Traffic({});
  readonly interception = new Interception({
    onDecision: (decision) => this.traffic.markIntercepted(decision),
  });
  readonly guard: TabGuard;
  readonly allowance: PageAllowance;
  readonly frames: FrameTree;
  readonly queue = new Queue();
  /** Names of elements in all frames, from the first reading to the last. */
  readonly refs = new RefBook();
  /** Wall-clock of replies about this tab; never decreases. */
  readonly clock = createSteadyClock();
  /** Picture points for each point of the page, where they are emulated. */
  pixelRatio = 1;
  title = '';
  loading = false;
  crashed = false;
  closed = false;
  dialog: Dialog | undefined;
  /** The address that could not be loaded, while the tab shows Chrome's error page about it. */
  unreachableUrl: string | undefined;
  /** What is done with dialogs; the session that owns the tab decides. */
  dialogPolicy: () => DialogPolicy = () => 'ask';
  /** Dialogs that were answered by it and that the host has not been told of. */
  readonly answeredDialogs = new Set<AnsweredDialog>();
  /** A document that is on its way; until it is there Chrome holds back what the page is asked. */
  leavingFor: { readonly url: string; readonly since: number } | undefined;
  /** What the page told about itself as it loaded; absent before that. */
  facts: PageFacts | undefined;
  /** What becomes of file choosers: they are called off and told of where nobody would see them. */
  readonly chooser: Protocol.Page.SetInterceptFileChooserDialogRequest;
  readonly #connection: CdpConnection;
  readonly #downloads = new Map<string, Download>();

  private constructor(
    readonly id: string,
    readonly cdp: CdpSession,
    connection: CdpConnection,
    /** Whether this engine opened the tab (or a tab of it did); others are never closed. */
    readonly ours: boolean,
    /** The emulated page size; absent where the window decides. */
    public viewport: TabOptions['viewport'],
    { guard = new DomainGuard(), openerId, allowance = new PageAllowance() }: TabOptions,
  ) {
    this.allowance = allowance;
    this.#connection = connection;
    this.chooser = viewport ? { enabled: true, cancel: true } : { enabled: false };
    this.guard = new TabGuard({
      tabId: id,
      openerId,
      guard,
      traffic: this.traffic,
      interception: this.interception,
    });
    this.frames = new FrameTree(id, cdp, {
      onFrame: (frame) => this.events.emit('frame', frame),
      onNavigated: (frame, { type, frame: { unreachableUrl } }) => {
        if (frame !== this.frames.main) return;
        this.crashed = false;
        this.leavingFor = undefined;
        this.facts = undefined;
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

  /** Sets up a freshly attached page target and lets it run. */
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
      // By this name, in our own world only, the page-script tells its facts.
      cdp.send('Runtime.addBinding', { name: TELL, executionContextName: WORLD }),
      tab.frames.watch(cdp, id),
      tab.traffic.watch(cdp, { kind: 'page', targetId: id }),
      tab.#followChildren(cdp),
      tab.#callOffChoosers(cdp),
      // So that buttons that copy do so in the headless shell too; elsewhere Chrome lets them.
      viewport
        ? cdp
            .send('Browser.setPermission', {
              permission: { name: 'clipboard-write' },
              setting: 'granted',
            })
            .catch(() => {})
        : undefined,
      // The page believes that it is seen and focused, so that background tabs work like the one in
      // front.
      cdp.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      viewport
        ? cdp.send('Emulation.setDeviceMetricsOverride', {
            ...viewport,
            deviceScaleFactor: 0,
            mobile: false,
          })
        : undefined,
      tab.#runWithControls(cdp),
    ]);
    return tab;
  }

  /**
   * Lets a new target run; one whose tab is restricted only after Chrome has confirmed the
   * controls.
   */
  async #runWithControls(
    session: CdpSession,
    options: { readonly isWorker?: boolean } = {},
  ): Promise<void> {
    const controls = Promise.all([
      this.interception.watch(session, options),
      this.guard.watch(session, options),
    ]);
    if (this.guard.restricts) await controls;
    await Promise.all([controls, session.send('Runtime.runIfWaitingForDebugger')]);
  }

  #listen(): void {
    const { cdp } = this;
    cdp.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (frameId !== this.id) return;
      this.events.emit('lifecycle', { loaderId, name });
      // What is opened is nearly always read next.
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

  /** A person at a Chrome with windows may open as many as they want. */
  #watchGestures(session: CdpSession): void {
    session.on('Page.windowOpen', ({ userGesture }) => {
      if (userGesture && !this.viewport) this.allowance.countGesture();
    });
  }

  /** Dialogs of out-of-process frames are told on their own session. */
  #watchDialogs(session: CdpSession): void {
    session.on('Page.javascriptDialogOpening', ({ type, message, defaultPrompt }) => {
      const dialog: Dialog = defined({
        kind: type,
        message,
        openedAt: Date.now(),
        defaultPrompt: defaultPrompt ? defaultPrompt : undefined,
      });
      const policy = this.dialogPolicy();
      if (policy === 'ask') return this.#opened(dialog);
      const accepted = acceptsByPolicy(policy, dialog);
      answerByPolicy(session, dialog, accepted).then(
        () => this.#answered({ kind: type, message, accepted }),
        () => this.#opened(dialog), // somebody has to
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

  /** The answer of whoever leaves the page; a Chrome with windows gives it by itself. */
  async dismissDialog(dialog: Dialog, signal: AbortSignal): Promise<void> {
    try {
      await answerDialog(this.cdp, dialog, { accept: false }, signal);
      this.#answered({ kind: dialog.kind, message: dialog.message, accepted: false });
    } catch (error) {
      if (!(error instanceof CdpError)) throw error; // it closed by itself
    }
    if (this.dialog === dialog) this.dialog = undefined;
  }

  #answered(dialog: AnsweredDialog): void {
    if (this.answeredDialogs.size < MAX_ANSWERED) this.answeredDialogs.add(dialog);
    this.events.emit('answered', dialog);
  }

  /**
   * Out-of-process frames and workers of `session` are attached before they run their first line.
   */
  async #followChildren(session: CdpSession): Promise<void> {
    session.on('Target.attachedToTarget', (event) => void this.#childAttached(event));
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
      await Promise.all([
        isFrame ? this.frames.watch(session, targetId) : Promise.resolve(),
        this.traffic.watch(session, { kind: isFrame ? 'iframe' : 'worker', targetId }),
        isFrame ? this.#watchDialogs(session) : Promise.resolve(),
        isFrame ? this.#watchGestures(session) : Promise.resolve(),
        isFrame ? this.#callOffChoosers(session) : Promise.resolve(),
        this.#followChildren(session),
        this.#runWithControls(session, { isWorker: !isFrame }),
      ]);
    } catch (error) {
      if (error instanceof Failure && error.code === 'control_failed')
        return this.guard.reportFault(session, error);
      if (!isGone(error)) throw error; // a frame or worker that ended at once is no concern
    }
  }

  /** Every download that this tab began, as it is now. */
  get downloads(): readonly Download[] {
    return [...this.#downloads.values()];
  }

  /** For whoever follows the downloads of Chrome. */
  tellDownload(download: Download): void {
    this.#downloads.set(download.id, download);
    this.events.emit('download', download);
  }

  /** The frame that a call names by id, else the main frame. */
  requireFrame(frameId: string | undefined): Frame {
    if (frameId === undefined) return this.frames.main;
    const frame = this.frames.byId(frameId);
    if (frame) return frame;
    const known = this.frames.all().map(({ id, url }) => ({ frameId: id, url }));
    throw fail('invalid_argument', `There is no frame ${frameId} in this tab.`, {
      argument: 'frameId',
      frames: known.slice(0, 50),
    });
  }

  /** Whether the page's main thread answers at all; false when the signal aborts first. */
  async answers(signal: AbortSignal): Promise<boolean> {
    try {
      await this.cdp.send('Runtime.evaluate', { expression: '0' }, signal);
      return true;
    } catch {
      return false;
    }
  }
}
