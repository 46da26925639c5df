// The service worker: connects the link, the grants and Chrome's debugger, and serves the popup.
import { DEFAULT_AGENT, type MembersReport } from '../src/browser/extension/link-commands.ts';
import { defined } from '../src/core/defined.ts';
import { Agents } from './agents.ts';
import { Debuggees, type SendEvent } from './debuggees.ts';
import { DownloadReports } from './download-reports.ts';
import { type Grant, type GrantListener, Grants } from './grants.ts';
import { type Params, Refusal } from './guard.ts';
import { Link } from './link.ts';
import { isAllowedUrl } from './page-address.ts';
import type { AgentState, ExtensionState, PageAnswer, PageRequest } from './page-messages.ts';
import { RootCommands } from './root-commands.ts';

interface Command {
  readonly id: number;
  readonly method: string;
  readonly params?: Params;
  readonly sessionId?: string;
}

let isStopped = false;

const sendEvent: SendEvent = (memberId, method, params, sessionId) => {
  if (sessionId !== undefined) downloads.follow(memberId, method, params);
  link.send(memberId, { method, params, sessionId });
};

/** The commands of each server that shares the link. */
const roots = new Map<string, RootCommands>();
const agents: Agents = new Agents((name) => grants.listByAgent(name).length > 0);
const grantListener: GrantListener = {
  onGranted: (grant) => {
    findRoot(grant)?.reportGranted(grant);
    showBadge();
  },
  onChanged: (grant) => findRoot(grant)?.reportChanged(grant),
  onRevoked: (grant, reason) => {
    debuggees.detach(grant.tabId);
    findRoot(grant)?.reportRevoked(grant, reason);
    showBadge();
  },
};
const grants: Grants = new Grants(agents, grantListener, (agent) => requireRunning(agent));
const debuggees = new Debuggees(grants, sendEvent);
const downloads = new DownloadReports(sendEvent);

const findRoot = ({ agent }: Grant): RootCommands | undefined =>
  roots.get(agents.findMember(agent) ?? '');

const requireRoot = (memberId: string): RootCommands => {
  const known = roots.get(memberId);
  if (known) return known;
  const root = new RootCommands(memberId, { agents, grants, debuggees, downloads, sendEvent });
  roots.set(memberId, root);
  return root;
};

const followMembers = async (report: MembersReport): Promise<void> => {
  await loaded;
  const { members } = report;
  agents.setMembers(report);
  for (const memberId of members) requireRoot(memberId);
  for (const memberId of roots.keys()) {
    if (members.includes(memberId)) continue;
    roots.delete(memberId);
    debuggees.detachMember(memberId);
  }
};

const answer = async (
  memberId: string,
  { id, method, params = {}, sessionId }: Command,
): Promise<void> => {
  try {
    await loaded;
    const result =
      sessionId === undefined || method === 'Browser.getVersion'
        ? await requireRoot(memberId).run(method, params)
        : await debuggees.send(memberId, sessionId, method, params);
    link.send(memberId, { id, sessionId, result: result ?? {} });
  } catch (error) {
    link.send(memberId, { id, sessionId, error: describeError(error) });
  }
};

interface CommandError {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

/** Chrome reports errors of CDP commands as JSON texts. */
const describeError = (error: unknown): CommandError => {
  const { code = -32_000, message, data } = error as Partial<CommandError> & Error;
  if (message.startsWith('{')) return JSON.parse(message) as CommandError;
  return defined({ code, message, data });
};

const link = new Link({
  onMessage: (memberId, message) =>
    memberId === ''
      ? void followMembers(message as MembersReport)
      : void answer(memberId, message as Command),
  onOpen: () => showBadge(),
  onClose: () => {
    agents.loseLink();
    roots.clear();
    debuggees.detachAll();
    showBadge();
  },
});

const showBadge = (): void => {
  const count = grants.all.length;
  const text = isStopped ? 'off' : String(count || '');
  void chrome.action.setBadgeText({ text });
  void chrome.action.setBadgeBackgroundColor({ color: chooseBadgeColor() });
  void chrome.action.setTitle({ title: describeBadge(count) });
};

const chooseBadgeColor = (): string => {
  if (isStopped) return '#b3261e';
  return link.isOpen ? '#1a73e8' : '#80868b';
};

const describeBadge = (count: number): string => {
  if (isStopped) return 'OpenChrome: all agents are stopped';
  const tabs = count === 1 ? '1 tab' : `${count} tabs`;
  return count === 0 ? 'OpenChrome' : `OpenChrome: agents may use ${tabs}`;
};

/** The default agent is always listed, so that a tab can be granted before an agent works. */
const listAgents = (): readonly AgentState[] =>
  (agents.all.length > 0 ? agents.all : [agents.require(DEFAULT_AGENT)]).map((agent) => ({
    name: agent.name,
    color: agent.color,
    isStopped: agent.isStopped,
    isConnected: agents.isConnected(agent),
  }));

const describeState = (): ExtensionState => {
  const { pairing, isOpen } = link;
  return defined({
    port: pairing?.port,
    isLinked: isOpen,
    isStopped,
    agents: listAgents(),
    tabs: grants.all.map(({ tabId, title, url, agent, lastAction, problem }) =>
      defined({
        ...{ tabId, title, url, agent, lastAction, problem },
        isAttached: debuggees.isAttached(tabId),
      }),
    ),
  });
};

const stopAll = async (value: boolean): Promise<void> => {
  isStopped = value;
  await chrome.storage.local.set({ isStopped });
  if (isStopped) grants.revokeAll();
  else for (const { name } of agents.all) agents.stop(name, false);
  showBadge();
};

const stopAgent = (name: string): void => {
  agents.stop(name, true);
  grants.revokeAll(grants.listByAgent(name));
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
      return grants.revoke(message.tabId, 'stopped');
    case 'stop':
      return message.agent === undefined ? stopAll(true) : stopAgent(message.agent);
    case 'resume':
      return message.agent === undefined ? stopAll(false) : agents.stop(message.agent, false);
  }
};

const STOPPED_HINT = 'Do not continue in this Chrome until the user lets agents work again there.';

const requireRunning = (agent: string): void => {
  if (isStopped)
    throw new Refusal('The user has stopped all agents in the extension.', STOPPED_HINT);
  if (agents.find(agent)?.isStopped)
    throw new Refusal(`The user has stopped the agent "${agent}" in the extension.`, STOPPED_HINT);
};

const grantTab = async (tabId: number, agent: string): Promise<void> => {
  const { url } = await chrome.tabs.get(tabId);
  if (!isAllowedUrl(url)) throw new Refusal('Agents may not use this page.');
  if (agents.require(agent).isStopped) throw new Refusal('You have stopped this agent.');
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
  await agents.load();
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
