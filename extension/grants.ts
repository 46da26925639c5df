// The tabs that agents may use, in one tab group per agent; kept until Chrome ends.
import type { GrantEnd } from '../src/browser/extension/link-commands.ts';
import type { Agents } from './agents.ts';
import { isAllowedUrl } from './page-address.ts';

export interface Grant {
  readonly tabId: number;
  /** The id of the tab in CDP. */
  readonly targetId: string;
  readonly agent: string;
  /** Whether an agent, or a page of an agent's tab, opened the tab; other tabs are not closed. */
  readonly isOpenedByAgent: boolean;
  readonly openerId?: string;
  url: string;
  title: string;
  /** Whether the tab is in the group of its agent; windows of popups have no groups. */
  isGrouped: boolean;
  lastAction?: string;
  /** Why Chrome does not let agents use the tab at the moment. */
  problem?: string;
}

export interface GrantListener {
  readonly onGranted: (grant: Grant) => void;
  readonly onChanged: (grant: Grant) => void;
  /** `reason`: undefined if the tab was closed. */
  readonly onRevoked: (grant: Grant, reason?: GrantEnd) => void;
}

interface GrantOptions {
  readonly agent: string;
  readonly isOpenedByAgent: boolean;
  readonly openerId?: string;
}

/** Throws if the user has stopped the agent. */
type RequireRunning = (agent: string) => void;

const NO_GROUP = -1;

export class Grants {
  readonly #byTab = new Map<number, Grant>();
  readonly #agents: Agents;
  readonly #listener: GrantListener;
  readonly #requireRunning: RequireRunning;
  /** The changes of groups by this class, one after the other. */
  #grouping: Promise<unknown> = Promise.resolve();

  constructor(agents: Agents, listener: GrantListener, requireRunning: RequireRunning) {
    this.#agents = agents;
    this.#listener = listener;
    this.#requireRunning = requireRunning;
  }

  get all(): readonly Grant[] {
    return [...this.#byTab.values()];
  }

  listByAgent(agent: string): readonly Grant[] {
    return this.all.filter((grant) => grant.agent === agent);
  }

  findByTab(tabId: number): Grant | undefined {
    return this.#byTab.get(tabId);
  }

  /** Restores the grants after the service worker has restarted. */
  async load(): Promise<void> {
    const { grants = [] } = (await chrome.storage.session.get('grants')) as { grants?: Grant[] };
    for (const grant of grants) {
      const tab = await chrome.tabs.get(grant.tabId).catch(() => undefined); // closed meanwhile
      const isGranted = tab && (!grant.isGrouped || this.#findAgent(tab.groupId) === grant.agent);
      // The service worker may have ended while the debugger was attached.
      await chrome.debugger.detach({ tabId: grant.tabId }).catch(() => {}); // it is not attached
      if (isGranted) this.#byTab.set(grant.tabId, { ...grant, ...readPage(tab) });
    }
  }

  listen(): void {
    chrome.tabs.onRemoved.addListener((tabId) => this.#remove(tabId));
    chrome.tabs.onReplaced.addListener((_, removedId) => this.#remove(removedId));
    chrome.tabs.onUpdated.addListener((tabId, change, tab) => {
      const grant = this.#byTab.get(tabId);
      // A tab of the group that showed a page of Chrome is granted when it shows another page.
      const isOtherPage = !grant && change.url !== undefined;
      if (change.groupId !== undefined || isOtherPage) void this.#followGroup(tabId);
      if (!grant || (change.url === undefined && change.title === undefined)) return;
      this.update(grant, readPage(tab));
    });
    chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => {
      const opener = this.#byTab.get(sourceTabId);
      if (opener) void this.#grantPopup(tabId, opener);
    });
  }

  update(grant: Grant, page: Partial<Grant>): void {
    Object.assign(grant, page);
    this.#save();
    this.#listener.onChanged(grant);
  }

  /** Opens a tab in the background, in the group of the agent. */
  async open(agent: string): Promise<Grant> {
    this.#requireRunning(agent);
    const tab = await createTab();
    const tabId = tab.id ?? chrome.tabs.TAB_ID_NONE;
    try {
      const grant = await this.grant(tabId, { agent, isOpenedByAgent: true });
      await this.#grouping;
      this.#requireRunning(agent);
      return grant;
    } catch (error) {
      await chrome.tabs.remove(tabId).catch(() => {}); // the user has closed it
      throw error;
    }
  }

  async grant(tabId: number, { agent, ...options }: GrantOptions): Promise<Grant> {
    const known = this.#byTab.get(tabId);
    if (known) return known;
    const [tab, targets] = await Promise.all([
      chrome.tabs.get(tabId),
      chrome.debugger.getTargets(),
    ]);
    const target = targets.find((one) => one.tabId === tabId && one.type === 'page');
    if (!target) throw new Error('The tab has no page.');
    const racing = this.#byTab.get(tabId);
    if (racing) return racing;
    this.#requireRunning(agent);
    const grant: Grant = {
      tabId,
      targetId: target.id,
      agent,
      isGrouped: false,
      ...options,
      ...readPage(tab),
    };
    this.#byTab.set(tabId, grant);
    this.#grouping = this.#grouping.then(() => this.#group(grant, tab.groupId));
    this.#save();
    this.#listener.onGranted(grant);
    return grant;
  }

  /** Ends a grant. The tab stays open and leaves the group. */
  revoke(tabId: number, reason: GrantEnd): void {
    const grant = this.#byTab.get(tabId);
    this.#remove(tabId, reason);
    if (grant?.isGrouped) chrome.tabs.ungroup(tabId).catch(() => {}); // it is closed or ungrouped
  }

  revokeAll(grants: readonly Grant[] = this.all): void {
    for (const { tabId } of grants) this.revoke(tabId, 'stopped');
  }

  #remove(tabId: number, reason?: GrantEnd): void {
    const grant = this.#byTab.get(tabId);
    if (!grant) return;
    this.#byTab.delete(tabId);
    this.#save();
    this.#listener.onRevoked(grant, reason);
  }

  async #grantPopup(tabId: number, { agent, targetId }: Grant): Promise<void> {
    const options = { agent, isOpenedByAgent: true, openerId: targetId };
    await this.grant(tabId, options).catch(() => {}); // the popup was closed at once
  }

  async #group(grant: Grant, currentGroup: number): Promise<void> {
    const { tabId, agent } = grant;
    const isGranted = (): boolean => this.#byTab.get(tabId) === grant;
    try {
      const isInGroup = currentGroup !== NO_GROUP && this.#findAgent(currentGroup) === agent;
      if (!isInGroup && isGranted()) await this.#joinGroup(tabId, agent);
      grant.isGrouped = isGranted();
      // A tab in the group would be granted again.
      if (!isGranted()) await chrome.tabs.ungroup(tabId);
    } catch {
      grant.isGrouped = false; // the window has no groups, or the tab is closed
    }
    this.#save();
  }

