// Finds the GraphQL operation of a request in its body, its URL parameters or its path.
import { attempt } from '../../core/attempt.ts';
import { listIf } from '../../core/collections.ts';
import { defined, ifDefined } from '../../core/defined.ts';
import { isObject } from '../../core/json.ts';
import { parseMultipart } from './request-body.ts';

interface GraphqlRequest {
  readonly url: URL | undefined;
  readonly contentType: string;
  /** The body as text, if there is one. */
  readonly body: string | undefined;
}

const NAME = /^[_A-Za-z][_0-9A-Za-z]{0,199}$/;
/** Maximum number of operation names in the key of a batch. */
const MAX_BATCH_NAMES = 3;
/** Longer bodies are not parsed. */
const MAX_BODY_CHARS = 2_000_000;
/** Only this many characters of a query are searched for operations. */
const MAX_QUERY_CHARS = 100_000;

/**
 * Undefined if the request is not GraphQL or has no operation name; names of a batch are joined by
 * `+`.
 */
export const operationName = ({ url, contentType, body }: GraphqlRequest): string | undefined =>
  nameInBody(body, contentType) ?? nameInParameters(url?.searchParams) ?? nameInPath(url?.pathname);

export interface GraphqlOperation {
  readonly name?: string;
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly query?: string;
  readonly variables?: unknown;
}

/** The operations in the body or the URL parameters; empty if the request is not GraphQL. */
export const parseOperations = ({ url, contentType, body }: GraphqlRequest): GraphqlOperation[] => {
  if (body !== undefined && /^application\/graphql\b/i.test(contentType))
    return toOperations([{ query: body }]);
  const sent = ifDefined(body, parseJson);
  if (sent !== undefined) return toOperations(Array.isArray(sent) ? sent : [sent]);
  const parameters = /^application\/x-www-form-urlencoded/i.test(contentType)
    ? new URLSearchParams(body)
    : url?.searchParams;
  return toOperations([
    Object.fromEntries(
      [...(parameters ?? [])].map(([name, value]) => [
        name,
        name === 'variables' ? parseJson(value) : value,
      ]),
    ),
  ]);
};

const toOperations = (sent: readonly unknown[]): GraphqlOperation[] =>
  sent.flatMap((operation) => {
    const name = nameOfOperation(operation);
    const { query, variables } = (operation ?? {}) as { query?: unknown; variables?: unknown };
    const text = typeof query === 'string' && looksLikeQuery(query) ? query : undefined;
    if (name === undefined && text === undefined) return [];
    const type = (/^[ \t]{0,200}(mutation|subscription)\b/m.exec(text ?? '')?.[1] ??
      'query') as GraphqlOperation['type'];
    return [
      defined({
        name,
        type,
        query: text,
        variables,
      }),
    ];
  });

const nameInBody = (body: string | undefined, contentType: string): string | undefined => {
  if (body === undefined || body === '' || body.length > MAX_BODY_CHARS) return undefined;
  if (/^application\/graphql\b/i.test(contentType)) return firstNamedOperation(body);
  if (/^multipart\/form-data/i.test(contentType)) return nameInForm(body, contentType);
  if (/^application\/x-www-form-urlencoded/i.test(contentType))
    return nameInParameters(new URLSearchParams(body));
  return nameInJson(body);
};

/** A file upload has its operations in a separate form field. */
const nameInForm = (body: string, contentType: string): string | undefined => {
  const fields = parseMultipart(body, contentType) ?? [];
  const field = (name: string): string | undefined =>
    fields.find((part) => part.name === name)?.value;
  const operations = field('operations');
  return (
    ifDefined(operations, nameInJson) ??
    parseName(field('operationName')) ??
    queryName(field('query'))
  );
};

const nameInJson = (text: string): string | undefined => {
  // Most bodies are not GraphQL: a regular expression is cheaper than parsing them.
  if (!/^[\s\uFEFF]*[[{]/.test(text) || !/"(?:operationName|query)"/.test(text)) return undefined;
  const value = parseJson(text);
  return Array.isArray(value) ? nameOfBatch(value) : nameOfOperation(value);
};

const nameOfBatch = (operations: readonly unknown[]): string | undefined => {
  const names = operations.map(nameOfOperation);
  const known = [...new Set(names.filter((name) => name !== undefined))];
  if (known.length === 0) return undefined;
  const more = known.length - MAX_BATCH_NAMES;
  return [...known.slice(0, MAX_BATCH_NAMES), ...listIf(more > 0, String(more))].join('+');
};

const nameOfOperation = (operation: unknown): string | undefined => {
  if (!isObject(operation)) return undefined;
  const { operationName: name, query } = operation as { operationName?: unknown; query?: unknown };
  return parseName(name) ?? queryName(query);
};

const nameInParameters = (parameters: URLSearchParams | undefined): string | undefined =>
  parameters && (parseName(parameters.get('operationName')) ?? queryName(parameters.get('query')));

/**
 * `/graphql/<id>/<Operation>` and `/graphql/<Operation>`; a version or a hash is not an operation.
 */
const nameInPath = (path: string | undefined): string | undefined => {
  const name = /\/graphql\/(?:[^/]+\/)?([^/]+)\/?$/.exec(path ?? '')?.[1];
  return name === undefined || /^v\d+$/i.test(name) || /^[0-9a-f]{16,}$/i.test(name)
    ? undefined
    : parseName(name);
};

const parseName = (name: unknown): string | undefined =>
  typeof name === 'string' && NAME.test(name) ? name : undefined;

const queryName = (query: unknown): string | undefined =>
  typeof query === 'string' ? firstNamedOperation(query) : undefined;

/** Matches comments and string literals of a query. */
const NO_CODE =
  /#[^\n\r]*|"""(?:[^"\\]|\\.|"(?!""))*(?:"""|$)|"(?:[^"\\\n\r]|\\.)*(?:"|$|(?=[\n\r]))/gs;
const DEFINITION =
  /(query|mutation|subscription|fragment)\b\s*(?:([_A-Za-z]\w*)\s*(?=[({@]))?|[{}]/g;

const stripText = (text: string): string =>
  text.slice(0, MAX_QUERY_CHARS).replace(NO_CODE, ' ').trim();

const OPERATION_START = /^(?:(?:query|mutation|subscription)\b\s*(?:[_A-Za-z]\w*\s*)?[({@]|\{)/;
const FRAGMENT_START = /^fragment\s+\w+\s+on\b/;

/** A `query` parameter can also be a search text such as `red shoes`. */
const looksLikeQuery = (text: string): boolean => {
  const code = stripText(text);
  return (OPERATION_START.test(code) || FRAGMENT_START.test(code)) && code.includes('{');
};

/** The name of the first named operation; undefined if the text is not a GraphQL query. */
const firstNamedOperation = (text: string): string | undefined => {
  if (!looksLikeQuery(text)) return undefined;
  const code = stripText(text);
  let depth = 0;
  for (const { 0: token, 1: keyword, 2: name } of code.matchAll(DEFINITION)) {
    if (token === '{') depth++;
    else if (token === '}') depth--;
    else if (depth === 0 && keyword !== 'fragment' && name !== undefined) return parseName(name);
  }
  return undefined;
};

const parseJson = (text: string): unknown => attempt(() => JSON.parse(text.replace(/^\uFEFF/, '')));
