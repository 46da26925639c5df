// From a recorded request to plain data: what was seen, nothing made up, nothing hidden yet.
import { type Body, explainMissingBody } from '../../browser/traffic/bodies.ts';
import { parseMultipart } from '../../browser/traffic/multipart.ts';
import type { PostData } from '../../browser/traffic/post-data.ts';
import {
  headerValue,
  type Headers,
  type RequestFailure,
  type RequestRecord,
} from '../../browser/traffic/request-record.ts';
import type { SeenRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import { NOT_FETCHED } from '../../render/captured-content.ts';

/** A body, or why there is none: the recorder's reason, or that nobody asked. */
export type KnownBody = Omit<Body, 'why'> & { readonly why?: string };

/** What is known of a body that is not in memory, without asking Chrome. */
export const describeUnfetchedBody = ({ record }: SeenRequest): KnownBody => ({
  why: explainMissingBody(record) ?? NOT_FETCHED,
});

/** The request as it is now, with the body that is known of it. */
export const toCaptured = (
  { key, tabId, record, seenAt }: SeenRequest,
  body: KnownBody,
): CapturedRequest => ({
  key,
  tabId,
  startedAt: Math.round(record.startedAt || seenAt),
  method: record.method,
  url: record.url,
  documentUrl: record.documentUrl,
  resourceType: record.resourceType,
  state: record.state,
  ...keepPresentFields({
    status: record.status,
    statusText: record.statusText,
    deliveredStatus: record.deliveredStatus,
  }),
  contentType: readContentType(record),
  size: body.truncated
    ? (body.sizeBytes ?? record.decodedBytes)
    : Math.max(record.decodedBytes, body.sizeBytes ?? 0),
  transferred: record.transferredBytes,
  ...(record.servedFrom === 'network' ? {} : { from: record.servedFrom }),
  ...keepPresentFields({
    protocol: record.protocol,
    remoteAddress: record.remoteAddress,
    redirectedTo: record.redirectedTo,
  }),
  ...(record.failure ? { error: errorText(record.failure) } : {}),
  ...(record.intercepted
    ? { intercepted: `${record.intercepted.action} by ${record.intercepted.by}` }
    : {}),
  initiator: {
    type: record.initiator.type,
    ...keepPresentFields({ url: record.initiator.url, line: record.initiator.line }),
  },
  requestHeaders: plainHeaders(record.requestHeaders),
  ...(record.postData
    ? {
        requestBody: sentContent(
          record.postData,
          headerValue(record.requestHeaders, 'content-type') ?? '',
        ),
      }
    : {}),
  ...(record.responseHeaders ? { responseHeaders: plainHeaders(record.responseHeaders) } : {}),
  body: receivedContent(body),
  ...keepPresentFields({ ttfbMs: record.ttfbMs, durationMs: record.durationMs }),
  ...(record.phases ? { phases: phasesOf(record.phases) } : {}),
  ...(record.messages ? { messages: messagesOf(record.messages) } : {}),
});

/** What the server called it; what Chrome took it for where it said nothing. */
export const readContentType = ({ responseHeaders, mimeType }: RequestRecord): string =>
  (headerValue(responseHeaders, 'content-type')?.split(';', 1)[0] ?? mimeType ?? '')
    .trim()
    .toLowerCase();

/**
 * Names in lower case, as the later versions of the protocol send them; its own lines (`:path`) are
 * no headers.
 */
const plainHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );

const errorText = ({ error, cors, blockedReason }: RequestFailure): string => {
  const why = [
    cors && `CORS ${cors.error}${cors.parameter ? ` ${cors.parameter}` : ''}`,
    blockedReason,
  ]
    .filter(Boolean)
    .join(', ');
  return why === '' || error.includes(why) ? error : `${error} (${why})`;
};

const receivedContent = ({ text, base64, sizeBytes, truncated, why }: KnownBody): Content => ({
  ...keepPresentFields({ text, base64, size: sizeBytes, why }),
  ...(truncated ? { cut: 'larger than what is captured' } : {}),
});

const sentContent = (
  { text, base64, sizeBytes, incomplete, why }: PostData,
  contentType: string,
): Content => {
  const parts = text === undefined ? undefined : parseMultipart(text, contentType);
  return {
    ...(parts ? { parts } : keepPresentFields({ text, base64 })),
    ...keepPresentFields({ size: sizeBytes, why }),
    ...(incomplete ? { cut: 'Chrome leaves out the files of a form' } : {}),
  };
};

const phasesOf = ({
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

const messagesOf = ({
  sent,
  received,
  dropped,
  messages,
}: NonNullable<RequestRecord['messages']>): CapturedRequest['messages'] => ({
  sent,
  received,
  dropped,
  kept: messages.map(({ sizeBytes, truncated, ...message }) => ({
    ...message,
    size: sizeBytes,
    ...(truncated ? { cut: true } : {}),
  })),
});

type PresentFields<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Without what is not known. */
const keepPresentFields = <T extends object>(values: T): PresentFields<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  ) as PresentFields<T>;