  async #joinGroup(tabId: number, name: string): Promise<void> {
    const agent = this.#agents.require(name);
    const known = agent.groupId;
    const exists =
      known !== undefined && (await chrome.tabGroups.get(known).catch(() => undefined));
    if (exists) return void (await chrome.tabs.group({ tabIds: [tabId], groupId: known }));
    const { windowId } = await chrome.tabs.get(tabId);
    const groupId = await chrome.tabs.group({ tabIds: [tabId], createProperties: { windowId } });
    agent.groupId = groupId;
    this.#agents.save();
    await chrome.tabGroups.update(groupId, { title: name, color: agent.color });
  }

  /** The user dragged a tab into the group of an agent, or out of it. */
  async #followGroup(tabId: number): Promise<void> {
    await this.#grouping;
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    if (!tab) return;
    const agent = this.#findAgent(tab.groupId);
    const grant = this.#byTab.get(tabId);
    if (grant?.isGrouped && grant.agent !== agent) this.#remove(tabId, 'ungrouped');
    if (agent !== undefined && !this.#byTab.has(tabId) && isAllowedUrl(tab.url))
      await this.grant(tabId, { agent, isOpenedByAgent: false }).catch(() => {}); // it is closed
  }

  #findAgent(groupId: number): string | undefined {
    return this.#agents.findByGroup(groupId)?.name;
  }

  #save(): void {
    void chrome.storage.session.set({ grants: this.all });
  }
}

const readPage = ({ url = '', title = '' }: chrome.tabs.Tab): Pick<Grant, 'url' | 'title'> => ({
  url,
  title,
});

/** Never takes the focus. If Chrome has no window, it opens one in the background. */
const createTab = async (): Promise<chrome.tabs.Tab> => {
  const windows = await chrome.windows.getAll({ windowTypes: ['normal'] });
  const open =
    windows.find(({ focused }) => focused) ?? windows.find(({ incognito }) => !incognito);
  if (open?.id !== undefined && !open.incognito)
    return chrome.tabs.create({ url: 'about:blank', active: false, windowId: open.id });
  const created = await chrome.windows.create({ url: 'about:blank', focused: false });
  const [tab] = created?.tabs ?? [];
  if (!tab) throw new Error('Chrome opened no window.');
  return tab;
};
