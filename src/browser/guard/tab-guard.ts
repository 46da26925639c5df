// Applies the domain policy to one tab: checks requests, sets socket rules, reports refusals.
import type { Protocol } from 'devtools-protocol';
import { listDefined } from '../../core/collections.ts';
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { type DomainPolicy, type DomainRefusal, meansThisMachine } from '../../policy/domains.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { isGone, isUnknownCommand } from '../cdp/errors.ts';
import type {
  PausedRequest,
  Registration,
  InterceptVerdict,
} from '../traffic/intercept-handler.ts';
import { CLIENT_CERT_NEEDED, MISSING_CLIENT, REJECTED_CLIENT } from '../tabs/load-failure.ts';
import type { Interception } from '../traffic/interception.ts';
import type { RequestRecord } from '../traffic/request-record.ts';
import type { Traffic } from '../traffic/traffic.ts';
import type { Asker } from './admission.ts';
import type { BrowserGuard } from './browser-guard.ts';
import type { DomainGuard, GuardRefusal } from './domain-guard.ts';
import { buildSocketRules } from './socket-rules.ts';

interface TabGuardParts {
  readonly tabId: string;
  readonly openerId: string | undefined;
  readonly guard: DomainGuard;
  readonly traffic: Traffic;
  readonly interception: Interception;
  /** Checks the requests that the tab does not intercept; absent in a Chrome of the user. */
  readonly browserGuard: BrowserGuard | undefined;
}

/** The emulated network speed of the tab. */
export type NetworkSpeed = Protocol.Network.EmulateNetworkConditionsRequest;

const NAME = 'guard';
/** The restrictions of one tab that Chrome has confirmed. */
export interface TabControls {
  /** Whether the tab's policy restricts host names. */
  readonly restricted: boolean;
  /**
   * The number of sessions (page, frames, workers), and how many of them intercept requests and
   * have socket rules.
   */
  readonly sessions: number;
  readonly intercepted: number;
  readonly socketRules: number;
  readonly failure?: string;
}

/** Runs before all other interception handlers. */
const PRIORITY = 1_000_000;
/** Maximum number of refusals kept for the next reply; further ones are only counted. */
const MAX_UNTOLD = 200;
/** Chrome's error for every connection that the proxy does not establish. */
const PROXY_ERROR = /ERR_SOCKS_CONNECTION_(?:FAILED|HOST_UNREACHABLE)/;
const BAD_CLIENT_CERT = 'ERR_BAD_SSL_CLIENT_AUTH_CERT';
/** Chrome's errors for a connection that ended before the response. */
const ENDED_BY_SERVER =
  /ERR_(?:EMPTY_RESPONSE|CONNECTION_(?:CLOSED|RESET)|SOCKET_NOT_CONNECTED|SSL_PROTOCOL_ERROR)$/;
/** Chrome's errors for a connection that the proxy refused. */
const REFUSED_BY_PROXY = /ERR_(?:SOCKS|BAD_SSL)_\w{1,40}$/;
/** The proxy reports these codes for connections that it established. */
const CLIENT_ERRORS: ReadonlySet<string> = new Set([REJECTED_CLIENT, MISSING_CLIENT]);

export class TabGuard implements Asker {
  readonly #parts: TabGuardParts;
  readonly #sessions = new Set<CdpSession>();
  /** Worker sessions. A worker without a Network domain cannot open sockets. */
  readonly #workers = new WeakSet<CdpSession>();
  /** Sessions whose socket rules Chrome has confirmed. */
  readonly #ruled = new Set<CdpSession>();
  /** Controls that could not be set, by session. */
  readonly #faults = new Map<CdpSession | 'tab', Failure>();
  #narrowing: readonly string[] | undefined;
  #policy: DomainPolicy;
  #registration: Registration | undefined;
  #speed: NetworkSpeed | undefined;
  #untold: GuardRefusal[] = [];
  #forgotten = 0;

