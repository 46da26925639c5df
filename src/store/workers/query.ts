// Evaluates a JMESPath expression on a stored JSON payload and returns one page of the result.
import { readSync } from 'node:fs';
import {
  compile,
  type JSONValue,
  search,
  tokenize,
  TreeInterpreter,
} from '@jmespath-community/jmespath';
import { attempt } from '../../core/attempt.ts';
import { getErrorMessage } from '../../core/failure.ts';
import { isObject, isRecord } from '../../core/json.ts';
import { isInsideCharacter, matchGroups } from '../../core/text.ts';
import { cutText, ItemPage, MAX_ITEM_BYTES, pick } from '../files/page-content.ts';
import type { ItemsAnswer, SearchAnswer } from './search.ts';

export interface MissingKey {
  readonly missing_key: string;
  /** Keys of the searched object, in their order. */
  readonly available_keys: readonly string[];
}

const MAX_ELEMENTS = 200;
const MAX_KEYS = 50;
const MAX_KEY_CHARS = 100;

/** The properties of compiled JMESPath nodes that are used here. */
interface ExpressionNode {
  readonly type: string;
  readonly name?: unknown;
  readonly left?: ExpressionNode;
  readonly right?: ExpressionNode;
  readonly condition?: ExpressionNode;
  readonly child?: ExpressionNode;
  readonly children?: readonly ExpressionNode[];
  readonly value?: unknown;
}

/** Undefined if every key in the expression exists. */
const findMissingKey = (expression: string, data: JSONValue): MissingKey | undefined =>
  inNode(compile(expression), [data]);

/** `values` are all values that the node is applied to. A key is missing if none of them has it. */
const inNode = (node: ExpressionNode, values: readonly JSONValue[]): MissingKey | undefined =>
  (SEARCHES[node.type] ?? inOperands)(node, values);

type NodeSearch = (node: ExpressionNode, values: readonly JSONValue[]) => MissingKey | undefined;

const inOperands: NodeSearch = (node, values) =>
  firstFound(listOperands(node), (operand) => inNode(operand, values));

const inField = (name: string, values: readonly JSONValue[]): MissingKey | undefined => {
  const objects = values.filter((value) => isRecord(value));
  if (objects.length === 0 || objects.some((object) => Object.hasOwn(object, name)))
    return undefined;
  const keys = Object.keys(objects[0] ?? {}).slice(0, MAX_KEYS);
  return { missing_key: name, available_keys: keys.map((key) => key.slice(0, MAX_KEY_CHARS)) };
};

const inSequence = (
  { left, right }: ExpressionNode,
  values: readonly JSONValue[],
): MissingKey | undefined => {
  if (!left || !right) return undefined;
  return inNode(left, values) ?? inNode(right, evaluateAll(left, values));
};

const inProjection = (
  { left, right, condition }: ExpressionNode,
  values: readonly JSONValue[],
): MissingKey | undefined => {
  if (!left) return undefined;
  const found = inNode(left, values);
  if (found) return found;
  const elements = evaluateAll(left, values).flatMap(listElements).slice(0, MAX_ELEMENTS);
  return firstFound([condition, right], (part) => (part ? inNode(part, elements) : undefined));
};

const listOperands = ({
  left,
  right,
  child,
  children = [],
  value,
}: ExpressionNode): ExpressionNode[] =>
  [left, right, child, ...children, isNode(value) ? value : undefined].filter(
    (node) => node !== undefined,
  );

/** In a key-value pair `value` is a node; in a literal it is data. */
const isNode = (value: unknown): value is ExpressionNode =>
  isObject(value) && typeof value['type'] === 'string';

const evaluateAll = (node: ExpressionNode, values: readonly JSONValue[]): JSONValue[] =>
  values.flatMap((value) => {
    // the function does not accept this value, so keys below it cannot be checked
    return attempt(() => [TreeInterpreter.search(node as never, value)], []);
  });

const listElements = (value: JSONValue): JSONValue[] => {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
};

const firstFound = <T>(
  items: readonly T[],
  find: (item: T) => MissingKey | undefined,
): MissingKey | undefined => {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
};

const SEARCHES: Readonly<Record<string, NodeSearch>> = {
  Field: ({ name }, values) => inField(String(name), values),
  Subexpression: inSequence,
  Pipe: inSequence,
  Projection: inProjection,
  FilterProjection: inProjection,
  ValueProjection: inProjection,
};

// Reads a payload in a worker thread through the file descriptor of the server.

export interface Readable {
  /** File descriptor that is open in this process. */
  readonly fd: number;
  /** Offset of the payload in the file, followed by its size. */
  readonly base: number;
  readonly sizeBytes: number;
}

