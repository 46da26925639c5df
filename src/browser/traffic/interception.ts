// Owns request interception in a tab, so that guard, mocks and authentication do not conflict.
import { valueIf } from '../../core/defined.ts';
import type { Protocol } from 'devtools-protocol';
import { detach } from '../../core/events.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { CdpError, isGone, isUnknownCommand } from '../cdp/errors.ts';
import { BoundedMap } from './bounded-collections.ts';
import {
  type AuthChallenge,
  type AuthHandler,
  type Credentials,
  type Decision,
  type InterceptHandler,
  type InterceptVerdict,
  type PausedRequest,
  type Registration,
  sendVerdict,
  toPausedRequest,
} from './intercept-handler.ts';
import { toUrlMatcher } from './request-match.ts';

type PausedEvent = EventParams<'Fetch.requestPaused'>;
type Pattern = Protocol.Fetch.RequestPattern;

export interface InterceptionOptions {
  /**
   * Called with every verdict before it is sent to Chrome, so that the recorder can mark the
   * request. Must not throw.
   */
  readonly onDecision?: (decision: Decision) => void;
  /**
   * Called if a handler threw or timed out; its `onError` decided about the request. Must not
   * throw.
   */
  readonly onHandlerError?: (name: string, error: unknown) => void;
}

/** A registered handler; aborted when it is removed. */
interface InterceptEntry<H> {
  readonly handler: H;
  readonly matches: (url: string) => boolean;
  readonly removed: AbortController;
}

/** The interception settings of a session. */
interface Configured {
  /** The parameters of Fetch.enable as JSON; '' while interception is off. */
  readonly wanted: string;
  done: Promise<void>;
  confirmed: boolean;
}

const DEFAULT_TIMEOUT_MS = 5_000;
/** Number of authentication challenges remembered, to detect a second one of the same request. */
const MAX_ATTEMPTS = 200;

export class Interception {
  readonly #options: InterceptionOptions;
  readonly #sessions = new Map<CdpSession, Configured | undefined>();
  /** Worker sessions: some have no Fetch domain, and the page's session pauses their requests. */
  readonly #workers = new WeakSet<CdpSession>();
  #handlers: InterceptEntry<InterceptHandler>[] = [];
  #authHandlers: InterceptEntry<AuthHandler>[] = [];
  readonly #attempts = new BoundedMap<string, Set<AuthHandler>>(MAX_ATTEMPTS);

  constructor(options: InterceptionOptions = {}) {
    this.#options = options;
  }

  /** Whether any handler is registered. */
  get active(): boolean {
    return this.#handlers.length + this.#authHandlers.length > 0;
  }

