// The messages of the extension's own pages (popup, pairing, options) to its service worker.

export interface GrantedTab {
  readonly tabId: number;
  readonly title: string;
  readonly url: string;
  readonly agent: string;
  readonly isAttached: boolean;
  readonly lastAction?: string;
  /** Why Chrome does not let agents use the tab at the moment. */
  readonly problem?: string;
}

export interface AgentState {
  readonly name: string;
  readonly color: string;
  readonly isStopped: boolean;
  /** Whether the server of the agent is running. */
  readonly isConnected: boolean;
}

export interface ExtensionState {
  readonly port?: number;
  readonly isLinked: boolean;
  readonly isStopped: boolean;
  readonly tabs: readonly GrantedTab[];
  /** The agents to which the user can grant a tab. */
  readonly agents: readonly AgentState[];
}

export type PageRequest =
  | { readonly kind: 'state' }
  | { readonly kind: 'pair'; readonly port: number; readonly ticket: string }
  | { readonly kind: 'forget' }
  | { readonly kind: 'grant'; readonly tabId: number; readonly agent: string }
  | { readonly kind: 'revoke'; readonly tabId: number }
  /** All agents if `agent` is undefined. */
  | { readonly kind: 'stop' | 'resume'; readonly agent?: string };

export interface PageAnswer {
  readonly state: ExtensionState;
  readonly error?: string;
}
