// Converts a recorded request to plain data and adds its bodies. Secrets are not redacted here.
import { type Body, explainMissingBody } from '../../browser/traffic/bodies.ts';
import { parseMultipart, type PostData } from '../../browser/traffic/request-body.ts';
import {
  type Headers,
  headerValue,
  type RequestFailure,
  type RequestRecord,
} from '../../browser/traffic/request-record.ts';
import type {
  WorkspaceRequest,
  WorkspaceTraffic,
} from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest, CapturedSummary, Content } from '../../core/captured-request.ts';
import { compact, defined, ifDefined, valueIf } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';
import { Deadline } from '../../core/time.ts';
import { describeCapturedShape, NOT_FETCHED } from '../../render/captured-content.ts';
import type { Shape } from '../../render/shape.ts';

/** A body, or the reason why there is none (`why`), for example that it was not fetched. */
type KnownBody = Omit<Body, 'why'> & { readonly why?: string };

/** Describes a body that is not in memory, without a request to Chrome. */
export const describeUnfetchedBody = ({ record }: WorkspaceRequest): KnownBody => ({
  why: explainMissingBody(record) ?? NOT_FETCHED,
});

/** The part of a captured request that a list without bodies shows. */
export const toCapturedSummary = (
  { key, record }: WorkspaceRequest,
  body: KnownBody,
): CapturedSummary =>
  defined({
    key,
    method: record.method,
    url: record.url,
    state: record.state,
    status: record.status,
    deliveredStatus: record.deliveredStatus,
    contentType: readContentType(record),
    size: body.truncated
      ? (body.sizeBytes ?? record.decodedBytes)
      : Math.max(record.decodedBytes, body.sizeBytes ?? 0),
    from: valueIf(record.servedFrom !== 'network', record.servedFrom),
    redirectedTo: record.redirectedTo || undefined,
    error: record.failure && errorText(record.failure),
    intercepted: record.intercepted && `${record.intercepted.action} by ${record.intercepted.by}`,
  });

/** Combines the current state of the request with the given body. */
export const toCaptured = (seen: WorkspaceRequest, body: KnownBody): CapturedRequest => {
  const { tabId, record, seenAt } = seen;
  return defined({
    ...toCapturedSummary(seen, body),
    tabId,
    startedAt: Math.round(record.startedAt || seenAt),
    documentUrl: record.documentUrl,
    resourceType: record.resourceType,
    transferred: record.transferredBytes,
    ...keepPresentFields({
      statusText: record.statusText,
      protocol: record.protocol,
      remoteAddress: record.remoteAddress,
    }),
    initiator: {
      type: record.initiator.type,
      ...keepPresentFields({ url: record.initiator.url, line: record.initiator.line }),
    },
    requestHeaders: plainHeaders(record.requestHeaders),
    requestBody:
      record.postData &&
      sentContent(record.postData, headerValue(record.requestHeaders, 'content-type') ?? ''),
    responseHeaders: record.responseHeaders && plainHeaders(record.responseHeaders),
    body: receivedContent(body),
    ...keepPresentFields({ ttfbMs: record.ttfbMs, durationMs: record.durationMs }),
    phases: record.phases && toPhases(record.phases),
    messages: record.messages && toMessages(record.messages),
  });
};

/** The `content-type` header, or the MIME type that Chrome detected if the header is missing. */
export const readContentType = ({ responseHeaders, mimeType }: RequestRecord): string =>
  (headerValue(responseHeaders, 'content-type')?.split(';', 1)[0] ?? mimeType ?? '')
    .trim()
    .toLowerCase();

/** Header names in lower case, as in HTTP/2. Pseudo-headers such as `:path` are removed. */
const plainHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

const errorText = ({ error, cors, blockedReason }: RequestFailure): string => {
  const why = [
    cors && `CORS ${cors.error}${textIf(cors.parameter, ` ${cors.parameter}`)}`,
    blockedReason,
  ]
    .filter(Boolean)
    .join(', ');
  return why === '' || error.includes(why) ? error : `${error} (${why})`;
};