  constructor(parts: TabGuardParts) {
    this.#parts = parts;
    const { guard, openerId, tabId, traffic } = parts;
    this.#narrowing = ifDefined(openerId, (openerId) => guard.narrowings.get(openerId));
    this.#policy = guard.policyFor(this.#narrowing);
    if (this.#narrowing) guard.narrowings.set(tabId, this.#narrowing);
    if (this.#policy.judgesNames) this.#intercept();
    guard.admission.add(this);
    this.addFrame(tabId);
    traffic.events.on('request', (record) => {
      if (!this.#narrowing) guard.admission.tell(record.url);
      this.#judgeSocket(record);
    });
    traffic.events.on('failed', (record) => this.#explainFailure(record));
  }

  get taskPolicy(): DomainPolicy | undefined {
    return this.#narrowing && this.#policy;
  }

  pendingUrls(): readonly string[] {
    return this.#parts.traffic.pending().map(({ record }) => record.url);
  }

  get tabId(): string {
    return this.#parts.tabId;
  }

  get openerId(): string | undefined {
    return this.#parts.openerId;
  }

  /** Whether the tab may run only after Chrome has confirmed its controls. */
  get restricts(): boolean {
    return this.#policy.judgesNames;
  }

  /** The current restrictions of the tab. */
  get controls(): TabControls {
    const { sessions, paused } = this.#parts.interception.coverage;
    const [failure] = this.#faults.values();
    return defined({
      restricted: this.restricts,
      sessions,
      intercepted: this.restricts ? paused : 0,
      socketRules: this.#ruled.size,
      failure: failure?.message,
    });
  }

  /** Records a frame or worker of the tab; its requests are checked even after it was removed. */
  addFrame(frameId: string): void {
    this.#parts.browserGuard?.addFrame(frameId, this);
  }

  /** Throws if a control of this tab could not be set: the tab must not be used without it. */
  requireControls(): void {
    const [failure] = this.#faults.values();
    if (failure && this.restricts) throw failure;
  }

  /** Records that a control of a session could not be set; its target stays paused. */
  reportFault(session: CdpSession, failure: Failure): void {
    this.#faults.set(session, failure);
    session.onClose(() => this.#faults.delete(session));
  }

  /**
   * Adds a session before its target runs; rejects with `control_failed` if Chrome rejects the
   * rules.
   */
  async watch(session: CdpSession, { isWorker = false } = {}): Promise<void> {
    this.#sessions.add(session);
    if (isWorker) this.#workers.add(session);
    session.onClose(() => {
      this.#sessions.delete(session);
      this.#ruled.delete(session);
    });
    if (this.#policy.judgesNames)
      await Promise.all([this.#setConditions(session), this.#checkAllRequests()]);
  }

  /**
   * Restricts the tab and its popups to these domains; without domains, to the server's policy.
   */
  async narrow(domains: readonly string[] | undefined): Promise<void> {
    if (sameDomains(domains, this.#narrowing) && !this.#faults.has('tab')) return;
    const { guard, tabId } = this.#parts;
    this.#narrowing = domains;
    if (domains) guard.narrowings.set(tabId, domains);
    else guard.narrowings.delete(tabId);
    this.#policy = guard.policyFor(domains);
    const old = this.#registration;
    this.#registration = undefined;
    if (this.#policy.judgesNames) this.#intercept();
    try {
      await Promise.all([
        this.#readyBefore(old),
        this.#checkAllRequests(),
        ...[...this.#sessions].map((session) => this.#setConditions(session)),
      ]);
      this.#faults.delete('tab');
    } catch (error) {
      if (error instanceof Failure) this.#faults.set('tab', error);
      throw error;
    }
  }

  /** The refusal for the URL of the tab's page; undefined if the policy allows it. */
  judge(url: string): DomainRefusal | undefined {
    return this.#policy.judgeUrl(url);
  }

  /** Like `judge`, but also checks the policy of the current call. */
  judgeForCall(url: string): DomainRefusal | undefined {
    return this.judge(url) ?? this.#parts.guard.current.judgeUrl(url);
  }

  /**
   * Whether Chrome may load a URL for a call without interception (Network.loadNetworkResource).
   * Only the proxy checks its redirects then, and the proxy does not know the domains of a task.
   */
  mayLoadUnintercepted(url: string): boolean {
    const { guard } = this.#parts;
    if (this.judgeForCall(url)) return false;
    if (this.#narrowing || guard.callDomains) return false;
    return !this.restricts || guard.isProxied;
  }

  /** Sets the network speed of a session and keeps its socket rules. */
  async setSpeed(session: CdpSession, speed: NetworkSpeed, signal?: AbortSignal): Promise<void> {
    this.#speed = valueIf(!isPlain(speed), speed);
    const rules = buildSocketRules(this.#policy);
    const commands =
      rules.length === 0
        ? [session.send('Network.emulateNetworkConditions', speed, signal)]
        : [
            session.send(
              'Network.emulateNetworkConditionsByRule',
              withSpeed(rules, this.#speed),
              signal,
            ),
            // sets `navigator.onLine` and `navigator.connection`
            session.send('Network.overrideNetworkState', speed, signal),
          ];
    await Promise.all(commands);
  }

  /**
   * Returns and clears the refusals since the last call; `more` counts those that were not kept.
   */
  takeUntold(): { readonly refusals: readonly GuardRefusal[]; readonly more: number } {
    const [refusals, more] = [this.#untold, this.#forgotten];
    this.#untold = [];
    this.#forgotten = 0;
    return { refusals, more };
  }

  close(): void {
    this.#parts.browserGuard?.release(this);
    this.#parts.guard.admission.remove(this);
    this.#parts.guard.narrowings.delete(this.#parts.tabId);
  }

  /** Removes the old handler only after the new one is active, so that no request is unchecked. */
  async #readyBefore(old: Registration | undefined): Promise<void> {
    await this.#registration?.ready;
    await old?.remove();
  }

  #intercept(): void {
    this.#registration = this.#parts.interception.add({
      name: NAME,
      priority: PRIORITY,
      onError: 'fail',
      patterns: interceptPatterns(this.#policy),
      handle: (request) => this.#judgeRequest(request),
    });
  }

  #judgeRequest({
    url,
    resourceType,
    frameId,
    headers,
  }: PausedRequest): InterceptVerdict | undefined {
    const refusal = this.#policy.judgeUrl(url);
    if (!refusal) return undefined;
    const isPage =
      resourceType === 'Document' && frameId === this.#parts.tabId && !isFrame(headers);
    this.report(
      defined({
        what: isPage ? 'navigation' : wordFor(resourceType),
        url,
        refusal,
        ...compact({ ofPage: isPage }),
      }),
    );
    return { action: 'fail', reason: 'BlockedByClient' };
  }

  /** Chrome blocks the socket by its rules; this only reports the refusal. */
  #judgeSocket(record: RequestRecord): void {
    if (!SOCKET_TYPES.has(record.resourceType)) return;
    const refusal = this.#policy.judgeUrl(record.url);
    if (!refusal) return;
    this.#parts.traffic.markRefused(record, NAME);
    this.report({ what: wordFor(record.resourceType), url: record.url, refusal });
  }

  /** Chrome reports one error for every proxy failure; this replaces it with the proxy's reason. */
  #explainFailure(record: RequestRecord): void {
    const { guard, traffic } = this.#parts;
    const error = record.failure?.error ?? '';
    const isExplained = [ENDED_BY_SERVER, REFUSED_BY_PROXY].some((errors) => errors.test(error));
    if (!isExplained || record.intercepted?.by === NAME) return;
    const outcome = guard.outcomeFor(record.url);
    const isClientError = CLIENT_ERRORS.has(outcome?.code ?? '');
    // Our Chrome has no client certificates, so it reports one that is missing as a bad one.
    if (error.endsWith(BAD_CLIENT_CERT) && guard.isProxied && !isClientError)
      return traffic.renameFailure(record, CLIENT_CERT_NEEDED);
    if (!outcome || !(isClientError || PROXY_ERROR.test(error))) return;
    if (!outcome.refusal)
      return this.#parts.traffic.renameFailure(
        record,
        NET_ERRORS[outcome.code ?? ''] ?? 'net::ERR_CONNECTION_FAILED',
      );
    this.#parts.traffic.markRefused(record, NAME);
    const isPage = record.resourceType === 'Document' && record.frameId === this.#parts.tabId;
    const what = isPage ? 'navigation' : wordFor(record.resourceType);
    this.report(
      defined({ what, url: record.url, refusal: outcome.refusal, ...compact({ ofPage: isPage }) }),
    );
  }

  /**
   * Whether a connection that the server ended needs a client certificate, which our Chrome does not
   * have. Chrome reports this only if it received the server's alert before the end.
   */
  async needsClientCertificate(url: string, netError: string): Promise<boolean> {
    const { guard } = this.#parts;
    return (
      ENDED_BY_SERVER.test(netError) && guard.isProxied && guard.requestsClientCertificate(url)
    );
  }

  /** The proxy checks the server's lists for all requests, but it does not know tasks. */
  async #checkAllRequests(): Promise<void> {
    const { browserGuard, guard } = this.#parts;
    if (this.#narrowing || (this.restricts && !guard.isProxied)) await browserGuard?.restrict(this);
    else browserGuard?.release(this);
  }

  /** Reports a refused request of the tab. */
  report(refused: GuardRefusal): void {
    const refusal = { ...refused, tabId: this.#parts.tabId };
    if (this.#untold.length < MAX_UNTOLD) this.#untold.push(refusal);
    else this.#forgotten++;
    this.#parts.guard.refuse(refusal);
  }

  /**
   * Throws if sockets would be unchecked. Ignores an error if no rules have to be set, or if the
   * proxy checks the sockets.
   */
  async #setConditions(session: CdpSession): Promise<void> {
    const rules = buildSocketRules(this.#policy);
    try {
      await session.send('Network.emulateNetworkConditionsByRule', withSpeed(rules, this.#speed));
      if (rules.length > 0) this.#ruled.add(session);
      else this.#ruled.delete(session);
    } catch (error) {
      this.#ruled.delete(session);
      if (
        isGone(error) ||
        session.closed ||
        (isUnknownCommand(error) && this.#workers.has(session))
      )
        return;
      if (rules.length === 0 || (!this.#narrowing && this.#parts.guard.isProxied)) return;
      throw fail(
        'control_failed',
        `Chrome did not accept the rules for WebSockets: ${String(error)}.`,
        {},
        error,
      );
    }
  }
}

/**
 * Each paused request costs a round trip: with a block list only, requests to other hosts are not
 * paused. A paused request is checked against the whole policy.
 */
const interceptPatterns = (policy: DomainPolicy): string[] => {
  const { allow, block } = policy.patterns;
  if (allow) return ['*'];
  return block.flatMap((pattern) =>
    meansThisMachine(pattern) ? LOCAL_ADDRESSES : [`*${pattern.host}*`],
  );
};

/**
 * URL patterns for every spelling of this machine in Chrome's URLs; `[` starts an IPv6 address.
 */
const LOCAL_ADDRESSES = ['*localhost*', '*127.*', '*0.0.0.0*', '*[*'];

const isPlain = ({
  offline,
  latency,
  downloadThroughput,
  uploadThroughput,
}: NetworkSpeed): boolean =>
  !offline && latency === 0 && downloadThroughput < 0 && uploadThroughput < 0;

const withSpeed = (
  rules: readonly Protocol.Network.NetworkConditions[],
  speed: NetworkSpeed | undefined,
): Protocol.Network.EmulateNetworkConditionsByRuleRequest => ({
  matchedNetworkConditions: [
    ...rules,
    ...listDefined(ifDefined(speed, (speed) => ({ ...speed, urlPattern: '' }))),
  ],
});

const sameDomains = (
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): boolean => one === other || (one !== undefined && one.join() === other?.join());

const isFrame = (headers: Readonly<Record<string, string>>): boolean =>
  /^i?frame$/.test(headers['Sec-Fetch-Dest'] ?? headers['sec-fetch-dest'] ?? '');

const SOCKET_TYPES = new Set(['WebSocket', 'WebTransport']);

/** Words for resource types whose own name is unusual. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  Document: 'frame',
  XHR: 'fetch',
  Ping: 'beacon',
  Other: 'request',
};

const wordFor = (resourceType: string): string =>
  TYPE_WORDS[resourceType] ?? resourceType.toLowerCase();

const NET_ERRORS: Readonly<Record<string, string>> = {
  EPROXYFAILED: 'net::ERR_PROXY_CONNECTION_FAILED',
  EPROXYREFUSED: 'net::ERR_TUNNEL_CONNECTION_FAILED',
  EPROXYAUTH: 'net::ERR_PROXY_AUTH_REQUESTED',
  ENOTFOUND: 'net::ERR_NAME_NOT_RESOLVED',
  EAI_AGAIN: 'net::ERR_NAME_RESOLUTION_FAILED',
  ECONNREFUSED: 'net::ERR_CONNECTION_REFUSED',
  ECONNRESET: 'net::ERR_CONNECTION_RESET',
  ETIMEDOUT: 'net::ERR_CONNECTION_TIMED_OUT',
  [REJECTED_CLIENT]: `net::${BAD_CLIENT_CERT}`,
  [MISSING_CLIENT]: CLIENT_CERT_NEEDED,
  EHOSTUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'net::ERR_ADDRESS_UNREACHABLE',
};
