// Groups requests into endpoints by method and path template (`/users/{userId}`). Pure.
import { parseUrl, textAt } from '../../core/text.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { listDefined } from '../../core/collections.ts';
import { parseContentJson } from '../../render/captured-content.ts';
import type { ApiEndpoint, ApiContent, ApiParameter } from '../../render/openapi.ts';
import { describeValues, type TypeNode } from '../../render/type-tree.ts';

const BOOLEAN_TEXTS = new Set<string>(['true', 'false']);

const DEPTH = 8;
const MAX_FIELDS = 100;

export const describeEndpoints = (values: readonly unknown[]): TypeNode =>
  describeValues(values, { maxDepth: DEPTH, maxFields: MAX_FIELDS });

interface EndpointCall {
  readonly request: CapturedRequest;
  readonly url: URL;
  readonly template: Template;
}

interface Template {
  readonly path: string;
  readonly names: readonly string[];
  readonly values: readonly string[];
}

export const toEndpoints = (requests: readonly CapturedRequest[]): ApiEndpoint[] => {
  const groups = new Map<string, EndpointCall[]>();
  for (const request of requests) {
    const url = parseUrl(request.url);
    if (!url) continue;
    const call = { request, url, template: buildTemplate(url.pathname) };
    const group = `${request.method} ${url.origin}${call.template.path}`;
    groups.set(group, [...(groups.get(group) ?? []), call]);
  }
  return [...groups.values()].map(toEndpoint);
};

/** Path segments that become parameters: numbers, UUIDs and hex ids. */
const VALUES = [
  /^\d+$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^[0-9a-f]{16,}$/i,
];

/** Long codes of letters and digits become parameters too. */
const LONG_CODE = [/^[\w-]{20,}$/, /\d/, /[A-Za-z]/];

const isValue = (part: string): boolean =>
  VALUES.some((pattern) => pattern.test(part)) || LONG_CODE.every((pattern) => pattern.test(part));

export const buildTemplate = (pathname: string): Template => {
  const names: string[] = [];
  const values: string[] = [];
  const parts = pathname.split('/').map((part, i, all) => {
    if (!isValue(part)) return part;
    const name = unused(parameterName(all[i - 1]), names);
    names.push(name);
    values.push(part);
    return `{${name}}`;
  });
  return { path: parts.join('/'), names, values };
};

/** `/users/12` gives `userId`. */
const parameterName = (before: string | undefined): string => {
  const word = /(?<![A-Za-z])[A-Za-z]{1,60}$/.exec(before ?? '')?.[0];
  return word ? `${word.replace(/(?<=.)s$/i, '')}Id` : 'id';
};

const unused = (name: string, taken: readonly string[]): string => {
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}${i}`;
    if (!taken.includes(candidate)) return candidate;
  }
};

const toEndpoint = (calls: readonly EndpointCall[]): ApiEndpoint => {
  const [first] = calls as readonly [EndpointCall, ...EndpointCall[]];
  const body = describeBody(calls);
  return defined({
    origin: first.url.origin,
    method: first.request.method,
    path: first.template.path,
    calls: calls.length,
    parameters: [...pathParameters(calls), ...queryParameters(calls)],
    requestBody: body,
    responses: describeResponses(calls),
  });
};

const pathParameters = (calls: readonly EndpointCall[]): ApiParameter[] =>
  (calls[0]?.template.names ?? []).map((name, i) => ({
    name,
    in: 'path',
    required: true,
    type: describeEndpoints(calls.map(({ template }) => parseUrlValue(textAt(template.values, i)))),
  }));

const queryParameters = (calls: readonly EndpointCall[]): ApiParameter[] => {
  const names = [...new Set(calls.flatMap(({ url }) => [...url.searchParams.keys()]))];
  return names.map((name) => {
    const having = calls.filter(({ url }) => url.searchParams.has(name));
    return {
      name,
      in: 'query',
      required: having.length === calls.length,
      type: describeEndpoints(
        having.map(({ url }) => parseUrlValue(url.searchParams.get(name) ?? '')),
      ),
    };
  });
};

/** Parses a URL value as a number or boolean if it looks like one. */
const parseUrlValue = (text: string): unknown => {
  if (/^-?\d{1,15}(?:\.\d{1,10})?$/.test(text)) return Number(text);
  return BOOLEAN_TEXTS.has(text) ? text === 'true' : text;
};

const describeBody = (calls: readonly EndpointCall[]): ApiContent | undefined => {
  const sent = calls.filter(({ request }) => request.requestBody !== undefined);
  const [first] = sent;
  if (!first) return undefined;
  const contentType = first.request.requestHeaders['content-type']?.split(';', 1)[0] ?? '';
  const values = sent.flatMap(({ request: { requestBody, requestHeaders } }) => {
    if (requestBody?.parts)
      return [Object.fromEntries(requestBody.parts.map(({ name, value }) => [name, value ?? '']))];
    const type = requestHeaders['content-type'] ?? '';
    if (/^application\/x-www-form-urlencoded/i.test(type))
      return [Object.fromEntries(new URLSearchParams(requestBody?.text ?? ''))];
    const json = requestBody && parseContentJson(requestBody, type);
    return listDefined(ifDefined(json, (json) => json.value));
  });
  return defined({ contentType, type: values.length > 0 ? describeEndpoints(values) : undefined });
};

const describeResponses = (calls: readonly EndpointCall[]): ApiEndpoint['responses'] => {
  const statuses = [
    ...new Set(calls.map(({ request }) => request.deliveredStatus ?? request.status ?? 0)),
  ]
    .filter((status) => status > 0)
    .sort((a, b) => a - b);
  return statuses.map((status) => {
    const having = calls
      .filter(({ request }) => (request.deliveredStatus ?? request.status) === status)
      .map(({ request }) => request);
    const values = having.flatMap((request) => {
      const json = parseContentJson(request.body, request.contentType);
      return listDefined(ifDefined(json, (json) => json.value));
    });
    const contentType = having.find((request) => request.contentType !== '')?.contentType ?? '';
    return defined({
      status,
      contentType,
      type: values.length > 0 ? describeEndpoints(values) : undefined,
    });
  });
};
