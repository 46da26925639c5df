// Describes the types of many values, merged: kinds, fields and how often each occurs.

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

export interface ObservedField {
  readonly type: TypeNode;
  /** Number of objects that have this field. */
  count: number;
}

/** The merged types of all values at one path. */
export class TypeNode {
  /** In the order of their first occurrence. */
  readonly kinds: JsonKind[] = [];
  /** Length of the longest string and array, and size of the largest object. */
  longest = 0;
  mostItems = 0;
  mostKeys = 0;
  /** Number of merged objects; a field with a smaller count is optional. */
  objects = 0;
  readonly fields = new Map<string, ObservedField>();
  /** Number of fields that were dropped because there are too many. */
  fieldsLeftOut = 0;
  integers = true;
  item: TypeNode | undefined = undefined;
}

interface MergeOptions {
  /** Deeper values are not examined; the root has depth 0. */
  readonly maxDepth: number;
  /** Number of array elements that are merged. */
  readonly maxItems?: number;
  /** Number of fields that are kept per object. */
  readonly maxFields?: number;
}

const MAX_ITEMS = 20;
/** More than a shape can show. */
const MAX_FIELDS = 400;

/** The merged description of all values. */
export const describeValues = (
  values: readonly unknown[],
  { maxDepth, maxItems = MAX_ITEMS, maxFields = MAX_FIELDS }: MergeOptions,
): TypeNode => {
  const merge = (node: TypeNode, value: unknown, depth: number): void => {
    const kind = classifyValue(value);
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

const classifyValue = (value: unknown): JsonKind => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean'
    ? type
    : 'string';
};
