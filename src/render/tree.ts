// Renders a page tree: one short line per node, ref first, indented only for structure.
import type { AxNode } from '../core/page-snapshot.ts';

/** The ref of a node that can be acted on or expanded. */
export type RefOf = (node: AxNode) => string;
export type Filter = 'all' | 'interactive';

/** A node with its indentation. */
export interface TreeBlock {
  readonly node: AxNode;
  readonly depth: number;
  readonly children: readonly TreeBlock[];
}

/**
 * Computes the depth of every node. The filter keeps only usable nodes and the frames around them.
 */
export const arrangeNodes = (nodes: readonly AxNode[], filter: Filter): TreeBlock[] => {
  if (filter === 'interactive') return interactiveOnly(nodes, 0);
  return nodes.map((node) => place(node, 0));
};

const place = (node: AxNode, depth: number): TreeBlock => {
  if (node.kind !== 'item')
    return { node, depth, children: node.children.map((child) => place(child, depth + 1)) };
  // The first child of an item is its own line and the others are indented below it, unless the
  // item begins with a heading or its children are of equal rank.
  const below = node.children[0]?.kind === 'heading' || areEqual(node.children) ? depth : depth + 1;
  return {
    node,
    depth,
    children: node.children.map((child, i) => place(child, i === 0 ? depth : below)),
  };
};

/**
 * Whether all children are controls of one kind, like the buttons of a group. Links do not count,
 * because the first link is often the title of the item.
 */
const areEqual = ([first, ...others]: readonly AxNode[]): boolean =>
  first?.kind === 'control' &&
  first.role !== 'link' &&
  others.every(({ kind, role }) => kind === 'control' && role === first.role);

const interactiveOnly = (nodes: readonly AxNode[], depth: number): TreeBlock[] =>
  nodes.flatMap((node): TreeBlock[] => {
    if (node.kind === 'frame') {
      const children = interactiveOnly(node.children, depth + 1);
      return children.length > 0 ? [{ node, depth, children }] : [];
    }
    const inner = interactiveOnly(node.children, depth);
    return node.kind === 'control' ? [{ node, depth, children: [] }, ...inner] : inner;
  });

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Page text that looks like a ref, a heading or a fold is escaped. */
const FORGED = /^\s*(?:#|…|\\|[a-z]*\d*e\d+ )/;
const plain = (text: string): string => (FORGED.test(text) ? `\\${text}` : text);

const hashes = (level: string): string => '#'.repeat(Math.min(Math.max(Number(level) || 2, 1), 6));

/** Role, name, states and value of a node that is not plain text. */
const detailed = ({ role, name, states, value, url }: AxNode): string => {
  let line = role;
  if (name !== '') line += ` ${quote(name)}`;
  if (states !== '') line += ` ${states}`;
  if (value !== '') line += ` =${quote(value)}`;
  if (url !== '') line += ` ${url}`;
  return line;
};

/** The line of a node without its indentation; empty if the node has only children. */
export const renderNodeLine = (node: AxNode, refOf: RefOf): string => {
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
      return `${refOf(node)} ${detailed(node)}`;
    default:
      return node.role === 'aria-hidden' ? `${refOf(node)} ${detailed(node)}` : detailed(node);
  }
};

const MAX_INDENT = 20;

/** One space per level costs few tokens. */
export const indent = (depth: number, text: string): string =>
  ' '.repeat(Math.min(depth, MAX_INDENT)) + text;

/** A line with its node. */
export interface TextLine {
  readonly depth: number;
  readonly text: string;
  readonly node: AxNode;
}

/** All lines of a tree, in order. */
export const treeLines = (blocks: readonly TreeBlock[], refOf: RefOf): TextLine[] => {
  const lines: TextLine[] = [];
  const visit = ({ node, depth, children }: TreeBlock): void => {
    if (node.kind !== 'item') lines.push({ depth, text: renderNodeLine(node, refOf), node });
    for (const child of children) visit(child);
  };
  for (const block of blocks) visit(block);
  return lines;
};
