// A page's tree as text: one short line for each node, refs first, indentation only where structure means something.
import type { AxNode } from '../core/snapshot.ts';

/** The ref of a node that can be acted on or expanded. */
export type RefOf = (node: AxNode) => string;

export interface TextLine {
  readonly depth: number;
  readonly text: string;
  readonly node: AxNode;
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Text that could be taken for a ref, a heading or a fold is marked as plain. */
const FORGED = /^\s*(?:#|…|\\|[a-z]*\d*e\d+ )/;
const plain = (text: string): string => (FORGED.test(text) ? `\\${text}` : text);

const hashes = (level: string): string => '#'.repeat(Math.min(Math.max(Number(level) || 2, 1), 6));

/** Fields, states and values of a node that is more than text. */
const detailed = (node: AxNode, role: string): string => {
  let line = role;
  if (node.name !== '') line += ` ${quote(node.name)}`;
  if (node.states !== '') line += ` ${node.states}`;
  if (node.value !== '') line += ` =${quote(node.value)}`;
  if (node.url !== '') line += ` ${node.url}`;
  return line;
};

/** The line of a node without its indentation; '' where the node is only its children. */
export const lineOf = (node: AxNode, refOf: RefOf): string => {
  switch (node.kind) {
    case 'text':
      return plain(node.name);
    case 'heading':
      return `${hashes(node.role)} ${node.name}`;
    case 'image':
      return `img ${quote(node.name)}`;
    case 'item':
      return '';
    case 'control':
      return `${refOf(node)} ${detailed(node, node.role)}`;
    default:
      return detailed(node, node.role);
  }
};

/** All lines of a tree, in order. */
export const treeLines = (nodes: readonly AxNode[], refOf: RefOf): TextLine[] => {
  const lines: TextLine[] = [];
  const visit = (node: AxNode, depth: number): void => {
    if (node.kind === 'item') return visitItem(node, depth);
    lines.push({ depth, text: lineOf(node, refOf), node });
    for (const child of node.children) visit(child, depth + 1);
  };
  /** An item is its first line; the rest stands below it, unless a heading already sets it apart. */
  const visitItem = (item: AxNode, depth: number): void => {
    const [first, ...rest] = item.children;
    if (!first) return;
    visit(first, depth);
    const below = first.kind === 'heading' ? depth : depth + 1;
    for (const child of rest) visit(child, below);
  };
  for (const node of nodes) visit(node, 0);
  return lines;
};

/** One space for each level: the first costs a reader nothing, the others little. */
export const indented = ({ depth, text }: Pick<TextLine, 'depth' | 'text'>): string => ' '.repeat(Math.min(depth, 20)) + text;
