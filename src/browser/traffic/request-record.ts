// One recorded request with its times; each redirect hop is a record that links to the previous.
import type { Protocol } from 'devtools-protocol';
import { defined } from '../../core/defined.ts';
import type { RingItem } from './bounded-collections.ts';
import type { TrafficLimits } from './traffic.ts';
import type { PostData } from './request-body.ts';
import type { MessageLog } from './socket-recorder.ts';
import type { Initiator } from './stack.ts';

// Converts Chrome's monotonic timestamps to milliseconds.

/** The phases of a request; a phase that did not happen is undefined. */
interface Phases {
  /** Time in the browser before the request started. */
  readonly blockedMs: number;
  readonly dnsMs?: number;
  /** Includes TLS. */
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly sendMs: number;
  /** From the last byte sent to the first byte received. */
  readonly waitMs: number;
  /** When the response headers arrived, in Chrome's monotonic seconds. */
  readonly headersTick: number;
}

/** Milliseconds between two times of Chrome's monotonic clock, never negative. */
export const ticksToMs = (from: number, to: number): number =>
  round(Math.max(0, (to - from) * 1000));

const round = (ms: number): number => Math.round(ms * 1000) / 1000;

const span = (start: number, end: number): number | undefined =>
  start >= 0 && end >= start ? round(end - start) : undefined;

/**
 * The phases of a request that started at `startTick`; undefined if Chrome has no timing (memory
 * cache, data: URLs).
 */
export const toPhases = (
  timing: Protocol.Network.ResourceTiming | undefined,
  startTick: number,
): Phases | undefined => {
  if (!timing || timing.sendStart < 0) return undefined;
  const firstWork =
    [timing.dnsStart, timing.connectStart, timing.sendStart].find((tick) => tick >= 0) ?? 0;
  const dnsMs = span(timing.dnsStart, timing.dnsEnd);
  const connectMs = span(timing.connectStart, timing.connectEnd);
  const tlsMs = span(timing.sslStart, timing.sslEnd);
  return defined({
    blockedMs: round(Math.max(0, (timing.requestTime - startTick) * 1000 + firstWork)),
    dnsMs,
    connectMs,
    tlsMs,
    sendMs: span(timing.sendStart, timing.sendEnd) ?? 0,
    waitMs: span(timing.sendEnd, firstByte(timing)) ?? 0,
    headersTick: timing.requestTime + timing.receiveHeadersEnd / 1000,
  });
};

/**
 * Time to first byte from the start of the request: Chrome's timing, else the time of the response
 * event.
 */
export const toTtfbMs = (
  timing: Protocol.Network.ResourceTiming | undefined,
  startTick: number,
  responseTick: number,
): number =>
  timing && firstByte(timing) >= 0
    ? round(Math.max(0, (timing.requestTime - startTick) * 1000 + firstByte(timing)))
    : ticksToMs(startTick, responseTick);

const firstByte = (timing: Protocol.Network.ResourceTiming): number =>
  timing.receiveHeadersStart > 0 ? timing.receiveHeadersStart : timing.receiveHeadersEnd;

const FINAL_STATES = new Set<string>(['finished', 'failed']);

/**
 * Header names to values; several values of one name (Set-Cookie) are joined by a line feed, as in
 * Chrome.
 */
export type Headers = Readonly<Record<string, string>>;

export interface Source {
  readonly kind: 'page' | 'iframe' | 'worker';
  readonly targetId: string;
}

/** `receiving`: the response headers have arrived, the body is not complete. */
type RequestState = 'pending' | 'receiving' | 'finished' | 'failed';

export type ServedFrom =
  | 'network'
  | 'memory-cache'
  | 'disk-cache'
  | 'prefetch-cache'
  | 'service-worker';

export interface RequestFailure {
  /** Chrome's error name (`net::ERR_…`), or `blocked: <reason>` if there is none. */
  readonly error: string;
  /** Cancelled by the page or by a navigation. */
  readonly canceled: boolean;
  readonly blockedReason?: string;
  readonly cors?: { readonly error: string; readonly parameter?: string };
  /** Chrome reported no end: the page or worker that made the request is gone. */
  readonly presumed?: true;
}

/**
 * The decision of an interception handler: the page did not get the server's unchanged response.
 */
export interface Intercepted {
  readonly by: string;
  readonly action: 'fulfill' | 'fail' | 'change';
  /** Before the request was sent, or after the response headers arrived. */
  readonly stage: 'request' | 'response';
}

export interface BlockedCookie {
  readonly name: string;
  readonly reasons: readonly string[];
}

/** The mutable record for the recorder. A class, so that all records share one V8 hidden class. */
export class RequestDraft implements RingItem {
  heldBytes = 0;
  state: RequestState = 'pending';
  resourceType = 'Other';
  documentUrl = '';
  frameId: string | undefined = undefined;
  /** The document that made the request; equal to `requestId` for the document itself. */
  loaderId = '';
  initiator: Initiator = { type: 'other' };
  userGesture = false;

