// Renders one request in detail, without the headers that every request has.
import { compact, defined, ifDefined, valueIf } from '../core/defined.ts';
import type { CapturedRequest } from '../core/captured-request.ts';
import {
  parseContentJson,
  describeCapturedShape,
  describeContentShape,
  showContent,
  showValue,
} from './captured-content.ts';
import { fail } from '../core/failure.ts';
import { isObject } from '../core/json.ts';
import { textIf } from '../core/text.ts';
import { getAtPath, parseJsonBody } from './json-path.ts';
import { toBareEntry } from './network-list.ts';
import { buildShape } from './shape.ts';

interface DetailOptions {
  /** All headers and phases, and binary bodies as base64. */
  readonly raw: boolean;
  /** Maximum bytes of a body; Infinity for no limit. */
  readonly maxBytes: number;
}

export const toDetail = (
  captured: CapturedRequest,
  { raw, maxBytes }: DetailOptions,
): Record<string, unknown> => {
  const { key, url, method, ...entry } = toBareEntry(captured);
  const { contentType, messages } = captured;
  const body = messages
    ? { messages: toMessages(messages) }
    : showContent(captured.body, { contentType, maxBytes, binary: raw });
  return defined({
    key,
    url,
    method,
    ...entry,
    shape:
      'body' in body && isJsonValue(body.body)
        ? buildShape(body.body, { maxDepth: 1 })
        : describeCapturedShape(captured),
    ...body,
    request: toRequest(captured, { raw, maxBytes }),
    response_headers: shownHeaders(captured.responseHeaders ?? {}, valueIf(!raw, EVERYDAY_ANSWER)),
    timing: toTiming(captured, raw),
    initiator: formatInitiator(captured),
    resource_type: valueIf(raw, captured.resourceType),
    tabId: valueIf(raw, captured.tabId),
    transferred: valueIf(raw, captured.transferred),
    remote: raw && captured.remoteAddress !== undefined ? captured.remoteAddress : undefined,
  });
};

/** If the body is a JSON value, one level of its shape is enough. */
const isJsonValue = (body: unknown): boolean => isObject(body);

/** Renders only the value at a path of the body. */
export const toPicked = (
  captured: CapturedRequest,
  path: string,
  maxBytes: number,
): Record<string, unknown> => {
  const json = captured.messages
    ? { value: toMessages(captured.messages).kept }
    : parseContentJson(captured.body, captured.contentType);
  if (!json) throw noJson(captured);
  const value = getAtPath(json.value, path);
  const shape = isObject(value) ? { shape: buildShape(value) } : {};
  return {
    key: captured.key,
    status: captured.status ?? null,
    path,
    ...showValue(value, maxBytes),
    ...shape,
  };
};

const noJson = ({ body, contentType, key }: CapturedRequest): Error =>
  fail(
    'invalid_argument',
    `The body of ${key} is not JSON (${body.why ?? (contentType || 'of no type')}), so "path" ` +
      'cannot be used.',
    {
      argument: 'path',
      hint: 'Omit path.',
    },
  );

const toRequest = (
  captured: CapturedRequest,
  { raw, maxBytes }: DetailOptions,
): Record<string, unknown> => {
  const headers = shownHeaders(captured.requestHeaders, valueIf(!raw, EVERYDAY_QUESTION));
  const { requestBody: body, requestHeaders } = captured;
  const contentType = requestHeaders['content-type'] ?? '';
  if (!body) return { headers };
  const shown = showContent(body, { contentType, maxBytes, binary: raw });
  return { headers, ...shown, body_shape: describeContentShape(body, contentType, body.size ?? 0) };
};

/** Headers by their names, or the beginnings of their names. */
interface HeaderGroup {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

/** Headers that are the same in nearly all requests. */
const EVERYDAY_QUESTION: HeaderGroup = {
  names: new Set(
    (
      'host connection content-length user-agent accept-encoding accept-language cache-control ' +
      'pragma referer origin dnt te priority upgrade-insecure-requests if-none-match ' +
      'if-modified-since proxy-connection'
    ).split(' '),
  ),
  prefixes: ['sec-'],
};
const EVERYDAY_ANSWER: HeaderGroup = {
  names: new Set(
    (
      'date connection keep-alive transfer-encoding content-length content-type ' +
      'content-encoding content-language server vary alt-svc age etag last-modified ' +
      'accept-ranges expires cache-control pragma strict-transport-security ' +
      'x-content-type-options x-frame-options x-xss-protection permissions-policy ' +
      'feature-policy referrer-policy origin-agent-cluster timing-allow-origin server-timing ' +
      'report-to reporting-endpoints nel via p3p x-served-by x-timer x-powered-by expect-ct ' +
      'x-dns-prefetch-control x-download-options x-permitted-cross-domain-policies'
    ).split(' '),
  ),
  prefixes: [
    'content-security-policy',
    'cross-origin-',
    'access-control-',
    'cf-',
    'x-cache',
    'x-amz-cf-',
  ],
};

const isInGroup = (name: string, { names, prefixes }: HeaderGroup): boolean =>
  names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));

const shownHeaders = (
  headers: Readonly<Record<string, string>>,
  everyday: HeaderGroup | undefined,
): Readonly<Record<string, string>> => {
  if (!everyday) return headers;
  const isAnyType = (name: string, value: string): boolean => name === 'accept' && value === '*/*';
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !isInGroup(name, everyday) && !isAnyType(name, value),
    ),
  );
};

const toTiming = (
  { ttfbMs, durationMs, phases, startedAt }: CapturedRequest,
  raw: boolean,
): Record<string, unknown> =>
  defined({
    started_at: raw ? new Date(startedAt).toISOString() : undefined,
    ttfb_ms: ifDefined(ttfbMs, Math.round),
    total_ms: ifDefined(durationMs, Math.round),
    phases: raw && phases ? phases : undefined,
  });

/** The initiator; an address on the same origin is shortened to its path. */
const formatInitiator = ({
  initiator: { type, url, line },
  url: asked,
}: CapturedRequest): string => {
  if (url === undefined || url === '') return type;
  const origin = /^[a-z]+:\/\/[^/]+/i.exec(asked)?.[0];
  const short =
    origin !== undefined && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  return `${type} ${short.split('?', 1)[0]}${textIf(line !== undefined, `:${line}`)}`;
};

interface ShownMessages {
  readonly sent: number;
  readonly received: number;
  readonly dropped?: number;
  readonly kept: readonly unknown[];
}

const toMessages = ({
  sent,
  received,
  dropped,
  kept,
}: NonNullable<CapturedRequest['messages']>): ShownMessages =>
  defined({
    sent,
    received,
    ...compact({ dropped }),
    kept: kept.map(({ direction, afterMs, kind, data, cut, event, id }) =>
      defined({
        [direction]:
          kind === 'text'
            ? (parseJsonBody(data, 'application/json')?.value ?? data)
            : { base64: data },
        at_ms: Math.round(afterMs),
        ...compact({ truncated: cut }),
        event: event === undefined || event === 'message' ? undefined : event,
        id,
      }),
    ),
  });
