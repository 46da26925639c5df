// Gives viewers access to tabs, requests and the journal, only while a viewer watches.
import type { Browser } from '../../browser/browser.ts';
import { answerDialog } from '../../browser/tabs/dialog.ts';
import { listOrigins } from '../../browser/tabs/shown-page.ts';
import type { Session } from '../../browser/tabs/session.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { loadDashboardKey } from '../../store/config/dashboard-key.ts';
import { type CastAim, TabCast } from './tab-cast.ts';
import { captureHidden, type CastPicture } from './tab-secrets.ts';
import { TabRequests } from './tab-requests.ts';
import type { TabView } from './tab-view.ts';
import { JournalFeed } from '../../store/journal/journal-feed.ts';

interface ObserverOptions {
  readonly home: Home;
  readonly browser: Browser;
  readonly redactor: Redactor;
  readonly workers: WorkerPool;
}

const URL_CHARS = 2_000;
const TITLE_CHARS = 300;
const MESSAGE_CHARS = 1_000;

/** How long a page may take to respond until it counts as hung. */
const RESPONSE_MS = 2_500;

const isBlocked = ({ dialog, holds }: Tab): boolean => dialog !== undefined || holds.any;

/** Finds pages that do not respond, while a viewer is connected. */
class HungPages {
  /** The time since which a tab does not respond, in Unix milliseconds. */
  readonly #since = new WeakMap<Tab, number>();

  find(tab: Tab): number | undefined {
    return this.#since.get(tab);
  }

  /** A page that a dialog or a question to the user blocks is not hung. */
  async check(tabs: readonly Tab[]): Promise<void> {
    const checked = tabs.filter((tab) => !tab.crashed && !tab.closed && !isBlocked(tab));
    await Promise.all(checked.map((tab) => this.#checkTab(tab)));
  }

  async #checkTab(tab: Tab): Promise<void> {
    const askedAt = Date.now();
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
    return this.#hung.check(sessions.flatMap(({ tabs }) => [...tabs.values()]));
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
  requireTab(tabId: string): { readonly session: Session; readonly tab: Tab } {
    for (const session of this.#options.browser.sessions) {
      const tab = session.tabs.get(tabId);
      if (tab) return { session, tab };
    }
    throw fail('tab_not_found', 'This tab is closed.');
  }
}
