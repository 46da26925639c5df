// Gives viewers access to tabs, requests and the journal, only while a viewer watches.
import type { Browser } from '../../browser/browser.ts';
import { answerDialog } from '../../browser/tabs/dialog.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { listOrigins } from '../../browser/tabs/shown-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { monotonicMs } from '../../core/time.ts';
import type { Home } from '../../core/home.ts';
import type { Redactor } from '../../core/redactor.ts';
import { TimeSlices } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { toHar } from '../../render/har.ts';
import { loadDashboardKey } from '../../store/config/key-files.ts';
import { JournalFeed } from '../../store/journal/journal-feed.ts';
import { describeUnfetchedBody, toCaptured, withShape } from '../network/capture.ts';
import { withLiveBodies } from '../network/export-har.ts';
import { redactCaptured } from '../network/redact-captured.ts';
import { captureHidden, type CastAim, type CastPicture, TabCast } from './tab-pictures.ts';
import type { TabView } from './tab-view.ts';

const MAX_LISTED = 500;

/** Redacted requests by their record; a changed record has a new version. */
type Cache = WeakMap<
  object,
  { readonly version: number; readonly request: Promise<CapturedRequest> }
>;

/** The requests of one tab for viewers: a list with timings, one request in full, and a HAR log. */
class TabRequests {
  readonly #redactor: Redactor;
  readonly #cache: Cache = new WeakMap();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The newest requests of the tab without bodies, oldest first. */
  async list(session: Session, tabId: string, signal: AbortSignal): Promise<CapturedRequest[]> {
    const slices = new TimeSlices(signal);
    const listed: CapturedRequest[] = [];
    for (const seen of findOfTab(session, tabId).slice(-MAX_LISTED)) {
      if (slices.isOver) await slices.pause();
      listed.push(await this.#redact(seen, signal));
    }
    return listed;
  }

  #redact(seen: WorkspaceRequest, signal: AbortSignal): Promise<CapturedRequest> {
    const { record, version } = seen;
    const known = this.#cache.get(record);
    if (known?.version === version) return known.request;
    const whole = toCaptured(seen, describeUnfetchedBody(seen));
    const request = redactCaptured(whole, this.#redactor, signal);
    this.#cache.set(record, { version, request });
    request.catch(() => this.#cache.delete(record));
    return request;
  }

  /** One request with its bodies and the shape of the response. */
  async load(
    session: Session,
    tabId: string,
    key: string,
    signal: AbortSignal,
  ): Promise<CapturedRequest> {
    const seen = findOfTab(session, tabId).find((one) => one.key === key);
    if (!seen) throw fail('key_not_found', 'This request is no longer recorded.');
    const networkContext = { session, signal, reveal: false, redactor: this.#redactor };
    const [captured] = await withLiveBodies(networkContext, [seen]);
    if (!captured) throw fail('key_not_found', 'This request is no longer recorded.');
    return withShape(seen, captured);
  }

  async buildHar(session: Session, tabId: string, signal: AbortSignal): Promise<object> {
    const networkContext = { session, signal, reveal: false, redactor: this.#redactor };
    return toHar(await withLiveBodies(networkContext, findOfTab(session, tabId)), VERSION);
  }
}

const findOfTab = ({ traffic }: Session, tabId: string): readonly WorkspaceRequest[] =>
  traffic.requests().filter((seen) => seen.tabId === tabId);

interface ObserverOptions {
  readonly home: Home;
  readonly browser: Browser;
  readonly redactor: Redactor;
  readonly workers: WorkerPool;
}

const URL_CHARS = 2_000;
const TITLE_CHARS = 300;
const MESSAGE_CHARS = 1_000;
const HOST_CHARS = 100;

/** How long a page may take to respond until it counts as hung. */
const RESPONSE_MS = 2_500;

/** The time between two checks of a tab that no call uses. */
const UNUSED_CHECK_MS = 20_000;

interface ObservedTab {
  readonly session: Session;
  readonly tab: Tab;
}

const isBlocked = ({ dialog, holds }: Tab): boolean => dialog !== undefined || holds.any;

/** Finds pages that do not respond, while a viewer is connected. */
class HungPages {
  /** The time since which a tab does not respond, in Unix milliseconds. */
  readonly #since = new WeakMap<Tab, number>();
  /** The monotonic time of the last check. */
  readonly #checkedAt = new WeakMap<Tab, number>();

  find(tab: Tab): number | undefined {
    return this.#since.get(tab);
  }

  /** A page that a dialog or a question to the user blocks is not hung. */
  async check(tabs: readonly ObservedTab[]): Promise<void> {
    const due = tabs.filter((tab) => this.#isDue(tab)).map(({ tab }) => tab);
    const checked = due.filter((tab) => !tab.crashed && !tab.closed && !isBlocked(tab));
    await Promise.all(checked.map((tab) => this.#checkTab(tab)));
  }

  /** Tabs that no call uses are checked less often, because a check wakes their processes. */
  #isDue({ session, tab }: ObservedTab): boolean {
    const isUsed = session.current === tab || tab.queue.running !== undefined;
    const lastAt = this.#checkedAt.get(tab) ?? -Infinity;
    return isUsed || this.#since.has(tab) || monotonicMs() - lastAt >= UNUSED_CHECK_MS;
  }

  async #checkTab(tab: Tab): Promise<void> {
    const askedAt = Date.now();
    this.#checkedAt.set(tab, monotonicMs());
    const responds = await tab.answers(AbortSignal.timeout(RESPONSE_MS));
    if (responds || tab.closed || isBlocked(tab)) this.#since.delete(tab);
    else if (!this.#since.has(tab)) this.#since.set(tab, askedAt);
  }
}

export class Observer {
  readonly #options: ObserverOptions;
  readonly journal: JournalFeed;
  readonly #requests: TabRequests;
  readonly #hung = new HungPages();

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#requests = new TabRequests(options.redactor);
    this.journal = new JournalFeed(options.home.journal);
  }

  get home(): Home {
    return this.#options.home;
  }

  /** The key that signs the cookies of viewers. */
  loadKey(): Promise<string> {
    return loadDashboardKey(this.#options.home.dashboardKey);
  }

  /** All attached tabs of all sessions, from known state. */
  listTabs(): TabView[] {
    return this.#options.browser.sessions.flatMap((session) =>
      [...session.tabs.values()].map((tab) => this.#describeTab(session, tab)),
    );
  }

  /** Checks which pages respond; `listTabs` then reports the others. */
  checkPages(): Promise<void> {
    const { sessions } = this.#options.browser;
    return this.#hung.check(
      sessions.flatMap((session) => [...session.tabs.values()].map((tab) => ({ session, tab }))),
    );
  }

  #describeTab(session: Session, tab: Tab): TabView {
    const redactor = this.#options.redactor.forOrigins(listOrigins(tab));
    const clean = (text: string, chars: number): string =>
      redactor.text(text.slice(0, chars * 2)).slice(0, chars);
    const { dialog } = tab;
    return defined({
      tabId: tab.id,
      shortId: session.shortIds.get(tab.id),
      session: session.name,
      host: ifDefined(session.host, (host) => clean(host, HOST_CHARS)),
      url: clean(tab.url, URL_CHARS),
      title: clean(tab.title, TITLE_CHARS),
      active: session.current === tab,
      loading: tab.loading,
      crashed: tab.crashed,
      busy: tab.queue.running,
      hungSince: this.#hung.find(tab),
      dialog: ifDefined(dialog, (dialog) =>
        defined({
          kind: dialog.kind,
          message: clean(dialog.message, MESSAGE_CHARS),
          openedAt: dialog.openedAt,
          defaultPrompt: dialog.defaultPrompt && clean(dialog.defaultPrompt, MESSAGE_CHARS),
        }),
      ),
    });
  }

  /** Streams pictures of a tab until the cast is disposed. */
  castTab(
    tabId: string,
    options: {
      readonly maxWidth: number;
      readonly onPicture: (picture: CastPicture) => void;
      readonly onAim: (aim: CastAim) => void;
    },
  ): TabCast {
    return new TabCast(this.requireTab(tabId).tab, options);
  }

  /** A picture of a tab, in which fields with secrets are painted over. */
  captureThumbnail(tabId: string, signal: AbortSignal): Promise<Buffer> {
    return captureHidden(this.requireTab(tabId).tab, signal);
  }

  /** Identifies the document that a tab shows. */
  readDocument(tabId: string): string {
    return this.requireTab(tabId).tab.frames.main.loaderId;
  }

  /** Whether a call is running or waiting in the tab. */
  isBusy(tabId: string): boolean {
    return this.requireTab(tabId).tab.queue.running !== undefined;
  }

  /** The requests of a tab without bodies, and without secrets. */
  listRequests(tabId: string, signal: AbortSignal): Promise<CapturedRequest[]> {
    return this.#requests.list(this.requireTab(tabId).session, tabId, signal);
  }

  loadRequest(tabId: string, key: string, signal: AbortSignal): Promise<CapturedRequest> {
    return this.#requests.load(this.requireTab(tabId).session, tabId, key, signal);
  }

  buildHar(tabId: string, signal: AbortSignal): Promise<object> {
    return this.#requests.buildHar(this.requireTab(tabId).session, tabId, signal);
  }

  /** Answers the open dialog of a tab. */
  async answerDialog(
    tabId: string,
    answer: { readonly accept: boolean; readonly promptText?: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { tab } = this.requireTab(tabId);
    await answerDialog(tab.cdp, tab.dialog, defined(answer), signal);
  }

  /** The tab and its session; throws if no session has it. */
  requireTab(tabId: string): ObservedTab {
    for (const session of this.#options.browser.sessions) {
      const tab = session.tabs.get(tabId);
      if (tab) return { session, tab };
    }
    throw fail('tab_not_found', 'This tab is closed.');
  }
}
