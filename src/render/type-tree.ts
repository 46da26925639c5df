// What values look like, merged over many of them: which kinds were met, which fields, how many had
// each. Pure.

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

export interface ObservedField {
  readonly type: TypeNode;
  /** In how many of the objects it stood. */
  count: number;
}

/** Everything met at one place. */
export class TypeNode {
  /** In the order in which they were met. */
  readonly kinds: JsonKind[] = [];
  /** The longest string and array, the largest object. */
  longest = 0;
  mostItems = 0;
  mostKeys = 0;
  /** How many objects were merged; a field with a smaller count is not in all of them. */
  objects = 0;
  readonly fields = new Map<string, ObservedField>();
  /** Fields that were left out because there are too many. */
  fieldsLeftOut = 0;
  integers = true;
  item: TypeNode | undefined = undefined;
}

interface MergeOptions {
  /** Nothing below this depth is looked at; the root is 0. */
  readonly maxDepth: number;
  /** How many elements of an array are merged. */
  readonly maxItems?: number;
  /** How many fields of one object are kept apart. */
  readonly maxFields?: number;
}

const MAX_ITEMS = 20;
/** More lines than a shape has room for. */
const MAX_FIELDS = 400;

/** The description of all the values together. */
export const describeValues = (
  values: readonly unknown[],
  { maxDepth, maxItems = MAX_ITEMS, maxFields = MAX_FIELDS }: MergeOptions,
): TypeNode => {
  const merge = (node: TypeNode, value: unknown, depth: number): void => {
    const kind = kindOf(value);
    if (!node.kinds.includes(kind)) node.kinds.push(kind);
    if (kind === 'string') node.longest = Math.max(node.longest, (value as string).length);
    else if (kind === 'number') node.integers &&= Number.isInteger(value);
    else if (kind === 'array') mergeArray(node, value as readonly unknown[], depth);
    else if (kind === 'object') mergeObject(node, value as Record<string, unknown>, depth);
  };
  const mergeArray = (node: TypeNode, items: readonly unknown[], depth: number): void => {
    node.mostItems = Math.max(node.mostItems, items.length);
    if (depth >= maxDepth) return;
    for (const item of items.slice(0, maxItems))
      merge((node.item ??= new TypeNode()), item, depth + 1);
  };
  const mergeObject = (node: TypeNode, object: Record<string, unknown>, depth: number): void => {
    const names = Object.keys(object);
    node.mostKeys = Math.max(node.mostKeys, names.length);
    node.objects++;
    if (depth >= maxDepth) return;
    for (const name of names) {
      let field = node.fields.get(name);
      if (!field && node.fields.size >= maxFields) {
        node.fieldsLeftOut++;
        continue;
      }
      if (!field) node.fields.set(name, (field = { type: new TypeNode(), count: 0 }));
      field.count++;
      merge(field.type, object[name], depth + 1);
    }
  };
  const root = new TypeNode();
  for (const value of values) merge(root, value, 0);
  return root;
};

const kindOf = (value: unknown): JsonKind => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean'
    ? type
    : 'string';
};
