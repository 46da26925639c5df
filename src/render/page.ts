// Selects the part of a page tree that fits into a budget, and renders it; also after an action.
import { defined, ifDefined } from '../core/defined.ts';
import type { AxNode } from '../core/page-snapshot.ts';
import { type PageChanges, renderChanges, selectChanges } from './diff.ts';
import { ANY_REFS, type Folded, foldTree, type Refs } from './fold.ts';
import { countTokens } from './tokens.ts';
import {
  arrangeNodes,
  buildOutline,
  type Filter,
  type OutlineLine,
  renderOutline,
  type TreeBlock,
} from './tree.ts';

/** A page that was read: its nodes, and a function that creates refs for shown nodes. */
interface ReadPage extends Refs {
  readonly nodes: readonly AxNode[];
}

export interface PageTextOptions {
  readonly filter?: Filter | undefined;
  /** Number of levels to show. */
  readonly depth?: number | undefined;
  readonly maxTokens: number;
}

/** If less of the budget is used, the fold is tried again with a larger budget. */
const WELL_USED = 0.85;
const MAX_ATTEMPTS = 8;

export const renderPage = (page: ReadPage, options: PageTextOptions): string =>
  renderOutline(selectOutline(page, options));

/** A fold of a page of which nothing fits into the budget. */
const ALL_FOLDED: OutlineLine = { depth: 0, kind: 'fold' };

/** Returns the lines of the page that fit into the budget; only these nodes get refs. */
export const selectOutline = (
  page: ReadPage,
  { filter = 'all', depth, maxTokens }: PageTextOptions,
): readonly OutlineLine[] => {
  const blocks = arrangeNodes(page.nodes, filter);
  if (
    depth === undefined &&
    measureSize(page.nodes) <= maxTokens * 1.5 &&
    fits(renderOutline(buildOutline(blocks, ANY_REFS.refOf)), maxTokens)
  )
    return buildOutline(blocks, page.refOf);
  return fold(blocks, depth, maxTokens)?.select(page) ?? [ALL_FOLDED];
};

/** Margin for estimates that are slightly too low. */
const SURE = 0.95;

/** A text has at most as many tokens as characters. */
const fits = (text: string, maxTokens: number): boolean =>
  text.length <= maxTokens || countTokens(text) <= maxTokens * SURE;

/**
 * Checks the estimate with the full text. Folds again if it was too low, or if much of the budget
 * is unused.
 */
const fold = (
  blocks: readonly TreeBlock[],
  depth: number | undefined,
  maxTokens: number,
): Folded | undefined => {
  let best: Folded | undefined;
  let budget = maxTokens * SURE;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const folded = foldTree(
      blocks,
      defined({ maxTokens: budget, maxDepth: ifDefined(depth, (depth) => depth - 1) }),
    );
    const tokens = countTokens(renderOutline(folded.select(ANY_REFS)));
    if (tokens > maxTokens * SURE) {
      if (best) return best;
      budget = budget * 0.85 - 2;
      continue;
    }
    best = folded;
    if (folded.isWhole || tokens >= maxTokens * WELL_USED || attempt > 2) return best;
    budget *= Math.min(1.6, (maxTokens / tokens) * 0.98);
  }
  return best;
};

/** A lower bound for the tokens of a tree, without rendering it. */
const measureSize = (nodes: readonly AxNode[]): number => {
  let size = 0;
  const visit = ({ name, children }: AxNode): void => {
    size += 2 + name.length / 8;
    for (const child of children) visit(child);
  };
  for (const node of nodes) visit(node);
  return size;
};

// The page after an action: its changes if it was read before, else its outline.

const MAX_TOKENS = 10_000;

interface StateReading {
  readonly now: ReadPage;
  readonly before?: ReadPage;
}

type StateAfter =
  | { readonly mode: 'ax'; readonly lines: readonly OutlineLine[] }
  | ({ readonly mode: 'diff' } & PageChanges);

export const selectStateAfter = (
  wanted: 'none' | 'ax' | 'diff',
  { now, before }: StateReading,
): StateAfter =>
  wanted === 'diff' && before
    ? { mode: 'diff', ...selectChanges(before, now, { maxTokens: MAX_TOKENS }) }
    : { mode: 'ax', lines: selectOutline(now, { maxTokens: MAX_TOKENS }) };

export const renderStateAfter = (state: StateAfter): string =>
  state.mode === 'diff' ? renderChanges(state) : renderOutline(state.lines);
