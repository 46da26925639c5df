// The answer of a walk (see page-scripts/record.ts) as a tree.
import type { AxKind, AxNode } from '../../core/snapshot.ts';
import { FIELDS, HEADER, IN_VIEW, KINDS } from '../page-scripts/record.ts';

/** A node as it came from one frame: `id` names its element there, 0 where it has none. */
export class WalkedNode implements AxNode {
  readonly children: WalkedNode[] = [];
  inView = false;

  constructor(
    readonly kind: AxKind,
    readonly id: number,
    readonly role: string,
    readonly name: string,
    readonly states: string,
    readonly value: string,
    readonly key: string,
    readonly url: string,
  ) {}
}

export interface Walked {
  /** Names the document that was walked. */
  readonly document: string;
  /** How many elements may hide a closed shadow root. */
  readonly suspects: number;
  /** The walk ended before the page did. */
  readonly cut: boolean;
  /** A modal dialog is open, and only what is in it was brought. */
  readonly modal: boolean;
  readonly nodes: readonly WalkedNode[];
}

const KIND_OF = new Map(Object.entries(KINDS).map(([kind, letter]) => [letter, kind as AxKind]));

export const decodeWalk = (answer: string): Walked => {
  const lines = answer.split('\n');
  const header = (lines[0] ?? '').split('\t');
  const field = (name: (typeof HEADER)[number]): string => header[HEADER.indexOf(name)] ?? '';
  const last = lines.at(-1) ?? '';
  const hasView = lines.length > 1 && last.startsWith(IN_VIEW);
  const nodes = decodeNodes(lines, hasView ? lines.length - 1 : lines.length);
  if (hasView) markInView(nodes, last);
  return { document: field('document'), suspects: Number(field('suspects')), cut: field('cut') === '1', modal: field('modal') === '1', nodes };
};

const at = (field: (typeof FIELDS)[number]): number => FIELDS.indexOf(field);
const [DEPTH, ID, ROLE, NAME, STATES, VALUE, KEY, URL] = [at('depth'), at('id'), at('role'), at('name'), at('states'), at('value'), at('key'), at('url')];

const decodeNodes = (lines: readonly string[], end: number): WalkedNode[] => {
  const top: WalkedNode[] = [];
  const path: WalkedNode[] = [];
  for (let i = 1; i < end; i++) {
    const line = lines[i] ?? '';
    const fields = line.slice(1).split('\t');
    const node = new WalkedNode(
      KIND_OF.get(line[0] ?? '') ?? 'text',
      Number(fields[ID] ?? 0),
      fields[ROLE] ?? '',
      fields[NAME] ?? '',
      fields[STATES] ?? '',
      fields[VALUE] ?? '',
      fields[KEY] ?? '',
      fields[URL] ?? '',
    );
    const depth = Math.min(Number(fields[DEPTH] ?? 0), path.length);
    path.length = depth;
    (path[depth - 1]?.children ?? top).push(node);
    path.push(node);
  }
  return top;
};

const markInView = (nodes: readonly WalkedNode[], line: string): void => {
  const ids = new Set(line.slice(1).split(',').map(Number));
  const visit = (node: WalkedNode): void => {
    if (node.id && ids.has(node.id)) node.inView = true;
    for (const child of node.children) visit(child);
  };
  for (const node of nodes) visit(node);
};