  /**
   * Adds a session before its target runs; rejects with `control_failed` if Chrome does not enable
   * a required interception.
   */
  async watch(session: CdpSession, { isWorker = false } = {}): Promise<void> {
    if (isWorker) this.#workers.add(session);
    session.on('Fetch.requestPaused', (event) => detach(this.#paused(event, session)));
    session.on('Fetch.authRequired', (event) => detach(this.#challenged(event, session)));
    session.onClose(() => this.#sessions.delete(session));
    this.#sessions.set(session, undefined);
    await this.#configure(session);
  }

  /** The number of watched sessions, and of those that Chrome has confirmed to intercept. */
  get coverage(): { readonly sessions: number; readonly paused: number } {
    const all = [...this.#sessions.values()];
    return {
      sessions: all.length,
      paused: all.filter((one) => one?.confirmed && one.wanted !== '').length,
    };
  }

  add(handler: InterceptHandler): Registration {
    const entry = toEntry(handler);
    this.#handlers = byPriority([...this.#handlers, entry]);
    return this.#register(entry, () => {
      this.#handlers = this.#handlers.filter((other) => other !== entry);
    });
  }

  addAuth(handler: AuthHandler): Registration {
    const entry = toEntry(handler);
    this.#authHandlers = byPriority([...this.#authHandlers, entry]);
    return this.#register(entry, () => {
      this.#authHandlers = this.#authHandlers.filter((other) => other !== entry);
    });
  }

  /** Removes all handlers; paused requests continue. */
  async dispose(): Promise<void> {
    const entries = [...this.#handlers, ...this.#authHandlers];
    this.#handlers = [];
    this.#authHandlers = [];
    for (const { removed } of entries) removed.abort(REMOVED);
    await this.#configureAll();
  }

  #register(entry: InterceptEntry<unknown>, take: () => void): Registration {
    const ready = this.#configureAll();
    // A caller that does not await `ready` gets the failure from the next configuration.
    ready.catch(() => {});
    return {
      ready,
      remove: async () => {
        take();
        entry.removed.abort(REMOVED);
        await this.#configureAll();
      },
    };
  }

  async #configureAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((session) => this.#configure(session)));
  }

  /** Enabled only while handlers exist: each paused request costs a round trip. */
  async #configure(session: CdpSession): Promise<void> {
    const params = this.active
      ? { patterns: this.#patterns(), handleAuthRequests: this.#authHandlers.length > 0 }
      : undefined;
    const wanted = params ? JSON.stringify(params) : '';
    const before = this.#sessions.get(session);
    if (before?.wanted === wanted) return before.done;
    if (!before && wanted === '') return;
    const configured: Configured = { wanted, confirmed: false, done: Promise.resolve() };
    this.#sessions.set(session, configured);
    configured.done = this.#send(session, params, configured);
    return configured.done;
  }

  async #send(
    session: CdpSession,
    params: Protocol.Fetch.EnableRequest | undefined,
    configured: Configured,
  ): Promise<void> {
    try {
      await (params ? session.send('Fetch.enable', params) : session.send('Fetch.disable'));
      configured.confirmed = true;
    } catch (error) {
      if (
        isGone(error) ||
        session.closed ||
        (isUnknownCommand(error) && this.#workers.has(session))
      )
        return;
      // The next configuration tries again.
      if (this.#sessions.get(session) === configured) this.#sessions.set(session, undefined);
      // If Chrome does not disable the interception, requests are still paused and judged: that is
      // not a hole.
      if (params)
        throw fail(
          'control_failed',
          `Chrome did not enable request interception: ${String(error)}.`,
          {},
          error,
        );
    }
  }

  #patterns(): Pattern[] {
    const patterns = new Map<string, Pattern>();
    const add = (pattern: Pattern): void => void patterns.set(JSON.stringify(pattern), pattern);
    for (const { handler } of this.#handlers) {
      const requestStage = handler.stage === 'response' ? 'Response' : 'Request';
      for (const urlPattern of handler.patterns ?? ['*']) {
        if (!handler.resourceTypes) add({ urlPattern, requestStage });
        else
          for (const type of handler.resourceTypes)
            add({ urlPattern, requestStage, resourceType: toFetchType(type) });
      }
    }
    for (const { handler } of this.#authHandlers)
      for (const urlPattern of handler.patterns ?? ['*'])
        add({ urlPattern, requestStage: 'Request' });
    return [...patterns.values()];
  }

  async #paused(event: PausedEvent, session: CdpSession): Promise<void> {
    const request = toPausedRequest(event);
    for (const entry of this.#handlers) {
      if (!concerns(entry, request)) continue;
      const verdict = await this.#ask(entry, request);
      if (verdict)
        return this.#carryOut(
          await this.#agreed(verdict, entry, request),
          entry.handler,
          event,
          request,
          session,
        );
    }
    await settle(session, event, request, { action: 'continue' });
  }

