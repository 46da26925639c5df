// One request as it was seen: every hop of a redirect is a record of its own, linked to the hop
// before it.
import type { MessageLog } from './message-log.ts';
import type { PostData } from './post-data.ts';
import type { RingItem } from './ring.ts';
import type { Initiator } from './stack.ts';
import type { Phases } from './timing.ts';
import type { TrafficLimits } from './limits.ts';

/**
 * Names to values; several values of one name (Set-Cookie) are joined by a line feed, as Chrome
 * does.
 */
export type Headers = Readonly<Record<string, string>>;

export interface Source {
  readonly kind: 'page' | 'iframe' | 'worker';
  readonly targetId: string;
}

/** `receiving`: the response's headers are in, its body is not. */
export type RequestState = 'pending' | 'receiving' | 'finished' | 'failed';

export type ServedFrom =
  | 'network'
  | 'memory-cache'
  | 'disk-cache'
  | 'prefetch-cache'
  | 'service-worker';

export interface RequestFailure {
  /** Chrome's name of it, `net::ERR_…`, or `blocked: <reason>` where Chrome gives no other. */
  readonly error: string;
  /** Given up by the page, or by a navigation, rather than failed. */
  readonly canceled: boolean;
  readonly blockedReason?: string;
  readonly cors?: { readonly error: string; readonly parameter?: string };
  /** Chrome said nothing of its end: the page or worker that made it went away. */
  readonly presumed?: true;
}

/**
 * What an interception handler did to it: what the page got did not come from the server as it was
 * sent.
 */
export interface Intercepted {
  readonly by: string;
  readonly action: 'fulfill' | 'fail' | 'change';
  /** Before it was sent, or when its answer was in. */
  readonly stage: 'request' | 'response';
}

export interface BlockedCookie {
  readonly name: string;
  readonly reasons: readonly string[];
}

/**
 * The recorder's own, mutable side of a record; a class, so that thousands of them share one
 * layout.
 */
export class RequestDraft implements RingItem {
  heldBytes = 0;
  state: RequestState = 'pending';
  resourceType = 'Other';
  documentUrl = '';
  frameId: string | undefined = undefined;
  /** The document that asked for it; equal to `requestId` for the document itself. */
  loaderId = '';
  initiator: Initiator = { type: 'other' };
  userGesture = false;

  requestHeaders: Headers = {};
  /**
   * Whether the headers are those on the wire (cookies included) rather than what the page asked
   * for.
   */
  rawRequestHeaders = false;
  /** Cookies that Chrome held back, or refused to store from the answer. */
  blockedCookies: readonly BlockedCookie[] | undefined = undefined;
  postData: PostData | undefined = undefined;

  /** What the server said; 304 for a body that came from the cache after asking. */
  status: number | undefined = undefined;
  /** What the page was told, where that differs (200 for a 304). */
  deliveredStatus: number | undefined = undefined;
  statusText: string | undefined = undefined;
  mimeType: string | undefined = undefined;
  charset: string | undefined = undefined;
  responseHeaders: Headers | undefined = undefined;
  rawResponseHeaders = false;
  servedFrom: ServedFrom = 'network';
  /** For answers of a service worker: where it had them from. */
  serviceWorkerSource: string | undefined = undefined;
  protocol: string | undefined = undefined;
  remoteAddress: string | undefined = undefined;
  securityState: string | undefined = undefined;
  intercepted: Intercepted | undefined = undefined;
  /** The response became a file rather than a page. */
  download = false;

  redirectedFrom: RequestDraft | undefined = undefined;
  /** The address of the next hop. */
  redirectedTo: string | undefined = undefined;

  /** Wall clock, milliseconds. */
  startedAt = 0;
  ttfbMs: number | undefined = undefined;
  durationMs: number | undefined = undefined;
  phases: Phases | undefined = undefined;

  /** Bytes over the network, headers included; 0 from a cache. */
  transferredBytes = 0;
  /** Bytes of the body after decompression. */
  decodedBytes = 0;

  failure: RequestFailure | undefined = undefined;
  /** Frames of a WebSocket, events of an event stream. */
  messages: MessageLog | undefined = undefined;

  // The recorder's own notes.
  /** Start on Chrome's monotonic clock, seconds. */
  startTick = 0;
  /** On our clock, milliseconds: when it was first seen, and when its response was. */
  seenAt = 0;
  respondedAt = 0;
  /**
   * Whether Chrome's network stack reports raw headers for this hop; unknown until its response.
   */
  extraInfo: 'unknown' | 'expected' | 'none' = 'unknown';
  /** The page's own headers, while the raw ones may yet turn out to be the next hop's. */
  provisionalHeaders: Headers | undefined = undefined;

  constructor(
    readonly sequence: number,
    readonly requestId: string,
    readonly url: string,
    readonly method: string,
    readonly source: Source,
  ) {}

  get ended(): boolean {
    return this.state === 'finished' || this.state === 'failed';
  }
}

/**
 * A request for its readers: live, so that one in flight is complete when it is looked at again.
 * Values are raw: redact before showing.
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

/** The hops that led to this one, oldest first, without it. */
export const redirectChain = (record: RequestRecord): RequestRecord[] => {
  const hops: RequestRecord[] = [];
  for (let hop = record.redirectedFrom; hop; hop = hop.redirectedFrom) hops.unshift(hop);
  return hops;
};

/** A header's value whatever the case of its name. */
export const headerValue = (headers: Headers | undefined, name: string): string | undefined => {
  for (const candidate in headers)
    if (candidate.length === name.length && candidate.toLowerCase() === name)
      return headers[candidate];
  return undefined;
};

/** Statuses and methods that have no body by definition: their headers are all there is. */
export const hasNoBody = (record: RequestRecord): boolean =>
  record.method === 'HEAD' ||
  record.status === 204 ||
  record.status === 205 ||
  (record.status !== undefined && record.status < 200);

/** Resource types whose end a page that has settled may still be waiting for. */
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
const STREAM_TYPES =
  /^(?:text\/event-stream|multipart\/x-mixed-replace|application\/(?:x-)?(?:ndjson|jsonlines|stream\+json|grpc)\b)/;

/** Whether the answer says of itself that it has no end. */
export const isStream = ({ mimeType }: RequestRecord): boolean => STREAM_TYPES.test(mimeType ?? '');

/**
 * Whether a request in flight is of a kind that may never end, so that settling must not wait for
 * it.
 */
export const isLongLived = (record: RequestDraft, now: number, limits: TrafficLimits): boolean => {
  if (ENDLESS_TYPES.has(record.resourceType)) return true;
  if (record.state === 'pending') return now - record.seenAt > limits.longPollAfterMs;
  return isStream(record) || now - record.respondedAt > limits.streamAfterMs;
};
