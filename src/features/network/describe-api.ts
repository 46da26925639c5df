// Describes the API of a site from its requests, as OpenAPI 3.1 with GraphQL, or TypeScript types.
import { parseUrl } from '../../core/text.ts';
import { defined } from '../../core/defined.ts';
import {
  operationName,
  parseOperations,
  type GraphqlOperation,
} from '../../browser/traffic/graphql.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { listIf } from '../../core/collections.ts';
import { isObject } from '../../core/json.ts';
import { parseContentJson } from '../../render/captured-content.ts';
import { type ApiEndpoint, operationId, toOpenApi } from '../../render/openapi.ts';
import { toTypeScript, typeName, type NamedType } from '../../render/type-tree.ts';
import { describeEndpoints, toEndpoints } from './endpoints.ts';

/** Has one document: `openapi`, `typescript`, or `graphql` if only GraphQL operations were seen. */
export interface ApiDescription {
  readonly requests: number;
  /** GraphQL operations are in its `x-graphql-operations`. */
  readonly openapi?: object;
  readonly graphql?: readonly object[];
  readonly typescript?: string;
}

export const describeApi = (
  requests: readonly CapturedRequest[],
  format: 'openapi' | 'typescript',
): ApiDescription => {
  const answered = requests.filter(
    ({ status, url, redirectedTo }) =>
      status !== undefined && redirectedTo === undefined && /^https?:/.test(url),
  );
  const operations = gatherOperations(answered);
  const asked = new Set(operations.flatMap(({ calls }) => calls.map(({ request }) => request)));
  const endpoints = toEndpoints(answered.filter((request) => !asked.has(request)));
  const seen = { requests: answered.length };
  if (format === 'typescript') {
    const types = [
      ...operations.flatMap(buildOperationTypes),
      ...endpoints.flatMap(buildEndpointTypes),
    ];
    return { ...seen, typescript: toTypeScript(unique(types)) };
  }
  const graphql = operations.map(showOperation);
  if (endpoints.length === 0 && graphql.length > 0) return { ...seen, graphql };
  const openapi = toOpenApi(endpoints, stripScheme(endpoints[0]?.origin ?? ''));
  if (graphql.length === 0) return { ...seen, openapi };
  return { ...seen, openapi: { ...openapi, 'x-graphql-operations': graphql } };
};

const buildEndpointTypes = ({ method, path, requestBody, responses }: ApiEndpoint): NamedType[] => {
  const name = operationId(method, path);
  const types: NamedType[] = [];
  if (requestBody?.type) types.push({ name: typeName(name, 'Request'), type: requestBody.type });
  for (const { status, type } of responses)
    if (type)
      types.push({ name: typeName(name, status < 300 ? 'Response' : `Error${status}`), type });
  return types;
};

interface GraphqlCall {
  readonly operation: GraphqlOperation;
  readonly data: unknown;
  readonly request: CapturedRequest;
}

interface Gathered {
  readonly name: string;
  readonly type: string;
  readonly calls: readonly GraphqlCall[];
}

/** Groups calls by operation name. Each operation of a batch request counts as one call. */
const gatherOperations = (requests: readonly CapturedRequest[]): Gathered[] => {
  const groups = new Map<string, GraphqlCall[]>();
  for (const request of requests) {
    for (const asked of findOperations(request)) {
      const { name = 'unnamed' } = asked.operation;
      groups.set(name, [...(groups.get(name) ?? []), asked]);
    }
  }
  return [...groups].map(([name, calls]) => ({
    name,
    type: calls[0]?.operation.type ?? 'query',
    calls,
  }));
};

const findOperations = (request: CapturedRequest): GraphqlCall[] => {
  const asked = {
    url: parseUrl(request.url),
    contentType: request.requestHeaders['content-type'] ?? '',
    body:
      request.requestBody?.text ??
      request.requestBody?.parts?.find(({ name }) => name === 'operations')?.value,
  };
  const operations = parseOperations(asked);
  if (operations.length === 0) {
    const name = operationName(asked);
    return name === undefined
      ? []
      : [
          {
            operation: { name, type: 'query' },
            data: readData(parseContentJson(request.body, request.contentType)?.value),
            request,
          },
        ];
  }
  const answer = parseContentJson(request.body, request.contentType)?.value;
  return operations.map((operation, i) => ({
    operation,
    data: readData(Array.isArray(answer) ? answer[i] : answer),
    request,
  }));
};

const readData = (answer: unknown): unknown =>
  isObject(answer) && 'data' in answer ? answer.data : undefined;

const nameType = (name: string, values: readonly unknown[]): NamedType[] =>
  listIf(values.length > 0, { name, type: describeEndpoints(values) });

const buildOperationTypes = ({ name, calls }: Gathered): NamedType[] => {
  const variables = calls
    .map(({ operation }) => operation.variables)
    .filter((value) => value !== undefined);
  const data = calls
    .map(({ data: value }) => value)
    .filter((value) => value !== undefined && value !== null);
  return [
    ...nameType(typeName(name, 'Variables'), variables),
    ...nameType(typeName(name, 'Data'), data),
  ];
};

const MAX_QUERY_CHARS = 2000;

const showOperation = ({ name, type, calls }: Gathered): object => {
  const [first] = calls;
  const query = calls.find(({ operation }) => operation.query !== undefined)?.operation.query;
  return defined({
    operation: name,
    type,
    endpoint: `${first?.request.method} ${first?.request.url.split('?', 1)[0]}`,
    calls: calls.length,
    query: query?.slice(0, MAX_QUERY_CHARS),
  });
};

const stripScheme = (origin: string): string => origin.replace(/^[a-z]+:\/\//, '');

/** Removes duplicate names: several statuses can produce the same type name. */
const unique = (types: readonly NamedType[]): NamedType[] => {
  const names = new Set<string>();
  return types.filter(({ name }) => !names.has(name) && names.add(name));
};
