// One reading of a tab: its tree, and the refs of its elements.
import { defined } from '../../core/defined.ts';
import type { AxNode } from '../../core/page-snapshot.ts';
import type { Tab } from '../tabs/tab.ts';
import { everyNode, type WalkedNode } from './decode.ts';
import type { FoldedRange } from './ref-book.ts';

export class Snapshot {
  #places: ReadonlyMap<WalkedNode, SnapshotPosition> | undefined;

  constructor(
    readonly tab: Tab,
    readonly nodes: readonly WalkedNode[],
    /**
     * The part that was read: the id of its root element (undefined for the whole page) and its
     * nodes.
     */
    readonly scope: { readonly root: number | undefined; readonly nodes: readonly WalkedNode[] },
    /** The document of the main frame. Readings of different documents are not compared. */
    readonly loaderId: string,
    /** Nodes behind a modal dialog; only in readings that are compared with an earlier one. */
    readonly behind: readonly WalkedNode[] = [],
  ) {}

  /** The page before the dialog opened that is still open. */
  seen: readonly WalkedNode[] = [];

  /** Returns the ref of a node; assigns one if it has none. */
  readonly refOf = (node: AxNode): string => {
    const walked = node as WalkedNode;
    if (walked.ref === '' && walked.id !== 0)
      walked.ref = this.tab.refs.refOf(walked.document, walked.id, walked);
    return walked.ref;
  };

  /**
   * Creates a ref for folded siblings: `count` siblings from `first` on (all if undefined),
   * starting at `offset` of the first text.
   */
  readonly refOfRange = (first: AxNode, count: number | undefined, offset?: number): string => {
    const { of: whole, offset: start } = (first as WalkedNode).rest ?? {
      of: first as WalkedNode,
      offset: 0,
    };
    const { anchor, skip } = this.#placeOf(whole);
    const { root } = this.scope;
    const range: FoldedRange = defined({
      skip,
      scope: root,
      anchor,
      count,
      offset: offset === undefined && start === 0 ? undefined : start + (offset ?? 0),
    });
    return this.tab.refs.refOfRange((first as WalkedNode).document, range);
  };

  /** A node without an id is located by the last node before it that has an id. */
  #placeOf(wanted: WalkedNode): SnapshotPosition {
    if (wanted.id !== 0) return { anchor: wanted.id, skip: 0 };
    this.#places ??= indexPositions(this.scope.nodes);
    return this.#places.get(wanted) ?? { skip: 0 };
  }
}

interface SnapshotPosition {
  readonly anchor?: number;
  readonly skip: number;
}

const indexPositions = (nodes: readonly WalkedNode[]): Map<WalkedNode, SnapshotPosition> => {
  const places = new Map<WalkedNode, SnapshotPosition>();
  let anchor: number | undefined;
  let skip = 0;
  for (const node of everyNode(nodes)) {
    if (node.id === 0) places.set(node, anchor === undefined ? { skip } : { anchor, skip });
    else {
      anchor = node.id;
      skip = 0;
    }
    skip++;
  }
  return places;
};

/**
 * Returns the nodes of a folded range in a new reading; undefined if the range is not there any
 * more.
 */
export const listRangeNodes = (
  nodes: readonly WalkedNode[],
  range: FoldedRange,
): readonly WalkedNode[] | undefined => {
  const first = findStart(nodes, range);
  if (!first) return undefined;
  const siblings = first.parent?.children ?? nodes;
  const from = siblings.indexOf(first);
  return siblings.slice(from, range.count === undefined ? undefined : from + range.count);
};

const findStart = (
  nodes: readonly WalkedNode[],
  { anchor, skip }: FoldedRange,
): WalkedNode | undefined => {
  let left = anchor === undefined ? skip : -1;
  for (const node of everyNode(nodes)) {
    if (anchor !== undefined && node.id === anchor) left = skip;
    if (left === 0) return node;
    if (left > 0) left--;
  }
  return undefined;
};
