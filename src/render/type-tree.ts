// Describes the types of many values, merged, and renders them as TypeScript declarations.
import { textIf } from '../core/text.ts';

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object';

interface ObservedField {
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
  return JSON_KINDS.find((kind) => kind === type) ?? 'string';
};

const JSON_KINDS = ['object', 'string', 'number', 'boolean'] as const;

// Renders observed types as TypeScript declarations.

export interface NamedType {
  readonly name: string;
  readonly type: TypeNode;
}

/** All declarations, each with its name. */
export const toTypeScript = (types: readonly NamedType[]): string =>
  types.map(({ name, type }) => `export type ${name} = ${typeText(type, '')};`).join('\n\n');

/** `get /api/users/{userId}` and `Response` -> `GetApiUsersUserIdResponse`. */
export const typeName = (...words: readonly string[]): string => {
  const name = words
    .join(' ')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return /^[A-Za-z]/.test(name) ? name : `T${name}`;
};

const typeText = (node: TypeNode, indent: string): string => {
  const kinds = node.kinds.map((kind) => kindText(kind, node, indent));
  return [...new Set(kinds)].join(' | ') || 'unknown';
};

const kindText = (kind: JsonKind, node: TypeNode, indent: string): string => {
  if (kind === 'object') return objectText(node, indent);
  if (kind !== 'array') return kind;
  const item = node.item ? typeText(node.item, indent) : 'unknown';
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
};

const objectText = (node: TypeNode, indent: string): string => {
  if (node.fields.size === 0)
    return node.mostKeys === 0 ? 'Record<string, never>' : 'Record<string, unknown>';
  const inner = `${indent}  `;
  const lines = [...node.fields].map(([name, { type, count }]) => {
    const optional = textIf(count < node.objects, '?');
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${inner}${key}${optional}: ${typeText(type, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
};
