// A session: a named workspace that owns tabs and the popups they open.
import type { Tab } from './tab.ts';

export const DEFAULT_SESSION = 'default';

export class Session {
  /** In the order in which they were opened. */
  readonly tabs = new Map<string, Tab>();
  #currentId: string | undefined;
  /** Addresses of tabs that a Chrome took with it when it ended, until the host has been told. */
  lostTabs: string[] = [];

  constructor(readonly name: string) {}

  /** The tab that calls without a tabId mean; absent before the first one is opened. */
  get current(): Tab | undefined {
    return this.#currentId === undefined ? undefined : this.tabs.get(this.#currentId);
  }

  add(tab: Tab): void {
    this.tabs.set(tab.id, tab);
  }

  select(tab: Tab): void {
    this.#currentId = tab.id;
  }

  /** After the current tab is gone, the one opened last is current. */
  remove(tabId: string): void {
    this.tabs.delete(tabId);
    if (this.#currentId === tabId) this.#currentId = [...this.tabs.keys()].at(-1);
  }
}
