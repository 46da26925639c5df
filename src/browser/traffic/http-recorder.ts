// Writes Chrome's network events of one session into the request log. Hot path: keep it cheap.
import type { Protocol } from 'devtools-protocol';
import { defined, valueIf, ifDefined } from '../../core/defined.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { BoundedMap, type SharedTexts } from './bounded-collections.ts';
import { applyWireStatus, ExtraInfo } from './extra-info.ts';
import { MessageLog } from './socket-recorder.ts';
import { toPostData } from './request-body.ts';
import {
  type BlockedCookie,
  hasNoBody,
  headerValue,
  type Intercepted,
  isReplaced,
  RequestDraft,
  type RequestFailure,
  type ServedFrom,
  type Source,
  ticksToMs,
  toPhases,
  toTtfbMs,
} from './request-record.ts';
import type { RequestLog } from './request-log.ts';
import { toInitiator } from './stack.ts';

type CdpResponse = Protocol.Network.Response;

const MAX_MARKS = 200;

interface HttpRecorderOptions {
  readonly log: RequestLog;
  readonly texts: SharedTexts;
  readonly nextSequence: () => number;
  /** A request has a body that must be fetched; called again when its size is known. */
  readonly onPostData: (record: RequestDraft) => void;
  /** A handler set the response body; undefined if the server's body is used. */
  readonly onMadeUp: (record: RequestDraft, body: string | Uint8Array | undefined) => void;
}

interface Mark {
  readonly url: string;
  readonly intercepted: Intercepted | undefined;
  readonly body: string | Uint8Array | undefined;
}

export class HttpRecorder {
  readonly #log: RequestLog;
  readonly #texts: SharedTexts;
  readonly #extra = new ExtraInfo();
  /**
   * Decisions of handlers for requests not announced yet: the two events arrive in either order.
   */
  readonly #marks = new BoundedMap<string, Mark>(MAX_MARKS);
  readonly #options: HttpRecorderOptions;

  constructor(options: HttpRecorderOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#texts = options.texts;
  }

