// A session: a named workspace that owns tabs and the popups they open.
import { Events } from '../../core/events.ts';
import type { Redactor } from '../../core/redactor.ts';
import { WorkspaceTraffic } from '../traffic/workspace-traffic.ts';
import type { DialogPolicy } from './dialog.ts';
import type { Tab } from './tab.ts';

export const DEFAULT_SESSION = 'default';

export class Session {
  /** In the order in which they were opened. */
  readonly tabs = new Map<string, Tab>();
  #currentId: string | undefined;
  readonly events = new Events<{ selected: Tab }>();
  /** The first tab while it is being opened, and the signal of the call that opens it. */
  opening: { readonly tab: Promise<Tab>; readonly signal: AbortSignal } | undefined;
  /** Addresses of tabs that a Chrome took with it when it ended, until the host has been told. */
  lostTabs: string[] = [];
  /**
   * The call before this one, by digests: what was asked, what was answered, and how often that
   * came in a row.
   */
  lastCall:
    | { readonly asked: string; readonly answered: string; readonly times: number }
    | undefined;

  /** What was copied in it last; Chrome has one clipboard for all sessions. */
  readonly clipboard: { text?: string } = {};

  /** What all its tabs asked for, closed ones included. */
  readonly traffic: WorkspaceTraffic;

  constructor(
    readonly name: string,
    redactor: Redactor,
    /** What is done with dialogs of its tabs. */
    public dialogs: DialogPolicy = 'ask',
  ) {
    this.traffic = new WorkspaceTraffic(redactor);
  }

  /** The tab that calls without a tabId mean; absent before the first one is opened. */
  get current(): Tab | undefined {
    return this.#currentId === undefined ? undefined : this.tabs.get(this.#currentId);
  }

  add(tab: Tab): void {
    this.tabs.set(tab.id, tab);
    tab.dialogPolicy = () => this.dialogs;
    this.traffic.follow(tab.traffic, tab.id, { late: !tab.ours });
  }

  select(tab: Tab): void {
    this.#currentId = tab.id;
    this.events.emit('selected', tab);
  }

  /** After the current tab is gone, the one opened last is current. */
  remove(tabId: string): void {
    const gone = this.tabs.get(tabId);
    if (gone) this.traffic.leave(gone.traffic);
    this.tabs.delete(tabId);
    if (this.#currentId === tabId) this.#currentId = [...this.tabs.keys()].at(-1);
  }
}