  requestHeaders: Headers = {};
  /** Whether the headers are the raw ones (with cookies) instead of those that the page set. */
  rawRequestHeaders = false;
  /** Cookies that Chrome did not send, or did not store from the response. */
  blockedCookies: readonly BlockedCookie[] | undefined = undefined;
  postData: PostData | undefined = undefined;

  /** The server's status; 304 for a revalidated cache entry. */
  status: number | undefined = undefined;
  /** The status that the page got, if different (200 for a 304). */
  deliveredStatus: number | undefined = undefined;
  statusText: string | undefined = undefined;
  mimeType: string | undefined = undefined;
  charset: string | undefined = undefined;
  responseHeaders: Headers | undefined = undefined;
  rawResponseHeaders = false;
  servedFrom: ServedFrom = 'network';
  /** For responses of a service worker: their source. */
  serviceWorkerSource: string | undefined = undefined;
  protocol: string | undefined = undefined;
  remoteAddress: string | undefined = undefined;
  securityState: string | undefined = undefined;
  intercepted: Intercepted | undefined = undefined;
  /** The response was downloaded as a file. */
  download = false;

  redirectedFrom: RequestDraft | undefined = undefined;
  /** The URL of the next hop. */
  redirectedTo: string | undefined = undefined;

  /** Wall clock, milliseconds. */
  startedAt = 0;
  ttfbMs: number | undefined = undefined;
  durationMs: number | undefined = undefined;
  phases: Phases | undefined = undefined;

  /** Bytes over the network, including headers; 0 from a cache. */
  transferredBytes = 0;
  /** Size of the body after decompression. */
  decodedBytes = 0;

  failure: RequestFailure | undefined = undefined;
  /** Messages of a WebSocket or events of an event stream. */
  messages: MessageLog | undefined = undefined;

  // The recorder's own notes.
  /** Start on Chrome's monotonic clock, seconds. */
  startTick = 0;
  /** Our clock, milliseconds: when the request and its response were first seen. */
  seenAt = 0;
  respondedAt = 0;
  /** Whether Chrome reports raw headers for this hop; unknown until its response. */
  extraInfo: 'unknown' | 'expected' | 'none' = 'unknown';
  /** The page's own headers, kept while the raw ones may still belong to the next hop. */
  provisionalHeaders: Headers | undefined = undefined;

  constructor(
    readonly sequence: number,
    readonly requestId: string,
    readonly url: string,
    readonly method: string,
    readonly source: Source,
  ) {}

  get ended(): boolean {
    return FINAL_STATES.has(this.state);
  }
}

/**
 * The read-only view of a request. It is live: a request in flight is updated later. Values are
 * raw: redact before output.
 */
export type RequestRecord = Readonly<
  Omit<
    RequestDraft,
    'redirectedFrom' | 'startTick' | 'seenAt' | 'respondedAt' | 'extraInfo' | 'provisionalHeaders'
  >
> & { readonly redirectedFrom: RequestRecord | undefined };

/** Whether the page got another status and other headers than the server sent. */
export const isReplaced = ({ intercepted }: RequestRecord): boolean =>
  intercepted?.action === 'fulfill' || intercepted?.stage === 'response';

/** The earlier redirect hops, oldest first, without this one. */
export const redirectChain = (record: RequestRecord): RequestRecord[] => {
  const hops: RequestRecord[] = [];
  for (let hop = record.redirectedFrom; hop; hop = hop.redirectedFrom) hops.unshift(hop);
  return hops;
};

/** The value of a header; `name` must be lower case, the header's case is ignored. */
export const headerValue = (headers: Headers | undefined, name: string): string | undefined => {
  for (const candidate in headers)
    if (candidate.length === name.length && candidate.toLowerCase() === name)
      return headers[candidate];
  return undefined;
};

/** Methods and statuses that never have a body. */
export const hasNoBody = (record: RequestRecord): boolean =>
  record.method === 'HEAD' ||
  record.status === 204 ||
  record.status === 205 ||
  (record.status !== undefined && record.status < 200);

/** Resource types that may stay open after the page has settled. */
const ENDLESS_TYPES = new Set([
  'WebSocket',
  'EventSource',
  'WebTransport',
  'DirectSocket',
  'Media',
  'Ping',
  'Prefetch',
  'CSPViolationReport',
]);
const STREAM_TYPES = [
  /^(?:text\/event-stream|multipart\/x-mixed-replace)/,
  /^application\/(?:x-)?(?:ndjson|jsonlines|stream\+json|grpc)\b/,
];

/** Whether the MIME type is that of an endless stream. */
export const isStream = ({ mimeType }: RequestRecord): boolean =>
  STREAM_TYPES.some((type) => type.test(mimeType ?? ''));

/** Whether a request in flight may never end, so that settling must not wait for it. */
export const isLongLived = (record: RequestDraft, now: number, limits: TrafficLimits): boolean => {
  if (ENDLESS_TYPES.has(record.resourceType)) return true;
  if (record.state === 'pending') return now - record.seenAt > limits.longPollAfterMs;
  return isStream(record) || now - record.respondedAt > limits.streamAfterMs;
};
