// The granted tabs to which Chrome's debugger is attached: forwards their commands and events.
import {
  checkCommand,
  checkEntry,
  hideForbiddenEntries,
  type Params,
  Refusal,
  removeCookies,
  TargetGone,
} from './guard.ts';
import type { Grant, Grants } from './grants.ts';
import { BLANK_PAGE, describeScheme, isAllowedUrl } from './page-address.ts';
import { SessionFacts } from './session-facts.ts';

/** The debugger detaches after this time without a call, so that Chrome's info bar disappears. */
const IDLE_MS = 30_000;
const CHECK_MS = 5_000;
const PROTOCOL = '1.3';

interface Debuggee {
  readonly grant: Grant;
  /** The server that attached it. */
  readonly memberId: string;
  readonly sessionId: string;
  readonly ready: Promise<unknown>;
  readonly facts: SessionFacts;
  /** Sessions of frames in other processes and of workers. */
  readonly children: Map<string, SessionFacts>;
  pending: number;
  usedAt: number;
  isBusy: boolean;
  /** Whether Chrome shows a warning about a certificate, on which it rejects all commands. */
  isWarned?: boolean;
}

/** Sends an event to one server. */
export type SendEvent = (
  memberId: string,
  method: string,
  params: Params,
  sessionId?: string,
) => void;

export class Debuggees {
  readonly #byTab = new Map<number, Debuggee>();
  /** Tabs that are being closed. */
  readonly #closing = new Set<number>();
  readonly #grants: Grants;
  readonly #sendEvent: SendEvent;

  constructor(grants: Grants, sendEvent: SendEvent) {
    this.#grants = grants;
    this.#sendEvent = sendEvent;
  }

