// The service worker: connects the link, the grants and Chrome's debugger, and serves the popup.
import { Debuggees } from './debuggees.ts';
import { DownloadReports } from './download-reports.ts';
import { Grants } from './grants.ts';
import type { Params } from './guard.ts';
import { Link } from './link.ts';
import { isAllowedUrl } from './page-address.ts';
import type { ExtensionState, PageAnswer, PageRequest } from './page-messages.ts';
import { Refusal } from './refusal.ts';
import { RootCommands } from './root-commands.ts';

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params?: Params;
  readonly sessionId?: string;
}

/** The agent of a tab that the user grants before an agent has opened one. */
const DEFAULT_AGENT = 'OpenChrome';
let isStopped = false;

const sendEvent = (method: string, params: Params, sessionId?: string): void => {
  if (sessionId !== undefined) downloads.follow(method, params);
  link.send(JSON.stringify({ method, params, sessionId }));
};

const grants = new Grants({
  onGranted: (grant) => {
    root.reportGranted(grant);
    showBadge();
  },
  onChanged: (grant) => root.reportChanged(grant),
  onRevoked: (grant) => {
    debuggees.detach(grant.tabId);
    root.reportRevoked(grant);
    showBadge();
  },
});
const debuggees = new Debuggees(grants, sendEvent);
const downloads = new DownloadReports(sendEvent);
const root = new RootCommands({
  ...{ grants, debuggees, downloads, sendEvent },
  isStopped: () => isStopped,
});

const answer = async ({ id, method, params = {}, sessionId }: Command): Promise<void> => {
  try {
    await loaded;
    const result =
      sessionId === undefined || method === 'Browser.getVersion'
        ? await root.run(method, params)
        : await debuggees.send(sessionId, method, params);
    link.send(JSON.stringify({ id, sessionId, result: result ?? {} }));
  } catch (error) {
    link.send(JSON.stringify({ id, sessionId, error: describeError(error) }));
  }
};

/** Chrome reports errors of CDP commands as JSON texts. */
const describeError = (error: unknown): { readonly code: number; readonly message: string } => {
  const { code = -32_000, message } = error as { readonly code?: number; readonly message: string };
  if (!message.startsWith('{')) return { code, message };
  return JSON.parse(message) as { readonly code: number; readonly message: string };
};

const link = new Link({
  onMessage: (text) => void answer(JSON.parse(text) as Command),
  onOpen: () => showBadge(),
  onClose: () => {
    root.reset();
    debuggees.detachAll();
    showBadge();
  },
});

const showBadge = (): void => {
  const count = grants.all.length;
  void chrome.action.setBadgeText({ text: count === 0 ? '' : String(count) });
  void chrome.action.setBadgeBackgroundColor({ color: link.isOpen ? '#1a73e8' : '#80868b' });
};

const describeState = (): ExtensionState => {
  const { pairing, isOpen } = link;
  return {
    ...(pairing ? { port: pairing.port } : {}),
    isLinked: isOpen,
    isStopped,
    agents: grants.agents.length > 0 ? grants.agents : [DEFAULT_AGENT],
    tabs: grants.all.map(({ tabId, title, url, agent, lastAction }) => ({
      ...{ tabId, title, url, agent },
      ...(lastAction === undefined ? {} : { lastAction }),
      color: grants.findColor(agent),
      isAttached: debuggees.isAttached(tabId),
    })),
  };
};

const setStopped = async (value: boolean): Promise<void> => {
  isStopped = value;
  await chrome.storage.local.set({ isStopped });
};

const serve = async (message: PageRequest): Promise<void> => {
  await loaded;
  switch (message.kind) {
    case 'state':
      return;
    case 'pair':
      return link.pair(message.port, message.ticket);
    case 'forget':
      grants.revokeAll();
      return link.forget();
    case 'grant':
      return grantTab(message.tabId, message.agent);
    case 'revoke':
      return grants.revoke(message.tabId);
    case 'stop':
      await setStopped(true);
      return grants.revokeAll();
    case 'resume':
      return setStopped(false);
  }
};

const grantTab = async (tabId: number, agent: string): Promise<void> => {
  const { url } = await chrome.tabs.get(tabId);
  if (!isAllowedUrl(url)) throw new Refusal('Agents may not use this page.');
  await grants.grant(tabId, { agent, isOpenedByAgent: false });
};

chrome.runtime.onMessage.addListener((message: PageRequest, sender, sendResponse) => {
  // Only pages of this extension can send messages; the check does not depend on the manifest.
  if (sender.id !== chrome.runtime.id || !sender.url?.startsWith(chrome.runtime.getURL('')))
    return false;
  serve(message).then(
    () => sendResponse({ state: describeState() } satisfies PageAnswer),
    (error: Error) =>
      sendResponse({ state: describeState(), error: error.message } satisfies PageAnswer),
  );
  return true;
});

const load = async (): Promise<void> => {
  const saved = (await chrome.storage.local.get('isStopped')) as { readonly isStopped?: boolean };
  isStopped = saved.isStopped ?? false;
  await grants.load();
};

grants.listen();
debuggees.listen();
const loaded = load();
// Starts the service worker again if Chrome ended it; a start connects the link.
void chrome.alarms.create('connect', { periodInMinutes: 0.5 });
chrome.alarms.onAlarm.addListener(() => void link.connect());
chrome.runtime.onStartup.addListener(() => void link.connect());
void link.start().then(showBadge);
