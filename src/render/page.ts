// What read_page answers in its ax mode: the tree of a page within a token budget, or what changed in it.
import type { AxNode } from '../core/snapshot.ts';
import { foldTree, type Refs } from './fold.ts';
import { countTokens } from './tokens.ts';
import { type Filter, indent, layOut, treeLines } from './tree.ts';

/** A page that was read: its nodes, and the refs that are given to those of them that are shown. */
export interface ReadPage extends Refs {
  readonly nodes: readonly AxNode[];
}

export interface PageTextOptions {
  readonly filter?: Filter | undefined;
  /** How many levels to show. */
  readonly depth?: number | undefined;
  readonly maxTokens: number;
}

const EMPTY = '(nothing to read)';
/** Characters that surely fit: no token is less than one, and hardly any text comes near that. */
const surelyFits = (chars: number, maxTokens: number): boolean => chars <= maxTokens;

export const renderPage = (page: ReadPage, { filter = 'all', depth, maxTokens }: PageTextOptions): string => {
  const blocks = layOut(page.nodes, filter);
  if (blocks.length === 0) return EMPTY;
  if (depth === undefined && sizeOf(page.nodes) <= maxTokens * 1.5) {
    const text = joined(treeLines(blocks, page.refOf).map((line) => indent(line.depth, line.text)));
    if (surelyFits(text.length, maxTokens) || countTokens(text) <= maxTokens) return text;
  }
  return fitted(page, blocks, { depth, maxTokens });
};

/** Estimates are checked against the whole text, and made again where they were too low. */
const fitted = (
  page: ReadPage,
  blocks: ReturnType<typeof layOut>,
  { depth, maxTokens }: { depth: number | undefined; maxTokens: number },
): string => {
  let text = '';
  for (let budget = maxTokens; budget > 0; budget = Math.floor(budget * 0.9) - 1) {
    text = joined(
      foldTree(blocks, {
        refOf: page.refOf,
        refOfRange: page.refOfRange,
        maxTokens: budget,
        ...(depth === undefined ? {} : { maxDepth: depth - 1 }),
      }),
    );
    if (countTokens(text) <= maxTokens) return text;
  }
  return '…';
};

const joined = (lines: readonly string[]): string => lines.join('\n');

/** A lower bound of the tokens of a tree, without writing it. */
const sizeOf = (nodes: readonly AxNode[]): number => {
  let size = 0;
  const visit = ({ name, children }: AxNode): void => {
    size += 2 + name.length / 8;
    for (const child of children) visit(child);
  };
  for (const node of nodes) visit(node);
  return size;
};
