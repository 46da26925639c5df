// Renders observed types as TypeScript declarations.
import { textIf } from '../core/text.ts';
import type { JsonKind, TypeNode } from './type-tree.ts';

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
