// The contract of those who want a say in a tab's requests: what they are told, and what they may
// answer.
import type { Protocol } from 'devtools-protocol';

export type ResourceType = Protocol.Network.ResourceType;
export type ErrorReason = Protocol.Network.ErrorReason;

/** Names to values; `null` removes a header. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

export interface PausedRequest {
  /** Chrome's id of the request, as the recorder knows it. */
  readonly requestId: string | undefined;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly postData: string | undefined;
  /** Chrome does not tell fetch() from XMLHttpRequest here: both are `XHR`. */
  readonly resourceType: ResourceType;
  readonly frameId: string;
  readonly stage: 'request' | 'response';
  /** Whether a redirect led here. */
  readonly redirected: boolean;
  /** At the response stage. */
  readonly status: number | undefined;
  readonly responseHeaders: readonly Protocol.Fetch.HeaderEntry[] | undefined;
}

export type InterceptVerdict =
  /** Let it go as it is, and ask no other handler. */
  | { readonly action: 'continue' }
  | { readonly action: 'fail'; readonly reason: ErrorReason }
  | {
      readonly action: 'fulfill';
      readonly status: number;
      readonly statusText?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Let it go changed: the first four at the request stage, the others at the response stage. */
  | {
      readonly action: 'continueWith';
      readonly url?: string;
      readonly method?: string;
      readonly headers?: HeaderChanges;
      readonly postData?: string | Uint8Array;
      readonly status?: number;
      readonly responseHeaders?: HeaderChanges;
    };

interface Registered {
  /** Who it is, in records and logs. */
  readonly name: string;
  /** Higher is asked first; among equals, who came first. */
  readonly priority?: number;
  /** URL patterns with `*` and `?`; all addresses when left out. */
  readonly patterns?: readonly string[];
  /** An answer that takes longer counts as an error. */
  readonly timeoutMs?: number;
}

export interface InterceptHandler extends Registered {
  /** All types when left out. */
  readonly resourceTypes?: readonly ResourceType[];
  /** `request` (default): before it is sent. `response`: when its headers are in. */
  readonly stage?: 'request' | 'response';
  /**
   * What becomes of a request on which the handler throws or stays silent: `continue` asks the next
   * handler.
   */
  readonly onError: 'continue' | 'fail';
  /**
   * Nothing returned means: no opinion, ask the next. The signal aborts when the answer is no
   * longer wanted.
   */
  readonly handle: (
    request: PausedRequest,
    signal: AbortSignal,
  ) => InterceptVerdict | undefined | Promise<InterceptVerdict | undefined>;
}

export interface AuthChallenge {
  readonly url: string;
  readonly origin: string;
  readonly scheme: string;
  readonly realm: string;
  readonly isProxy: boolean;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface AuthHandler extends Registered {
  /** Asked once for each request: credentials that were refused are not offered again. */
  readonly authenticate: (
    challenge: AuthChallenge,
    signal: AbortSignal,
  ) => Credentials | 'cancel' | undefined | Promise<Credentials | 'cancel' | undefined>;
}

export interface Registration {
  /**
   * Settles when every session of the tab asks the handler: a request sent after that cannot slip
   * by.
   */
  readonly ready: Promise<void>;
  /** Takes the handler out; requests that wait for its answer go on without it. */
  remove(): Promise<void>;
}

/** What a handler decided. */
export interface Decision {
  readonly by: string;
  readonly action: 'continue' | 'fulfill' | 'fail' | 'change';
  readonly stage: 'request' | 'response';
  readonly requestId: string | undefined;
  readonly url: string;
  /** The body that the page is given in place of the server's. */
  readonly body: string | Uint8Array | undefined;
}