  watch(session: CdpSession, source: Source): void {
    session.on('Network.requestWillBeSent', (event) => this.#sent(event, session, source));
    session.on('Network.requestWillBeSentExtraInfo', (event) => this.#sentRaw(event));
    session.on('Network.responseReceived', (event) => this.#received(event, session));
    session.on('Network.responseReceivedExtraInfo', (event) => this.#receivedRaw(event));
    session.on('Network.requestServedFromCache', ({ requestId }) =>
      this.#cached(requestId, session),
    );
    session.on('Network.dataReceived', (event) => this.#data(event, session));
    session.on('Network.eventSourceMessageReceived', (event) => this.#serverSent(event, session));
    session.on('Network.loadingFinished', (event) => this.#finished(event, session));
    session.on('Network.loadingFailed', (event) => this.#failed(event, session));
    session.on('Page.frameNavigated', ({ frame }) => this.#left(frame, session, source));
    session.on('Inspector.targetCrashed', () =>
      this.#log.abandon((_record, owner) => owner === session),
    );
    session.onClose(() => this.#log.abandon((_record, owner) => owner === session));
  }

  forget(record: RequestDraft): void {
    this.#extra.forget(record.requestId);
  }

  /** Records a handler's decision for a hop; hops of one request are distinguished by URL. */
  mark(requestId: string, mark: Mark): void {
    const record = this.#log.find(requestId);
    if (record?.url === mark.url && !record.ended) this.#apply(record, mark);
    else this.#marks.set(requestId, mark);
  }

  #takeMark(record: RequestDraft): void {
    const mark = this.#marks.get(record.requestId);
    if (mark?.url !== record.url) return;
    this.#marks.delete(record.requestId);
    this.#apply(record, mark);
  }

  #apply(record: RequestDraft, { intercepted, body }: Mark): void {
    record.intercepted = intercepted;
    this.#options.onMadeUp(record, body);
  }

  #sent(
    event: EventParams<'Network.requestWillBeSent'>,
    session: CdpSession,
    source: Source,
  ): void {
    const { request } = event;
    if (request.url.startsWith('data:')) return; // not a network request
    const before =
      event.redirectResponse && this.#redirected(event, event.redirectResponse, session);
    const record = new RequestDraft(
      this.#options.nextSequence(),
      event.requestId,
      request.url,
      request.method,
      source,
    );
    record.resourceType = event.type ?? before?.resourceType ?? 'Other';
    record.documentUrl = this.#texts.share(event.documentURL);
    record.frameId = event.frameId;
    record.loaderId = event.loaderId;
    record.initiator = before ? before.initiator : toInitiator(event.initiator);
    record.userGesture = event.hasUserGesture ?? false;
    record.requestHeaders = this.#texts.shareValues(request.headers);
    record.postData = toPostData(request, this.#log.limits.postBytes);
    record.redirectedFrom = before;
    record.startedAt = event.wallTime * 1000;
    record.startTick = event.timestamp;
    this.#extra.announced(record);
    this.#log.begin(record, session);
    this.#takeMark(record);
    if (record.postData?.why === 'pending') this.#options.onPostData(record);
  }

  /** Ends the previous hop with the redirect. */
  #redirected(
    event: EventParams<'Network.requestWillBeSent'>,
    response: CdpResponse,
    session: CdpSession,
  ): RequestDraft | undefined {
    const hop = this.#log.open(event.requestId, session);
    if (!hop) return undefined;
    hop.redirectedTo = event.request.url;
    this.#extra.settled(hop, event.redirectHasExtraInfo);
    this.#fill(hop, response, event.timestamp);
    hop.transferredBytes = Math.max(0, response.encodedDataLength);
    this.#log.respond(hop);
    this.#log.finish(hop, event.timestamp);
    return hop;
  }

  #sentRaw(event: EventParams<'Network.requestWillBeSentExtraInfo'>): void {
    const blockedCookies = toBlocked(event.associatedCookies);
    const headers = this.#texts.shareValues(event.headers);
    const hop = this.#extra.request(event.requestId, this.#log.find(event.requestId), {
      headers,
      blockedCookies,
    });
    if (hop?.ended) this.#log.reweigh(hop);
    if (hop?.postData?.why === 'pending') this.#options.onPostData(hop);
  }

  #receivedRaw(event: EventParams<'Network.responseReceivedExtraInfo'>): void {
    const hop = this.#extra.response(event.requestId, this.#log.find(event.requestId), {
      headers: this.#texts.shareValues(event.headers),
      status: event.statusCode,
      blockedCookies: toBlocked(event.blockedCookies),
    });
    if (hop?.ended) this.#log.reweigh(hop); // otherwise `finish` or `fail` weighs it
  }

  #received(event: EventParams<'Network.responseReceived'>, session: CdpSession): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.resourceType = event.type;
    this.#extra.settled(record, event.hasExtraInfo);
    this.#fill(record, event.response, event.timestamp);
    this.#log.respond(record);
  }

