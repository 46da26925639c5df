// Endpoints that were seen, as an OpenAPI 3.1 document. Pure.
import { toJsonSchema } from './json-schema.ts';
import { typeName } from './typescript.ts';
import type { TypeNode } from './type-tree.ts';

export interface SeenParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly type: TypeNode;
}

export interface SeenContent {
  readonly contentType: string;
  /** Absent for what is no JSON. */
  readonly type?: TypeNode;
}

/** One method of one path, over all requests that fit it. */
export interface Endpoint {
  readonly origin: string;
  readonly method: string;
  /** With the changing parts as `{userId}`. */
  readonly path: string;
  readonly calls: number;
  readonly parameters: readonly SeenParameter[];
  readonly requestBody?: SeenContent;
  readonly responses: readonly (SeenContent & { readonly status: number })[];
}

export const toOpenApi = (endpoints: readonly Endpoint[], title: string): object => {
  const origins = [...new Set(endpoints.map(({ origin }) => origin))];
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] ??= operationOf(endpoint, origins[0] ?? '');
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '0.0.0', description: `Inferred from ${endpoints.reduce((sum, { calls }) => sum + calls, 0)} requests.` },
    servers: origins.map((url) => ({ url })),
    paths,
  };
};

const operationOf = ({ method, path, origin, parameters, requestBody, responses }: Endpoint, usual: string): object => ({
  operationId: operationId(method, path),
  ...(origin === usual ? {} : { servers: [{ url: origin }] }),
  ...(parameters.length > 0
    ? { parameters: parameters.map(({ type, ...parameter }) => ({ ...parameter, schema: toJsonSchema(type) })) }
    : {}),
  ...(requestBody ? { requestBody: { content: contentOf(requestBody) } } : {}),
  responses: Object.fromEntries(
    responses.map((response) => [
      String(response.status),
      {
        description: `Seen with status ${response.status}`,
        ...(response.contentType === '' && !response.type ? {} : { content: contentOf(response) }),
      },
    ]),
  ),
});

export const operationId = (method: string, path: string): string => {
  const name = typeName(method.toLowerCase(), path);
  return name.charAt(0).toLowerCase() + name.slice(1);
};

const contentOf = ({ contentType, type }: SeenContent): object => ({
  [contentType || (type ? 'application/json' : 'application/octet-stream')]: type ? { schema: toJsonSchema(type) } : {},
});