  /**
   * Chrome does not pause a request again after a handler changed its URL, so handlers with a
   * higher priority check the new URL here.
   */
  async #agreed(
    verdict: InterceptVerdict,
    by: InterceptEntry<InterceptHandler>,
    request: PausedRequest,
  ): Promise<InterceptVerdict> {
    if (verdict.action !== 'continueWith' || verdict.url === undefined) return verdict;
    const changed = { ...request, url: verdict.url };
    for (const entry of this.#handlers.slice(0, this.#handlers.indexOf(by))) {
      const refusal = concerns(entry, changed) ? await this.#ask(entry, changed) : undefined;
      if (refusal?.action === 'fail') return refusal;
    }
    return verdict;
  }

  async #ask(
    entry: InterceptEntry<InterceptHandler>,
    request: PausedRequest,
  ): Promise<InterceptVerdict | undefined> {
    const answer = await this.#within(entry, (signal) => entry.handler.handle(request, signal));
    if (answer !== FAULTY) return answer;
    return valueIf(entry.handler.onError === 'fail', REFUSE);
  }

  /**
   * Runs a handler within its timeout. FAULTY if it threw or timed out, undefined if it was
   * removed.
   */
  async #within<A>(
    entry: InterceptEntry<InterceptHandler | AuthHandler>,
    ask: (signal: AbortSignal) => A | Promise<A>,
  ): Promise<A | undefined | typeof FAULTY> {
    const { name, timeoutMs = DEFAULT_TIMEOUT_MS } = entry.handler;
    const late = (): Failure =>
      fail('timeout', `The handler "${name}" did not return within ${timeoutMs} ms.`);
    using deadline = new Deadline(timeoutMs, late, entry.removed.signal);
    if (entry.removed.signal.aborted) return undefined;
    try {
      return await abortable((async () => ask(deadline.signal))(), deadline.signal);
    } catch (error) {
      if (entry.removed.signal.aborted) return undefined;
      this.#options.onHandlerError?.(name, error);
      return FAULTY;
    }
  }

  async #carryOut(
    verdict: InterceptVerdict,
    handler: InterceptHandler,
    event: PausedEvent,
    request: PausedRequest,
    session: CdpSession,
  ): Promise<void> {
    this.#report(handler, request, verdict);
    const refusal = await settle(session, event, request, verdict);
    if (!refusal) return;
    // Chrome rejected the verdict, for example because of an invalid header; the request is still
    // paused.
    this.#options.onHandlerError?.(handler.name, refusal);
    const instead: InterceptVerdict = handler.onError === 'fail' ? REFUSE : { action: 'continue' };
    this.#report(handler, request, instead);
    await settle(session, event, request, instead);
  }

  #report(
    { name }: InterceptHandler,
    { requestId, url, stage }: PausedRequest,
    verdict: InterceptVerdict,
  ): void {
    const body = verdict.action === 'fulfill' ? verdict.body : undefined;
    // At the response stage, a verdict without a body keeps the server's body, so it counts as a
    // change.
    const isChange =
      verdict.action === 'continueWith' ||
      (verdict.action === 'fulfill' && stage === 'response' && body === undefined);
    const action = isChange ? 'change' : verdict.action;
    this.#options.onDecision?.({ by: name, action, stage, requestId, url, body });
  }

  async #challenged(event: EventParams<'Fetch.authRequired'>, session: CdpSession): Promise<void> {
    const authChallengeResponse = await this.#answerChallenge(
      event,
      `${session.id} ${event.requestId}`,
    );
    await session
      .send('Fetch.continueWithAuth', { requestId: event.requestId, authChallengeResponse })
      .catch(() => {});
  }

  async #answerChallenge(
    event: EventParams<'Fetch.authRequired'>,
    key: string,
  ): Promise<Protocol.Fetch.AuthChallengeResponse> {
    const { origin, scheme, realm, source } = event.authChallenge;
    const challenge: AuthChallenge = {
      url: event.request.url,
      origin,
      scheme,
      realm,
      isProxy: source === 'Proxy',
    };
    const tried = this.#attemptsOf(key);
    for (const entry of this.#authHandlers) {
      if (tried.has(entry.handler) || !entry.matches(challenge.url)) continue;
      const answer = await this.#within<Credentials | 'cancel' | undefined>(entry, (signal) =>
        entry.handler.authenticate(challenge, signal),
      );
      if (answer === 'cancel') return { response: 'CancelAuth' };
      if (!answer || answer === FAULTY) continue;
      tried.add(entry.handler);
      return {
        response: 'ProvideCredentials',
        username: answer.username,
        password: answer.password,
      };
    }
    // If credentials were rejected, the page gets the 401. If no handler had any, Chrome uses its
    // default.
    return { response: tried.size > 0 ? 'CancelAuth' : 'Default' };
  }

  #attemptsOf(key: string): Set<AuthHandler> {
    const tried = this.#attempts.get(key) ?? new Set<AuthHandler>();
    this.#attempts.set(key, tried);
    return tried;
  }
}

const FAULTY = Symbol('faulty');
const REMOVED = fail('cancelled', 'The handler was removed.');
const REFUSE: InterceptVerdict = { action: 'fail', reason: 'BlockedByClient' };

/** Chrome reports fetch() as XHR here. */
const toFetchType = (type: Protocol.Network.ResourceType): Protocol.Network.ResourceType =>
  type === 'Fetch' ? 'XHR' : type;

const toEntry = <H extends { readonly patterns?: readonly string[] }>(
  handler: H,
): InterceptEntry<H> => {
  const matchers = (handler.patterns ?? ['*']).map(toUrlMatcher);
  return {
    handler,
    matches: (url) => matchers.some((matches) => matches(url)),
    removed: new AbortController(),
  };
};

const byPriority = <H extends { readonly priority?: number }>(
  entries: InterceptEntry<H>[],
): InterceptEntry<H>[] =>
  entries.sort((a, b) => (b.handler.priority ?? 0) - (a.handler.priority ?? 0));

const concerns = (
  { handler, matches }: InterceptEntry<InterceptHandler>,
  request: PausedRequest,
): boolean =>
  (handler.stage ?? 'request') === request.stage &&
  (!handler.resourceTypes ||
    handler.resourceTypes.some((type) => toFetchType(type) === request.resourceType)) &&
  matches(request.url);

/** Chrome's errors if the request does not wait for a verdict any more. */
const NOT_WAITING = /Invalid InterceptionId|Fetch domain is not enabled/i;

/**
 * Sends the verdict; returns Chrome's error, or undefined if it was accepted or the request is
 * gone.
 */
const settle = async (
  session: CdpSession,
  event: PausedEvent,
  request: PausedRequest,
  verdict: InterceptVerdict,
): Promise<CdpError | undefined> => {
  try {
    await sendVerdict(session, event, request.stage, verdict);
    return undefined;
  } catch (error) {
    return error instanceof CdpError && !NOT_WAITING.test(error.message) ? error : undefined;
  }
};