  listen(): void {
    chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) =>
      this.#forward(tabId, sessionId, method, params ?? {}),
    );
    chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
      if (tabId === undefined) return;
      this.#end(tabId);
      // `canceled_by_user`: the user pressed Cancel in Chrome's info bar.
      if (reason === 'canceled_by_user') this.#grants.revoke(tabId, 'cancelled');
    });
    // Scripts, streams and listeners of the page before would report a file or a page of Chrome.
    chrome.webNavigation.onBeforeNavigate.addListener(({ tabId, frameId, url }) => {
      if (frameId === 0 && !isAllowedUrl(url)) this.detach(tabId);
    });
    setInterval(() => this.#detachIdle(), CHECK_MS);
  }

  isAttached(tabId: number): boolean {
    return this.#byTab.has(tabId);
  }

  /** Returns the id of the tab's session. */
  async attach(grant: Grant, memberId: string): Promise<string> {
    const known = this.#byTab.get(grant.tabId);
    if (known?.memberId === memberId) return known.ready.then(() => known.sessionId);
    const { tabId } = grant;
    if (known) this.detach(tabId);
    const debuggee: Debuggee = {
      grant,
      memberId,
      sessionId: crypto.randomUUID(),
      ready: attachDebugger(grant),
      facts: new SessionFacts(),
      children: new Map(),
      pending: 0,
      usedAt: Date.now(),
      isBusy: false,
    };
    this.#byTab.set(tabId, debuggee);
    try {
      await debuggee.ready;
    } catch (error) {
      this.#byTab.delete(tabId);
      throw refuseTab(grant, error);
    }
    delete grant.problem;
    if (this.#grants.findByTab(tabId) === grant) return debuggee.sessionId;
    this.detach(tabId);
    throw new TargetGone();
  }

  detach(tabId: number): void {
    if (!this.#byTab.has(tabId)) return;
    this.#end(tabId);
    chrome.debugger.detach({ tabId }).catch(() => {}); // the tab is closed or detached
  }

  detachAll(): void {
    for (const tabId of this.#byTab.keys()) this.detach(tabId);
  }

  /** The server has left. */
  detachMember(memberId: string): void {
    for (const [tabId, debuggee] of this.#byTab)
      if (debuggee.memberId === memberId) this.detach(tabId);
  }

  /** A call in the tab keeps the debugger attached. */
  markBusy(tabId: number, isBusy: boolean): void {
    const debuggee = this.#byTab.get(tabId);
    if (!debuggee) return;
    Object.assign(debuggee, { isBusy, usedAt: Date.now() });
    if (debuggee.isWarned && !isBusy) this.detach(tabId); // the next call leaves the warning
  }

  /** Closes the tab without its `beforeunload` dialog. */
  async close(tabId: number): Promise<void> {
    this.#closing.add(tabId);
    try {
      await chrome.tabs.remove(tabId);
    } finally {
      this.#closing.delete(tabId);
    }
  }

  async send(
    memberId: string,
    sessionId: string,
    method: string,
    params: Params,
  ): Promise<unknown> {
    const debuggee = this.#requireDebuggee(memberId, sessionId);
    const { grant, children } = debuggee;
    const facts = children.get(sessionId) ?? debuggee.facts;
    const allowed = checkCommand(method, params, grant.url, facts.findRequestUrl(params));
    facts.checkContext(params);
    // The focus of the user is never taken: the page behaves as if it were focused.
    if (method === 'Page.bringToFront') return {};
    if (namesFiles(method, params)) await requireFileAccess();
    if (method === 'Page.navigateToHistoryEntry') await checkTraversal(grant.tabId, params);
    debuggee.pending++;
    try {
      const target = children.has(sessionId)
        ? { tabId: grant.tabId, sessionId }
        : { tabId: grant.tabId };
      const result = await chrome.debugger.sendCommand(target, method, allowed);
      delete grant.problem;
      facts.finish(method, params);
      // The command may have run in a page that the user opened in the meantime.
      if (this.#byTab.get(grant.tabId) !== debuggee) throw new SessionGone();
      if (method === 'Page.navigate') debuggee.isWarned = isCertificateError(result);
      return method === HISTORY ? hideForbiddenEntries(result ?? {}) : result;
    } catch (error) {
      if (!isFrameConflict(error) && !isRestricted(error)) throw error;
      // After the answer, so that the server gets the reason. The next call attaches again.
      setTimeout(() => this.detach(grant.tabId));
      throw refuseTab(grant, error);
    } finally {
      debuggee.pending--;
      debuggee.usedAt = Date.now();
    }
  }

  #requireDebuggee(memberId: string, sessionId: string): Debuggee {
    for (const debuggee of this.#byTab.values()) {
      const isNamed = debuggee.sessionId === sessionId || debuggee.children.has(sessionId);
      if (isNamed && debuggee.memberId === memberId) return debuggee;
    }
    throw new SessionGone();
  }

  #forward(
    tabId: number | undefined,
    childId: string | undefined,
    method: string,
    params: Params,
  ): void {
    const debuggee = this.#byTab.get(tabId ?? -1);
    if (!debuggee) return;
    const { children, sessionId, grant, memberId } = debuggee;
    const facts = children.get(childId ?? '') ?? debuggee.facts;
    if (!facts.follow(method, params)) return;
    if (method === 'Target.attachedToTarget')
      children.set(String(params['sessionId']), new SessionFacts());
    if (method === 'Target.detachedFromTarget') children.delete(String(params['sessionId']));
    if (method === 'Page.javascriptDialogOpening' && this.#closing.has(grant.tabId))
      return acceptLeaving(grant.tabId, childId);
    if (method === 'Page.frameNavigated' && childId === undefined) followUrl(grant, params);
    if (!isAllowedUrl(grant.url)) return this.detach(grant.tabId);
    this.#sendEvent(memberId, method, removeCookies(method, params), childId ?? sessionId);
  }

  /** Reports the end of all sessions of a tab. */
  #end(tabId: number): void {
    const debuggee = this.#byTab.get(tabId);
    if (!debuggee) return;
    this.#byTab.delete(tabId);
    const { sessionId, children, grant, memberId } = debuggee;
    const report = (ended: Params, parentId?: string): void =>
      this.#sendEvent(memberId, 'Target.detachedFromTarget', ended, parentId);
    for (const childId of children.keys()) report({ sessionId: childId }, sessionId);
    report({ sessionId, targetId: grant.targetId });
  }

  #detachIdle(): void {
    for (const [tabId, { pending, usedAt, isBusy }] of this.#byTab)
      if (pending === 0 && !isBusy && Date.now() - usedAt >= IDLE_MS) this.detach(tabId);
  }
}

/** Chrome's error on its own pages, for example a PDF or a warning about a certificate. */
const isRestricted = (error: unknown): boolean =>
  (error as Error).message.includes('Cannot attach to this target');

const RESTRICTED =
  'Chrome does not let agents use this page, for example a PDF or a warning about a certificate.';

const isCertificateError = (result: unknown): boolean =>
  /^net::ERR_(?:CERT|SSL)/.test(String((result as { errorText?: unknown }).errorText));

/** Chrome's error while the page contains a frame of another extension. */
const isFrameConflict = (error: unknown): boolean =>
  (error as Error).message.includes('URL of different extension');

const FRAME_CONFLICT =
  'Chrome does not let agents use this page while it contains a frame of another extension, for ' +
  'example of a password manager.';

const describeProblem = (error: unknown): string => {
  if (isFrameConflict(error)) return FRAME_CONFLICT;
  if (isRestricted(error)) return RESTRICTED;
  if (error instanceof Refusal) return error.message;
  return `Chrome did not attach to the tab: ${(error as Error).message}`;
};

/** The popup shows the problem too. */
const refuseTab = (grant: Grant, error: unknown): Refusal => {
  grant.problem = describeProblem(error);
  return new Refusal(grant.problem);
};

/** Chrome's message for a session that has ended, which the server knows. */
class SessionGone extends Error {
  readonly code = -32_001;
  constructor() {
    super('Session with given id not found.');
  }
}

const attachDebugger = async (grant: Grant): Promise<void> => {
  const { tabId, isOpenedByAgent, url } = grant;
  try {
    if (!isAllowedUrl(url)) throw new Refusal(`Agents may not use ${describeScheme(url)} pages.`);
    await attachOnce(tabId);
  } catch (error) {
    const mayLeave = isOpenedByAgent && (isRestricted(error) || error instanceof Refusal);
    if (!mayLeave) throw error;
    await leavePage(tabId);
    await attachOnce(tabId);
  }
};

/** Throws Chrome's error if it rejects commands in the tab. */
const attachOnce = async (tabId: number): Promise<void> => {
  try {
    await chrome.debugger.attach({ tabId }, PROTOCOL);
  } catch (error) {
    if (!/already attached/i.test((error as Error).message)) throw error;
    // The service worker was restarted while it was attached.
    await chrome.debugger.detach({ tabId });
    await chrome.debugger.attach({ tabId }, PROTOCOL);
  }
  try {
    // Its events report the address of each page, whichever commands the server sends.
    await chrome.debugger.sendCommand({ tabId }, 'Page.enable');
  } catch (error) {
    await chrome.debugger.detach({ tabId }).catch(() => {}); // Chrome has detached it
    throw error;
  }
};

/** Shows an empty page instead of a page of Chrome that agents may not use. */
const leavePage = (tabId: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const follow = (changedId: number, change: chrome.tabs.OnUpdatedInfo): void => {
      if (changedId !== tabId || change.url !== BLANK_PAGE) return;
      chrome.tabs.onUpdated.removeListener(follow);
      resolve();
    };
    chrome.tabs.onUpdated.addListener(follow);
    chrome.tabs.update(tabId, { url: BLANK_PAGE }).catch(reject);
  });

/** Events of tabs may be later than those of the debugger. */
const followUrl = (grant: Grant, { frame }: Params): void => {
  const { url, parentId } = frame as { readonly url: string; readonly parentId?: string };
  if (parentId === undefined) grant.url = url;
};

const HISTORY = 'Page.getNavigationHistory';

const checkTraversal = async (tabId: number, { entryId }: Params): Promise<void> => {
  const history = await chrome.debugger.sendCommand({ tabId }, HISTORY);
  checkEntry(history ?? {}, entryId);
};

const acceptLeaving = (tabId: number, sessionId: string | undefined): void => {
  const target = sessionId === undefined ? { tabId } : { tabId, sessionId };
  const answer = { accept: true };
  chrome.debugger.sendCommand(target, 'Page.handleJavaScriptDialog', answer).catch(() => {}); // the page is closed
};

/** Whether the command gives files of the user to the page. */
const namesFiles = (method: string, { data }: Params): boolean =>
  method === 'DOM.setFileInputFiles' ||
  (method === 'Input.dispatchDragEvent' && (data as Params | undefined)?.['files'] !== undefined);

const requireFileAccess = async (): Promise<void> => {
  if (await chrome.extension.isAllowedFileSchemeAccess()) return;
  throw new Refusal(
    'Chrome lets the extension upload files only if the user switches on "Allow access to file ' +
      'URLs" in its details on chrome://extensions.',
  );
};
