// Decodes the answer of a walk (format: page/walk-record.ts) into a tree.
import type { AxKind, AxNode } from '../../core/page-snapshot.ts';
import { textAt } from '../../core/text.ts';
import { BEHIND, FIELDS, HEADER, IN_VIEW, KINDS } from '../../page/walk-record.ts';
import type { Frame } from '../tabs/frames.ts';

/** The document that a frame showed at the time of the walk. */
export interface WalkedDocument {
  readonly frame: Frame;
  /** The frame id. */
  readonly id: string;
  readonly loaderId: string;
}

/** Returns the current document of a frame. */
export const describeDocument = (frame: Frame): WalkedDocument => ({
  frame,
  id: frame.id,
  loaderId: frame.loaderId,
});

/** A node of one frame. `id` is the element id in that frame, 0 if it has none. */
export class WalkedNode implements AxNode {
  children: WalkedNode[] = [];
  inView = false;
  /** All children of its parent, including itself. */
  siblings: readonly WalkedNode[] = [];
  /** Its ref; '' until one is assigned. */
  ref = '';
  /** If this node is the rest of a cut text: the node of the whole text, and the start offset. */
  rest: { readonly of: WalkedNode; readonly offset: number } | undefined;

  constructor(
    readonly document: WalkedDocument,
    readonly parent: WalkedNode | undefined,
    readonly kind: AxKind,
    readonly id: number,
    readonly role: string,
    readonly name: string,
    readonly states: string,
    readonly value: string,
    readonly key: string,
    readonly url: string,
    /** Fingerprint computed in the page; '' for nodes without a ref. */
    readonly fingerprint = '',
  ) {}

  /** The other words of its row, card or list item, for messages. */
  get beside(): string {
    let item = this.parent;
    for (let i = 0; item && item.kind !== 'item' && i < MAX_CLIMB; i++) item = item.parent;
    return item?.kind === 'item' ? collectWords(item, this) : '';
  }
}

const MAX_CLIMB = 6;
const MAX_BESIDE_CHARS = 60;
const MAX_BESIDE_NODES = 40;

const collectWords = (item: WalkedNode, without: WalkedNode): string => {
  let words = '';
  let left = MAX_BESIDE_NODES;
  const visit = (node: WalkedNode): void => {
    if (node === without || left-- <= 0 || words.length > MAX_BESIDE_CHARS) return;
    if (node.name !== '') words += words === '' ? node.name : ` ${node.name}`;
    for (const child of node.children) visit(child);
  };
  for (const child of item.children) visit(child);
  return words.slice(0, MAX_BESIDE_CHARS);
};

export interface Walked {
  readonly document: WalkedDocument;
  /** Number of elements that may have a closed shadow root. */
  readonly suspects: number;
  /** The walk stopped before the end of the page. */
  readonly cut: boolean;
  /** A modal dialog is open, and only its content is in `nodes`. */
  readonly modal: boolean;
  /** Number of elements that show other documents. */
  readonly frames: number;
  /** The document's title at the time of the walk. */
  readonly title: string;
  readonly nodes: WalkedNode[];
  /** Nodes behind a modal dialog; empty unless requested. */
  readonly behind: WalkedNode[];
}

const KIND_OF = new Map(
  Object.entries(KINDS).map(([kind, letter]) => [letter as string, kind as AxKind]),
);

export const decodeWalk = (answer: string, document: WalkedDocument): Walked => {
  const lines = answer.split('\n');
  const header = textAt(lines, 0).split('\t');
  const field = (name: (typeof HEADER)[number]): string => textAt(header, HEADER.indexOf(name));
  const base = Number(field('base'));
  const last = textAt(lines, -1);
  const hasView = lines.length > 1 && last.startsWith(IN_VIEW);
  const end = hasView ? lines.length - 1 : lines.length;
  const split = lines.indexOf(BEHIND);
  const nodes = decodeNodes(lines, 1, split < 0 ? end : split, base, document);
  const behind = split < 0 ? [] : decodeNodes(lines, split + 1, end, base, document);
  if (hasView) markInView(nodes, last, base);
  return {
    document,
    suspects: Number(field('suspects')),
    cut: field('cut') === '1',
    modal: field('modal') === '1',
    frames: Number(field('frames')),
    title: field('title'),
    nodes,
    behind,
  };
};

const at = (field: (typeof FIELDS)[number]): number => FIELDS.indexOf(field);
const [DEPTH, ID, ROLE, NAME, STATES, VALUE, KEY, URL, FINGERPRINT] = [
  at('depth'),
  at('id'),
  at('role'),
  at('name'),
  at('states'),
  at('value'),
  at('key'),
  at('url'),
  at('fingerprint'),
];

const decodeNodes = (
  lines: readonly string[],
  start: number,
  end: number,
  base: number,
  document: WalkedDocument,
): WalkedNode[] => {
  const top: WalkedNode[] = [];
  const path: WalkedNode[] = [];
  for (let i = start; i < end; i++) {
    const line = textAt(lines, i);
    const fields = line.slice(1).split('\t');
    const depth = Math.min(Number(textAt(fields, DEPTH)), path.length);
    path.length = depth;
    const parent = path[depth - 1];
    const id = fields[ID];
    const node = new WalkedNode(
      document,
      parent,
      KIND_OF.get(line.charAt(0)) ?? 'text',
      id ? base + Number(id) : 0,
      textAt(fields, ROLE),
      textAt(fields, NAME),
      textAt(fields, STATES),
      textAt(fields, VALUE),
      textAt(fields, KEY),
      textAt(fields, URL),
      textAt(fields, FINGERPRINT),
    );
    const siblings = parent?.children ?? top;
    siblings.push(node);
    node.siblings = siblings;
    path.push(node);
  }
  return top;
};

const markInView = (nodes: readonly WalkedNode[], line: string, base: number): void => {
  const ids = new Set(
    line
      .slice(1)
      .split(',')
      .map((id) => base + Number(id)),
  );
  for (const node of everyNode(nodes)) if (node.id && ids.has(node.id)) node.inView = true;
};

/** All nodes of a tree, parents before children. */
export const everyNode = (nodes: readonly WalkedNode[]): WalkedNode[] => {
  const all: WalkedNode[] = [];
  const add = (node: WalkedNode): void => {
    all.push(node);
    for (const child of node.children) add(child);
  };
  for (const node of nodes) add(node);
  return all;
};