const receivedContent = ({ text, base64, sizeBytes, truncated, why }: KnownBody): Content =>
  defined({
    ...keepPresentFields({ text, base64, size: sizeBytes, why }),
    cut: valueIf(truncated, 'larger than the capture limit'),
  });

const sentContent = (
  { text, base64, sizeBytes, incomplete, why }: PostData,
  contentType: string,
): Content => {
  const parts = ifDefined(text, (text) => parseMultipart(text, contentType));
  return defined({
    ...(parts ? { parts } : keepPresentFields({ text, base64 })),
    ...keepPresentFields({ size: sizeBytes, why }),
    cut: valueIf(incomplete, 'Chrome does not report the files of a form'),
  });
};

const toPhases = ({
  blockedMs,
  dnsMs,
  connectMs,
  tlsMs,
  sendMs,
  waitMs,
}: NonNullable<RequestRecord['phases']>): CapturedRequest['phases'] => ({
  blockedMs,
  sendMs,
  waitMs,
  ...keepPresentFields({ dnsMs, connectMs, tlsMs }),
});

const toMessages = ({
  sent,
  received,
  dropped,
  messages,
}: NonNullable<RequestRecord['messages']>): CapturedRequest['messages'] => ({
  sent,
  received,
  dropped,
  kept: messages.map(({ sizeBytes, truncated, ...message }) =>
    defined({ ...message, size: sizeBytes, ...compact({ cut: truncated }) }),
  ),
});

type PresentFields<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Removes fields that are undefined or empty strings. */
const keepPresentFields = <T extends object>(values: T): PresentFields<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  ) as PresentFields<T>;

// Adds bodies to requests, from memory or from Chrome, with a time limit for pages that hang.

const PATIENCE_MS = 3000;
/** Number of bodies fetched from Chrome in parallel. */
const AT_ONCE = 8;

interface BodyOptions {
  readonly signal: AbortSignal;
  /** Selects the bodies to fetch from Chrome. The others get the reason why they are missing. */
  readonly worth: (seen: WorkspaceRequest) => boolean;
  readonly patienceMs?: number;
}

/** Keeps the order of `requests`. A body that does not arrive in time has the reason `pending`. */
export const withBodies = async (
  traffic: WorkspaceTraffic,
  requests: readonly WorkspaceRequest[],
  { signal, worth, patienceMs = PATIENCE_MS }: BodyOptions,
): Promise<CapturedRequest[]> => {
  using patience = new Deadline(patienceMs, undefined, signal);
  const bodies: KnownBody[] = requests.map(
    (seen) => traffic.heldBody(seen) ?? describeUnfetchedBody(seen),
  );
  const waiting = [...requests.entries()].filter(
    ([i, seen]) => bodies[i]?.why === NOT_FETCHED && worth(seen),
  );
  const fetchNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, seen] = next;
      bodies[i] = await traffic.body(seen, patience.signal).catch(() => ({ why: 'pending' }));
      signal.throwIfAborted();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
  return requests.map((seen, i) => toCaptured(seen, bodies[i] ?? { why: 'gone' }));
};

const shapes = new WeakMap<RequestRecord, Shape>();

/** The cached shape of the body; it is kept after Chrome discards the body. */
export const findKnownShape = ({ record }: WorkspaceRequest): Shape | undefined =>
  shapes.get(record);

/** Adds the shape of the body. The shape is cached once the request has ended. */
export const withShape = (
  { record }: WorkspaceRequest,
  captured: CapturedRequest,
): CapturedRequest => {
  const known = shapes.get(record);
  if (known) return { ...captured, shape: known };
  const shape = describeCapturedShape(captured);
  const final =
    record.ended && (captured.body.text !== undefined || captured.body.base64 !== undefined);
  if (final) shapes.set(record, shape);
  return { ...captured, shape };
};
