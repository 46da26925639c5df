// Renders a page tree: one short line per node, ref first, indented only for structure.
import { listIf } from '../core/collections.ts';
import { defined, valueIf } from '../core/defined.ts';
import type { AxKind, AxNode } from '../core/page-snapshot.ts';

/** The ref of a node that can be acted on or expanded. */
export type RefOf = (node: AxNode) => string;
export type Filter = 'all' | 'interactive' | 'roles';

/** A node with its indentation. */
export interface TreeBlock {
  readonly node: AxNode;
  readonly depth: number;
  readonly children: readonly TreeBlock[];
}

/**
 * Computes the depth of every node. The filter `interactive` keeps only usable nodes and the
 * frames around them.
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
      return listIf(children.length > 0, { node, depth, children });
    }
    const inner = interactiveOnly(node.children, depth);
    return node.kind === 'control' ? [{ node, depth, children: [] }, ...inner] : inner;
  });

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Page text that looks like a ref, a heading or a fold is escaped. */
const FORGED = /^\s*(?:#|\u2026|\\|[a-z]*\d*e\d+ )/;
const plain = (text: string): string => (FORGED.test(text) ? `\\${text}` : text);

const hashes = (level: string): string => '#'.repeat(Math.min(Math.max(Number(level) || 2, 1), 6));

/** A line of the outline as data: a node that is shown, or a fold that `ref` expands. */
export interface OutlineLine {
  readonly depth: number;
  readonly kind: AxKind | 'fold';
  readonly ref?: string;
  readonly role?: string;
  readonly name?: string;
  readonly states?: string;
  /** The value of a field. */
  readonly current?: string;
  readonly url?: string;
}

/** The strings of a node that its line shows. */
type NodeWords = Pick<AxNode, 'role' | 'name' | 'states' | 'value' | 'url'> & {
  readonly kind: OutlineLine['kind'];
};

/** Role, name, states and value of a node that is not plain text. */
const detailed = ({ role, name, states, value, url }: NodeWords): string => {
  let line = role;
  if (name !== '') line += ` ${quote(name)}`;
  if (states !== '') line += ` ${states}`;
  if (value !== '') line += ` =${quote(value)}`;
  if (url !== '') line += ` ${url}`;
  return line;
};

const renderFold = (name: string, ref: string): string =>
  ref === '' ? '…' : `… ${name}, expand ${ref}`;

const renderDetailed = (words: NodeWords, ref: string): string =>
  ref === '' ? detailed(words) : `${ref} ${detailed(words)}`;

const RENDERERS: Readonly<Record<OutlineLine['kind'], (words: NodeWords, ref: string) => string>> =
  {
    text: ({ name }) => plain(name),
    heading: ({ role, name }) => `${hashes(role)} ${name}`,
    image: ({ name }) => `img ${quote(name)}`,
    item: () => '',
    fold: ({ name }, ref) => renderFold(name, ref),
    control: renderDetailed,
    group: renderDetailed,
    frame: renderDetailed,
    note: renderDetailed,
  };

const renderWords = (words: NodeWords, ref: string): string => RENDERERS[words.kind](words, ref);

const hasRef = ({ kind, role }: AxNode): boolean =>
  kind === 'control' || (role === 'aria-hidden' && HAS_DETAILS.has(kind));
const HAS_DETAILS: ReadonlySet<AxKind> = new Set(['group', 'frame', 'note']);

/** The line of a node without its indentation; empty if the node has only children. */
export const renderNodeLine = (node: AxNode, refOf: RefOf): string =>
  renderWords(node, hasRef(node) ? refOf(node) : '');

/** The kinds whose role is not shown. */
const WITHOUT_ROLE: ReadonlySet<AxKind> = new Set(['text', 'image']);

export const buildLine = (node: AxNode, depth: number, refOf: RefOf): OutlineLine => {
  const { kind, role, name, states, value, url } = node;
  return defined({
    depth,
    kind,
    ref: hasRef(node) ? refOf(node) : undefined,
    role: valueIf(!WITHOUT_ROLE.has(kind), role),
    name: valueIf(name !== '', name),
    states: valueIf(states !== '', states),
    current: valueIf(value !== '', value),
    url: valueIf(url !== '', url),
  });
};

const EMPTY = '(no content)';

export const renderOutline = (lines: readonly OutlineLine[]): string =>
  lines.length === 0 ? EMPTY : lines.map(renderOutlineLine).join('\n');

const renderOutlineLine = ({
  depth,
  kind,
  ref = '',
  role = '',
  name = '',
  states = '',
  current = '',
  url = '',
}: OutlineLine): string =>
  indent(depth, renderWords({ kind, role, name, states, value: current, url }, ref));

const MAX_INDENT = 20;

/** One space per level costs few tokens. */
const indent = (depth: number, text: string): string =>
  ' '.repeat(Math.min(depth, MAX_INDENT)) + text;

/** A line with its node. */
export interface TextLine {
  readonly depth: number;
  readonly text: string;
  readonly node: AxNode;
}

/** All nodes of a tree with their depth, in order. */
export const buildOutline = (blocks: readonly TreeBlock[], refOf: RefOf): OutlineLine[] =>
  mapLines(blocks, (node, depth) => buildLine(node, depth, refOf));

/** All lines of a tree, in order. */
export const treeLines = (blocks: readonly TreeBlock[], refOf: RefOf): TextLine[] =>
  mapLines(blocks, (node, depth) => ({ depth, text: renderNodeLine(node, refOf), node }));

const mapLines = <T>(
  blocks: readonly TreeBlock[],
  toLine: (node: AxNode, depth: number) => T,
): T[] => {
  const lines: T[] = [];
  const visit = ({ node, depth, children }: TreeBlock): void => {
    if (node.kind !== 'item') lines.push(toLine(node, depth));
    for (const child of children) visit(child);
  };
  for (const block of blocks) visit(block);
  return lines;
};