  #fill(record: RequestDraft, response: CdpResponse, tick: number): void {
    if (isReplaced(record)) record.rawResponseHeaders = false;
    const wireStatus = valueIf(record.rawResponseHeaders, record.status);
    record.status = response.status;
    if (wireStatus !== undefined) applyWireStatus(record, wireStatus);
    if (!record.rawResponseHeaders)
      record.responseHeaders = this.#texts.shareValues(response.headers);
    record.statusText = this.#texts.share(response.statusText);
    record.mimeType = this.#texts.share(response.mimeType);
    record.charset = this.#texts.share(response.charset);
    record.servedFrom = servedFrom(response, record.servedFrom);
    record.serviceWorkerSource = response.serviceWorkerResponseSource;
    record.protocol = response.protocol && this.#texts.share(response.protocol);
    record.remoteAddress =
      response.remoteIPAddress &&
      this.#texts.share(`${response.remoteIPAddress}:${response.remotePort ?? 0}`);
    record.securityState = response.securityState;
    record.ttfbMs = toTtfbMs(response.timing, record.startTick, tick);
    record.phases = toPhases(response.timing, record.startTick);
    record.transferredBytes = Math.max(0, response.encodedDataLength);
  }

  #cached(requestId: string, session: CdpSession): void {
    const record = this.#log.open(requestId, session);
    if (record) record.servedFrom = 'memory-cache';
  }

  #data(event: EventParams<'Network.dataReceived'>, session: CdpSession): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.decodedBytes += event.dataLength;
    record.transferredBytes += event.encodedDataLength;
  }

  #serverSent(event: EventParams<'Network.eventSourceMessageReceived'>, session: CdpSession): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.messages ??= new MessageLog();
    const message = {
      afterMs: ticksToMs(record.startTick, event.timestamp),
      direction: 'received',
      kind: 'text',
      data: event.data,
      event: event.eventName,
      ...defined({ id: valueIf(event.eventId !== '', event.eventId) }),
    } as const;
    record.messages.add(message, this.#log.limits);
    this.#log.reweigh(record);
  }

  #finished(event: EventParams<'Network.loadingFinished'>, session: CdpSession): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.transferredBytes = Math.max(0, event.encodedDataLength);
    this.#log.finish(record, event.timestamp);
  }

  #failed(event: EventParams<'Network.loadingFailed'>, session: CdpSession): void {
    const record = this.#log.open(event.requestId, session);
    if (!record) return;
    record.resourceType = event.type;
    const gaveUp = event.canceled === true && record.state === 'receiving';
    // Chrome cancels the request if there is no (further) body to read, or if the page becomes a
    // download. Neither is a failure.
    if (gaveUp && (hasNoBody(record) || record.resourceType === 'EventSource'))
      return this.#log.finish(record, event.timestamp);
    if (gaveUp && isAttachment(record)) {
      record.download = true;
      return this.#log.finish(record, event.timestamp);
    }
    this.#log.fail(record, toFailure(event), event.timestamp);
  }

  /**
   * The frame has a new document. Chrome sends no event for the unfinished requests of the old one.
   */
  #left(frame: Protocol.Page.Frame, session: CdpSession, source: Source): void {
    this.#log.abandon((record, owner) => {
      if (owner !== session || record.loaderId === frame.loaderId) return false;
      // A navigation request of the frame itself ends by its own event.
      if (record.frameId === frame.id) return record.requestId !== record.loaderId;
      return frame.id === source.targetId; // requests of child frames end with the page
    });
  }
}

const toBlocked = (
  cookies: readonly {
    readonly blockedReasons: readonly string[];
    readonly cookie?: { readonly name: string };
    readonly cookieLine?: string;
  }[],
): BlockedCookie[] =>
  cookies
    .filter((cookie) => cookie.blockedReasons.length > 0)
    .map(({ cookie, cookieLine, blockedReasons }) => ({
      name: cookie?.name ?? cookieLine?.split('=')[0] ?? '',
      reasons: blockedReasons,
    }));

const servedFrom = (response: CdpResponse, known: ServedFrom): ServedFrom => {
  if (response.fromServiceWorker) return 'service-worker';
  if (known !== 'network') return known;
  if (response.fromPrefetchCache) return 'prefetch-cache';
  return response.fromDiskCache ? 'disk-cache' : 'network';
};

const isAttachment = (record: RequestDraft): boolean =>
  record.resourceType === 'Document' &&
  /^\s*attachment/i.test(headerValue(record.responseHeaders, 'content-disposition') ?? '');

const toFailure = (event: EventParams<'Network.loadingFailed'>): RequestFailure => {
  const { errorText, blockedReason, corsErrorStatus: cors } = event;
  // Chrome appends the blocker (`net::ERR_BLOCKED_BY_CLIENT.Inspector`); `blockedReason` has the
  // reason.
  const error =
    /^net::ERR_[A-Z0-9_]+/.exec(errorText)?.[0] ??
    (errorText || `blocked: ${blockedReason ?? 'unknown'}`);
  return {
    error,
    canceled: event.canceled ?? false,
    ...defined({
      blockedReason,
      cors: ifDefined(cors, (cors) =>
        defined({ error: cors.corsError, parameter: cors.failedParameter || undefined }),
      ),
    }),
  };
};
