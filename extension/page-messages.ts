// The messages of the extension's own pages (popup, pairing, options) to its service worker.

export interface GrantedTab {
  readonly tabId: number;
  readonly title: string;
  readonly url: string;
  readonly agent: string;
  readonly color: string;
  readonly isAttached: boolean;
  readonly lastAction?: string;
}

export interface ExtensionState {
  readonly port?: number;
  readonly isLinked: boolean;
  readonly isStopped: boolean;
  readonly tabs: readonly GrantedTab[];
  /** The agents to which the user can grant a tab. */
  readonly agents: readonly string[];
}

export type PageRequest =
  | { readonly kind: 'state' }
  | { readonly kind: 'pair'; readonly port: number; readonly ticket: string }
  | { readonly kind: 'forget' }
  | { readonly kind: 'grant'; readonly tabId: number; readonly agent: string }
  | { readonly kind: 'revoke'; readonly tabId: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'resume' };

export interface PageAnswer {
  readonly state: ExtensionState;
  readonly error?: string;
}

export const request = (message: PageRequest): Promise<PageAnswer> =>
  chrome.runtime.sendMessage<PageRequest, PageAnswer>(message);
