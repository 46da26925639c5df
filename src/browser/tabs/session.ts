// A session: a named workspace that owns tabs and the popups they open.
import { Events } from '../../core/events.ts';
import type { Redactor } from '../../core/redactor.ts';
import { WorkspaceTraffic } from '../traffic/workspace-traffic.ts';
import type { Emulated } from '../state/emulation.ts';
import type { GrantEnd } from '../extension/link-commands.ts';
import type { DialogPolicy } from './dialog.ts';
import type { Tab } from './tab.ts';

export const DEFAULT_SESSION = 'default';

/**
 * `profile`: the cookies and storage of Chrome's profile, which persist. `own`: a browser context
 * of the session, whose data is deleted when the session is closed.
 */
export type SessionStorage = 'profile' | 'own';

interface SessionOptions {
  readonly redactor: Redactor;
  /** How dialogs in its tabs are answered. */
  readonly dialogs?: DialogPolicy;
  readonly storage?: SessionStorage;
  /** The session whose cookies and storage this session uses. */
  readonly within?: Session;
}

/** A tab of the user's own Chrome whose grant the user ended. */
interface EndedGrant {
  readonly url: string;
  readonly reason: GrantEnd;
}

/** A tab of a connection that was lost. */
export interface FormerTab {
  readonly id: string;
  readonly url: string;
  readonly ours: boolean;
  readonly shortId: string;
  readonly isCurrent: boolean;
}

export class Session {
  /** In the order in which they were opened. */
  readonly tabs = new Map<string, Tab>();
  /** `t1`, `t2`, ... by tabId, in the order of opening; a number is never used again. */
  readonly shortIds = new Map<string, string>();
  #opened = 0;
  #currentId: string | undefined;
  readonly events = new Events<{ selected: Tab }>();
  /** The first tab while it is being opened, and the signal of the call that opens it. */
  opening: { readonly tab: Promise<Tab>; readonly signal: AbortSignal } | undefined;
  /** URLs of the tabs that were lost when Chrome ended, until a reply has reported them. */
  lostTabs: string[] = [];
  /** Tabs whose grants the user ended, until a reply has reported them. */
  endedGrants: EndedGrant[] = [];
  /** The tabs before the connection to an attached Chrome was lost, until it is restored. */
  formerTabs: FormerTab[] = [];
  /** Why Chrome ended. */
  lostBecause: 'crash' | 'idle' = 'crash';
  /** Digests of the previous call's arguments and reply, and how often both repeated in a row. */
  lastCall:
    | { readonly asked: string; readonly answered: string; readonly times: number }
    | undefined;

  /** The name and version of the client that made the last call. */
  host: string | undefined;

  /** The text last copied in this session; Chrome has one clipboard for all sessions. */
  readonly clipboard: { text?: string } = {};

  /** The requests of all its tabs, including closed ones. */
  readonly traffic: WorkspaceTraffic;

  dialogs: DialogPolicy;
  readonly storage: SessionStorage;
  readonly within: Session | undefined;
  /** The browser context of a session with its own storage, once its first tab was requested. */
  context: Promise<string> | undefined;
  /** The id of the context, once it exists. */
  contextId: string | undefined;
  /** Settings for all its tabs, also for new ones and popups. */
  emulated: Emulated = {};
  /** Prepare each new tab and popup before its page loads. They must not reject. */
  readonly setups = new Set<(tab: Tab) => Promise<unknown>>();
  /** Set if its own storage was lost when Chrome ended, until a reply has reported it. */
  lostStorage = false;

  constructor(
    readonly name: string,
    { redactor, dialogs = 'ask', storage = 'profile', within }: SessionOptions,
  ) {
    this.dialogs = dialogs;
    this.within = within;
    this.storage = within?.storage ?? storage;
    this.traffic = new WorkspaceTraffic(redactor);
  }

  /** Its name if it has its own storage; undefined if it uses that of Chrome's profile. */
  get ownStorageName(): string | undefined {
    return this.storage === 'own' ? (this.within ?? this).name : undefined;
  }

  /** The tab for calls without a tabId; undefined before the first tab is opened. */
  get current(): Tab | undefined {
    return this.#currentId === undefined ? undefined : this.tabs.get(this.#currentId);
  }

  add(tab: Tab): void {
    this.tabs.set(tab.id, tab);
    if (!this.shortIds.has(tab.id)) this.shortIds.set(tab.id, `t${++this.#opened}`);
    tab.dialogPolicy = () => this.dialogs;
    this.traffic.follow(tab.traffic, tab.id, { late: !tab.ours });
  }

  /** Adds a tab again, with its former short id. */
  readopt(tab: Tab, { url, shortId, isCurrent }: FormerTab): void {
    if (shortId !== '') this.shortIds.set(tab.id, shortId);
    this.add(tab);
    if (isCurrent) this.select(tab);
    const at = this.lostTabs.indexOf(url);
    if (at >= 0) this.lostTabs.splice(at, 1);
  }

  endGrant(tabId: string, reason: GrantEnd): void {
    const url = this.tabs.get(tabId)?.url;
    if (url !== undefined) this.endedGrants.push({ url, reason });
  }

  /** Replaces a tab of this session by a new connection to the same tab. */
  replace(tab: Tab): void {
    const before = this.tabs.get(tab.id);
    if (before) this.traffic.leave(before.traffic);
    this.add(tab);
  }

  select(tab: Tab): void {
    this.#currentId = tab.id;
    this.events.emit('selected', tab);
  }

  /** Finds a tab of this session by its tabId or its short id. */
  findTab(id: string): Tab | undefined {
    const own = this.tabs.get(id);
    return own ?? [...this.tabs.values()].find((tab) => this.shortIds.get(tab.id) === id);
  }

  /** If the current tab is removed, the tab opened last becomes current. */
  remove(tabId: string): void {
    const gone = this.tabs.get(tabId);
    if (gone) this.traffic.leave(gone.traffic);
    this.tabs.delete(tabId);
    this.shortIds.delete(tabId);
    if (this.#currentId === tabId) this.#currentId = [...this.tabs.keys()].at(-1);
  }
}
