// Renders observed endpoints as an OpenAPI 3.1 document.
import { textAt } from '../core/text.ts';
import { compact, defined, valueIf, ifDefined } from '../core/defined.ts';
import { type JsonKind, typeName, type TypeNode } from './type-tree.ts';

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly type: TypeNode;
}

export interface ApiContent {
  readonly contentType: string;
  /** Absent if the body is not JSON. */
  readonly type?: TypeNode;
}

/** One method of one path, merged from all matching requests. */
export interface ApiEndpoint {
  readonly origin: string;
  readonly method: string;
  /** Variable parts are written as `{userId}`. */
  readonly path: string;
  readonly calls: number;
  readonly parameters: readonly ApiParameter[];
  readonly requestBody?: ApiContent;
  readonly responses: readonly (ApiContent & { readonly status: number })[];
}

export const toOpenApi = (endpoints: readonly ApiEndpoint[], title: string): object => {
  const origins = [...new Set(endpoints.map(({ origin }) => origin))];
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = (paths[endpoint.path] ??= {});
    path[endpoint.method.toLowerCase()] ??= toOperation(endpoint, textAt(origins, 0));
  }
  const requests = endpoints.reduce((sum, { calls }) => sum + calls, 0);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '0.0.0',
      description: `Inferred from ${requests} requests.`,
    },
    servers: origins.map((url) => ({ url })),
    paths,
  };
};

const toOperation = (
  { method, path, origin, parameters, requestBody, responses }: ApiEndpoint,
  usual: string,
): object =>
  defined({
    operationId: operationId(method, path),
    servers: valueIf(origin !== usual, [{ url: origin }]),
    parameters:
      parameters.length > 0
        ? parameters.map(({ type, ...parameter }) => ({ ...parameter, schema: toJsonSchema(type) }))
        : undefined,
    requestBody: ifDefined(requestBody, (requestBody) => ({ content: toContent(requestBody) })),
    responses: Object.fromEntries(
      responses.map((response) => [
        String(response.status),
        defined({
          description: `Seen with status ${response.status}`,
          content: response.contentType === '' && !response.type ? undefined : toContent(response),
        }),
      ]),
    ),
  });

export const operationId = (method: string, path: string): string => {
  const name = typeName(method.toLowerCase(), path);
  return name.charAt(0).toLowerCase() + name.slice(1);
};

const toContent = ({ contentType, type }: ApiContent): object => ({
  [contentType || (type ? 'application/json' : 'application/octet-stream')]: type
    ? { schema: toJsonSchema(type) }
    : {},
});

type DerivedSchema = Readonly<Record<string, unknown>>;

const toJsonSchema = (node: TypeNode): DerivedSchema => {
  const types = [...new Set(node.kinds.map((kind) => typeWord(kind, node)))];
  if (types.length === 0) return {};
  return {
    type: types.length === 1 ? types[0] : types,
    ...(node.kinds.includes('object') ? objectPart(node) : {}),
    ...(node.kinds.includes('array') ? { items: node.item ? toJsonSchema(node.item) : {} } : {}),
  };
};

const typeWord = (kind: JsonKind, { integers }: TypeNode): string =>
  kind === 'number' && integers ? 'integer' : kind;

const objectPart = (node: TypeNode): DerivedSchema => {
  const names = [...node.fields.keys()];
  if (names.length === 0) return {};
  const required = names.filter((name) => (node.fields.get(name)?.count ?? 0) >= node.objects);
  return defined({
    properties: Object.fromEntries(
      [...node.fields].map(([name, { type }]) => [name, toJsonSchema(type)]),
    ),
    ...compact({ required }),
  });
};