/** The bytes from `start` to `end`, or fewer if the payload is shorter. */
export const readBytes = (
  { fd, base, sizeBytes }: Readable,
  start: number,
  end: number,
): Buffer => {
  const length = Math.max(0, Math.min(end, sizeBytes) - start);
  const bytes = Buffer.allocUnsafe(length);
  for (let got = 0; got < length;) {
    const read = readSync(fd, bytes, got, length - got, base + start + got);
    if (read === 0) throw new Error('the file is shorter than it was');
    got += read;
  }
  return bytes;
};

export interface QueryRequest extends Readable {
  readonly kind: 'query';
  readonly expression: string;
  readonly offset: number;
  /** Number of items, or of bytes if the result is text. */
  readonly limit: { readonly items: number; readonly bytes: number };
  readonly format: 'auto' | 'items' | 'text';
  readonly fields?: readonly string[] | undefined;
}

/** The expression is invalid, or its functions do not accept the data. */
export class InvalidExpression extends Error {
  constructor(
    message: string,
    readonly position: number,
    readonly missing?: MissingKey,
  ) {
    super(message);
  }
}

export const queryPayload = (request: QueryRequest): SearchAnswer => {
  const { expression, format } = request;
  requireValid(expression);
  const data = JSON.parse(readBytes(request, 0, request.sizeBytes).toString('utf8')) as JSONValue;
  const result = evaluate(expression, data);
  if (format === 'text' || (format === 'auto' && typeof result === 'string'))
    return buildTextPage(result, request);
  const page = buildItemsPage(result, request);
  return page.total === 0 ? { ...page, missing: findMissingKey(expression, data) } : page;
};

const evaluate = (expression: string, data: JSONValue): JSONValue => {
  try {
    return search(data, expression);
  } catch (error) {
    const message = formatError(error);
    const [, name] = matchGroups(/\b(\w+)\(\)/, message); // the function that failed
    const position = name === undefined ? 0 : Math.max(0, expression.indexOf(name));
    throw new InvalidExpression(message, position, findMissingKey(expression, data));
  }
};

const formatError = (error: unknown): string => getErrorMessage(error);

const buildItemsPage = (
  result: JSONValue,
  { offset, limit, fields }: QueryRequest,
): ItemsAnswer => {
  // JMESPath returns null if nothing matches, so null gives no rows. Any other single value is one
  // row.
  const found = result === null ? [] : [result];
  const rows = Array.isArray(result) ? result : found;
  const page = new ItemPage();
  const large: number[] = [];
  for (const row of rows.slice(offset, offset + limit.items)) {
    const item = pick(row, fields);
    const text = JSON.stringify(item);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_ITEM_BYTES) {
      if (!page.takesReference) break;
      large.push(page.content.length);
      page.addReference(text);
    } else if (!page.add(item, bytes)) break;
  }
  return {
    kind: 'items',
    returned: page.content.length,
    total: rows.length,
    content: page.content,
    large,
  };
};

const buildTextPage = (result: JSONValue, { offset, limit }: QueryRequest): SearchAnswer => {
  const bytes = Buffer.from(typeof result === 'string' ? result : JSON.stringify(result));
  if (offset >= bytes.length)
    return { kind: 'text', offset, returned: 0, total: bytes.length, content: '' };
  const steps = isInsideCharacter(bytes, offset);
  return {
    kind: 'text',
    offset: offset - steps,
    total: bytes.length,
    ...cutText(bytes, offset, limit.bytes, bytes.length - offset),
  };
};

/** The library reports no position, so it is found by compiling prefixes of increasing length. */
const requireValid = (expression: string): void => {
  try {
    compile(expression);
  } catch (error) {
    throw new InvalidExpression(
      formatError(error),
      lexicalError(expression) ?? syntaxError(expression),
    );
  }
};

/** End of the longest prefix that can be tokenized; undefined if the whole expression can. */
const lexicalError = (expression: string): number | undefined => {
  const splits = (text: string): boolean =>
    attempt(() => {
      tokenize(text);
      return true;
    }, false);
  if (splits(expression)) return undefined;
  let end = expression.length - 1;
  while (end > 0 && !splits(expression.slice(0, end))) end--;
  return end;
};

/**
 * Start of the first token that is invalid after the previous ones, or the end of the expression if
 * a token is missing there.
 */
const syntaxError = (expression: string): number => {
  const tokens = tokenize(expression);
  for (const [i, { start }] of tokens.entries()) {
    const end = tokens[i + 1]?.start ?? expression.length;
    try {
      compile(expression.slice(0, end));
    } catch (error) {
      if (!/\bEOF\b/.test(formatError(error))) return start;
    }
  }
  return expression.length;
};
