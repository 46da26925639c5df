// Finds the key of a JMESPath expression that the payload lacks, for queries without a result.
import { compile, TreeInterpreter, type JSONValue } from '@jmespath-community/jmespath';
import { attempt } from '../../core/attempt.ts';
import { isObject, isRecord } from '../../core/json.ts';

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
export const findMissingKey = (expression: string, data: JSONValue): MissingKey | undefined =>
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
