// What values look like, as JSON Schema. Pure.
import type { Kind, TypeNode } from './type-tree.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export const toJsonSchema = (node: TypeNode): JsonSchema => {
  const types = [...new Set(node.kinds.map((kind) => typeWord(kind, node)))];
  if (types.length === 0) return {};
  return {
    type: types.length === 1 ? types[0] : types,
    ...(node.kinds.includes('object') ? objectPart(node) : {}),
    ...(node.kinds.includes('array') ? { items: node.item ? toJsonSchema(node.item) : {} } : {}),
  };
};

const typeWord = (kind: Kind, { integers }: TypeNode): string => (kind === 'number' && integers ? 'integer' : kind);

const objectPart = (node: TypeNode): JsonSchema => {
  const names = [...node.fields.keys()];
  if (names.length === 0) return {};
  const required = names.filter((name) => (node.fields.get(name)?.count ?? 0) >= node.objects);
  return {
    properties: Object.fromEntries([...node.fields].map(([name, { type }]) => [name, toJsonSchema(type)])),
    ...(required.length > 0 ? { required } : {}),
  };
};
