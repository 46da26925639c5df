// The interface of interception handlers: the paused request, the verdicts and their CDP commands.
import type { Protocol } from 'devtools-protocol';
import { defined, ifDefined } from '../../core/defined.ts';
import type { CdpSession } from '../cdp/connection.ts';

export type ResourceType = Protocol.Network.ResourceType;
type ErrorReason = Protocol.Network.ErrorReason;

/** Header names to values; `null` removes a header. */
export type HeaderChanges = Readonly<Record<string, string | null>>;

export interface PausedRequest {
  /** Chrome's request id, as in the recorder. */
  readonly requestId: string | undefined;
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly postData: string | undefined;
  /** Also true if the body is too large to be included. */
  readonly hasBody: boolean;
  /** Chrome reports both fetch() and XMLHttpRequest as `XHR` here. */
  readonly resourceType: ResourceType;
  readonly frameId: string;
  readonly stage: 'request' | 'response';
  /** Whether the request follows a redirect. */
  readonly redirected: boolean;
  /** Set only if the request is paused at the response stage. */
  readonly status: number | undefined;
  readonly responseHeaders: readonly Protocol.Fetch.HeaderEntry[] | undefined;
}

export type InterceptVerdict =
  /** Continue unchanged, without calling further handlers. */
  | { readonly action: 'continue' }
  | { readonly action: 'fail'; readonly reason: ErrorReason }
  | {
      readonly action: 'fulfill';
      readonly status: number;
      readonly statusText?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /**
   * Continue with changes: the first four at the request stage, the others at the response stage.
   */
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
  /** Name in records and logs. */
  readonly name: string;
  /** Handlers with a higher priority run first; equal priorities run in order of registration. */
  readonly priority?: number;
  /** URL patterns with `*` and `?`; all URLs if undefined. */
  readonly patterns?: readonly string[];
  /** A handler that takes longer counts as failed. */
  readonly timeoutMs?: number;
}

export interface InterceptHandler extends Registered {
  /** All types if undefined. */
  readonly resourceTypes?: readonly ResourceType[];
  /** `request` (default): before it is sent. `response`: when its headers have arrived. */
  readonly stage?: 'request' | 'response';
  /**
   * If the handler throws or times out: `continue` calls the next handler, `fail` fails the
   * request.
   */
  readonly onError: 'continue' | 'fail';
  /**
   * Returns undefined to pass on to the next handler. The signal aborts when the result is no
   * longer needed.
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
  /** Called once per request: credentials that were rejected are not sent again. */
  readonly authenticate: (
    challenge: AuthChallenge,
    signal: AbortSignal,
  ) => Credentials | 'cancel' | undefined | Promise<Credentials | 'cancel' | undefined>;
}

export interface Registration {
  /** Resolves when all sessions of the tab intercept: every later request reaches the handler. */
  readonly ready: Promise<void>;
  /** Removes the handler; requests that wait for it continue without it. */
  remove(): Promise<void>;
}

/** The verdict of a handler. */
export interface Decision {
  readonly by: string;
  readonly action: 'continue' | 'fulfill' | 'fail' | 'change';
  readonly stage: 'request' | 'response';
  readonly requestId: string | undefined;
  readonly url: string;
  /** The response body that replaces the server's. */
  readonly body: string | Uint8Array | undefined;
}

// Converts a handler's verdict to the CDP command for its stage.

type PausedRequestEvent = Protocol.Fetch.RequestPausedEvent;
type HeaderEntry = Protocol.Fetch.HeaderEntry;

export const toPausedRequest = (event: PausedRequestEvent): PausedRequest => ({
  requestId: event.networkId,
  url: event.request.url,
  method: event.request.method,
  headers: event.request.headers,
  postData: event.request.postData,
  hasBody: event.request.hasPostData === true,
  resourceType: event.resourceType,
  frameId: event.frameId,
  stage:
    event.responseStatusCode === undefined && event.responseErrorReason === undefined
      ? 'request'
      : 'response',
  redirected: event.redirectedRequestId !== undefined,
  status: event.responseStatusCode,
  responseHeaders: event.responseHeaders,
});

export const sendVerdict = (
  session: CdpSession,
  paused: PausedRequestEvent,
  stage: PausedRequest['stage'],
  verdict: InterceptVerdict,
): Promise<void> => {
  const { requestId } = paused;
  if (verdict.action === 'continue') return session.send('Fetch.continueRequest', { requestId });
  if (verdict.action === 'fail')
    return session.send('Fetch.failRequest', { requestId, errorReason: verdict.reason });
  if (verdict.action === 'fulfill') return fulfill(session, requestId, verdict);
  return stage === 'request'
    ? continueRequest(session, paused, verdict)
    : continueResponse(session, paused, verdict);
};

const fulfill = (
  session: CdpSession,
  requestId: string,
  answer: Extract<InterceptVerdict, { action: 'fulfill' }>,
): Promise<void> =>
  session.send(
    'Fetch.fulfillRequest',
    defined({
      requestId,
      responseCode: answer.status,
      responseHeaders: toEntries(answer.headers ?? {}),
      responsePhrase: answer.statusText,
      body: ifDefined(answer.body, toBase64),
    }),
  );

type ChangeVerdict = Extract<InterceptVerdict, { action: 'continueWith' }>;

const continueRequest = (
  session: CdpSession,
  { requestId, request }: PausedRequestEvent,
  change: ChangeVerdict,
): Promise<void> =>
  session.send(
    'Fetch.continueRequest',
    defined({
      requestId,
      url: change.url,
      method: change.method,
      postData: ifDefined(change.postData, toBase64),
      headers: change.headers
        ? applyChanges(toEntries(request.headers), change.headers)
        : undefined,
    }),
  );

const continueResponse = (
  session: CdpSession,
  paused: PausedRequestEvent,
  { status, responseHeaders }: ChangeVerdict,
): Promise<void> =>
  session.send('Fetch.continueResponse', {
    requestId: paused.requestId,
    // Chrome requires status and headers together.
    responseCode: status ?? paused.responseStatusCode ?? 200,
    responseHeaders: applyChanges(paused.responseHeaders ?? [], responseHeaders ?? {}),
  });

/** Applies header changes; names are case-insensitive. */
const applyChanges = (entries: readonly HeaderEntry[], changes: HeaderChanges): HeaderEntry[] => {
  const touched = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const kept = entries.filter(({ name }) => !touched.has(name.toLowerCase()));
  const set = Object.entries(changes).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value }],
  );
  return [...kept, ...set];
};

const toEntries = (headers: Readonly<Record<string, string>>): HeaderEntry[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const toBase64 = (body: string | Uint8Array): string =>
  Buffer.from(body as string).toString('base64');
