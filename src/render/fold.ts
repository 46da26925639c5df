// Fits a page tree into a token budget by folding parts; each fold has a ref to expand it.
import { valueIf } from '../core/defined.ts';
import { addCount } from '../core/collections.ts';
import type { AxNode } from '../core/page-snapshot.ts';
import { textIf } from '../core/text.ts';
import { estimateTokens, type Fineness, measureFineness, LINE_END_TOKENS } from './tokens.ts';
import { type TreeBlock, buildLine, type OutlineLine, renderNodeLine, type RefOf } from './tree.ts';

const TEXT_KINDS = new Set<string>(['text', 'heading']);
const COUNTED_KINDS = new Set<string>(['item', 'control', 'group', 'frame']);

/**
 * Creates a ref for nodes that are not shown: `count` nodes from `first`, or all to the end; in a
 * text, from `offset` on.
 */
export type RefOfRange = (first: AxNode, count: number | undefined, offset?: number) => string;

export interface Refs {
  readonly refOf: RefOf;
  readonly refOfRange: RefOfRange;
}

interface FoldOptions {
  readonly maxTokens: number;
  /** Deeper levels are not shown. */
  readonly maxDepth?: number | undefined;
}

/** A block with its cost and score. */
class Weighed {
  /** Tokens of its line and of all its descendants. */
  total: number;
  /** The highest score among itself and its descendants. */
  best: number;

  constructor(
    readonly node: AxNode,
    readonly depth: number,
    readonly children: readonly Weighed[],
    /** Tokens of its own line. */
    readonly own: number,
    /** How important its own line is. */
    public score: number,
    /** The length at which its text is cut; the rest gets a ref. */
    readonly cutAt: number | undefined,
  ) {
    this.total = own;
    this.best = score;
    for (const child of children) {
      this.total += child.total;
      if (child.best > this.best) this.best = child.best;
    }
  }
}

/** The score of blocks that are never shown. */
const HIDDEN = -Infinity;

/** A threshold that every block passes except hidden ones. */
const EVERYTHING = -Number.MAX_VALUE;
/** A ref of the usual maximum length. */
const ANY_REF = (): string => 'e9999';
/** Refs for texts that are only measured. */
export const ANY_REFS: Refs = { refOf: ANY_REF, refOfRange: ANY_REF };
const FOLD_TOKENS = 16;
const LONGEST_SHARE = 0.2;
const MAX_FOLDED_NAME_CHARS = 300;
const SMALL_ITEM_LINES = 6;

/**
 * Text and the controls in it have similar scores, because a text without its links is not
 * readable.
 */
const SCORES: Readonly<Record<AxNode['kind'], number>> = {
  control: 31,
  group: 50,
  frame: 50,
  note: 45,
  heading: 60,
  text: 30,
  image: 27,
  item: 0,
};
/** How much lower the end of a page scores than its beginning. */
const DECLINE = 24;
const IN_VIEW = 100;

/** The chosen part of a tree. */
export interface Folded {
  /** Whether everything fits into the budget. */
  readonly isWhole: boolean;
  /** Returns the lines; only nodes in the lines get a ref. */
  readonly select: (refs: Refs) => OutlineLine[];
}

/** Chooses the part of a tree that fits into a budget. */
export const foldTree = (
  blocks: readonly TreeBlock[],
  { maxTokens, maxDepth }: FoldOptions,
): Folded => {
  const weighed = new Scale(blocks, maxTokens, maxDepth).weighAll(blocks);
  const threshold = chooseThreshold(weighed, maxTokens);
  return {
    isWhole: threshold === EVERYTHING,
    select: (refs) => new Emitter(refs, threshold).emit(weighed),
  };
};

/** Computes the cost and the score of blocks. */
class Scale {
  readonly #fineness: Fineness;
  readonly #longest: number;
  readonly #maxDepth: number;
  /** Later lines score less, so that all scores differ. */
  #index = 0;
  readonly #count: number;

  constructor(blocks: readonly TreeBlock[], budget: number, maxDepth = Infinity) {
    this.#fineness = measureFineness(sampleText(blocks));
    this.#longest = longestText(blocks, budget);
    this.#count = countBlocks(blocks);
    this.#maxDepth = maxDepth;
  }

  weighAll(blocks: readonly TreeBlock[], penalty = 0): Weighed[] {
    let run = 0;
    let last: AxNode | undefined;
    return blocks.map((block) => {
      run = last && isAlike(last, block.node) ? run + 1 : 0;
      last = block.node;
      return this.#weigh(block, penalty + (block.node.kind === 'text' ? 0 : runPenalty(run)));
    });
  }

  #weigh({ node, depth, children: blocks }: TreeBlock, penalty: number): Weighed {
    const isItem = node.kind === 'item';
    const score = isItem ? HIDDEN : this.#scoreOf(node, penalty);
    const line = isItem ? '' : renderNodeLine(shortNamed(node), ANY_REF);
    const full = isItem
      ? 0
      : estimateTokens(line, this.#fineness) + LINE_END_TOKENS + (depth > 1 ? 1 : 0);
    const isLong = node.kind === 'text' && full > this.#longest;
    const cutAt = valueIf(isLong, Math.max(80, Math.floor((line.length * this.#longest) / full)));
    const children = this.weighAll(blocks, penalty);
    for (const child of children) if (child.depth > this.#maxDepth) hide(child);
    const weighed = new Weighed(
      node,
      depth,
      children,
      isLong ? this.#longest + FOLD_TOKENS : full,
      score,
      cutAt,
    );
    if (isItem && countLines(children, SMALL_ITEM_LINES) <= SMALL_ITEM_LINES)
      together(weighed, weighed.best);
    return weighed;
  }

  #scoreOf({ kind, role, inView }: AxNode, penalty: number): number {
    const late = this.#index++ / this.#count;
    if (inView) return IN_VIEW - late;
    const level = kind === 'heading' ? Number(role) * 2 : 0;
    return SCORES[kind] - level - penalty - late * DECLINE;
  }
}

/** Average characters per token; used to divide the budget. */
const CHARS_PER_TOKEN = 4;

/** The limit of a single text: a share of the budget, or what the other nodes do not need. */
const longestText = (blocks: readonly TreeBlock[], budget: number): number => {
  const share = Math.max(40, budget * LONGEST_SHARE);
  let long = 0;
  let others = 0;
  const visit = ({ node, children }: TreeBlock): void => {
    const tokens = node.name.length / CHARS_PER_TOKEN + 4;
    if (node.kind === 'text' && tokens > share) long++;
    else others += tokens;
    for (const child of children) visit(child);
  };
  for (const block of blocks) visit(block);
  return long === 0 ? share : Math.max(share, ((budget - others) * 0.9) / long - FOLD_TOKENS);
};

/** Cuts the names of controls if the budget is short; their refs lead to the rest. */
const shortNamed = (node: AxNode): AxNode => {
  if (TEXT_KINDS.has(node.kind) || node.name.length <= MAX_FOLDED_NAME_CHARS) return node;
  return {
    ...node,
    children: node.children,
    name: `${node.name.slice(0, MAX_FOLDED_NAME_CHARS)}…`,
  };
};

const isAlike = (a: AxNode, b: AxNode): boolean =>
  a.kind === b.kind && (a.role === b.role || a.kind === 'heading');

/**
 * Lowers the score of later nodes in a run, from the fifth on. Text is exempt, because it is read
 * in order.
 */
const runPenalty = (index: number): number => (index < 4 ? 0 : 6 * Math.log2(1 + (index - 3) / 3));

const countBlocks = (blocks: readonly TreeBlock[]): number =>
  blocks.reduce((sum, { children }) => sum + 1 + countBlocks(children), 0);

const SAMPLE_CHARS = 20_000;

/** A part of the tree's text, enough to detect its language. */
const sampleText = (blocks: readonly TreeBlock[]): string => {
  let sample = '';
  const visit = ({ node, children }: TreeBlock): void => {
    if (sample.length > SAMPLE_CHARS) return;
    sample += `${node.name.slice(0, 500)} `;
    for (const child of children) visit(child);
  };
  for (const block of blocks) visit(block);
  return sample;
};

const countLines = (blocks: readonly Weighed[], atMost: number): number => {
  let lines = 0;
  for (const { node, children } of blocks) {
    lines += (node.kind === 'item' ? 0 : 1) + countLines(children, atMost);
    if (lines > atMost) break;
  }
  return lines;
};

/** A small item is shown or folded as a whole. */
const together = (block: Weighed, score: number): void => {
  if (block.best === HIDDEN) return;
  block.score = score;
  block.best = score;
  for (const child of block.children) together(child, score);
};

/** Hides a block below the maximum depth. */
const hide = (block: Weighed): void => {
  block.score = HIDDEN;
  block.best = HIDDEN;
  for (const child of block.children) hide(child);
};

/** The lowest threshold whose text fits into the budget. */
const chooseThreshold = (blocks: readonly Weighed[], budget: number): number => {
  if (measureSize(blocks, EVERYTHING, budget) <= budget) return EVERYTHING;
  const scores = collectScores(blocks).sort((a, b) => a - b);
  let low = 0;
  let high = scores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (measureSize(blocks, scores[middle] as number, budget) <= budget) high = middle;
    else low = middle + 1;
  }
  return scores[low] ?? Infinity;
};

const collectScores = (blocks: readonly Weighed[]): number[] => {
  const scores: number[] = [];
  const visit = ({ score, children }: Weighed): void => {
    if (score > HIDDEN) scores.push(score);
    for (const child of children) visit(child);
  };
  for (const block of blocks) visit(block);
  return scores;
};

/**
 * A fold of one kind is more useful than a mixed one. It is separate if it is at least this share
 * of the folded nodes.
 */
const NEARLY_ALL = 0.8;

/** The end of the folded run that begins at `start`. */
const runEnd = (blocks: readonly Weighed[], start: number, threshold: number): number => {
  let end = start + 1;
  while (end < blocks.length && (blocks[end] as Weighed).best < threshold) end++;
  const alike = alikeEnd(blocks, start, end);
  return alike - start >= (end - start) * NEARLY_ALL ? alike : end;
};

const alikeEnd = (blocks: readonly Weighed[], start: number, limit: number): number => {
  const { node } = blocks[start] as Weighed;
  let end = start + 1;
  while (end < limit && isAlike((blocks[end] as Weighed).node, node)) end++;
  return end;
};

/** Whether a run costs more than its fold line. */
const isWorthFolding = (
  blocks: readonly Weighed[],
  from: number,
  end: number,
  threshold: number,
): boolean => {
  if (threshold === Infinity) return true;
  let total = 0;
  for (let i = from; i < end; i++) {
    const { total: each, best } = blocks[i] as Weighed;
    if (best === HIDDEN || (total += each) > FOLD_TOKENS) return true;
  }
  return false;
};

/** The tokens of the blocks above a threshold and of the folds; stops counting above the limit. */
const measureSize = (blocks: readonly Weighed[], threshold: number, limit: number): number => {
  let size = 0;
  for (let i = 0; i < blocks.length && size <= limit;) {
    const block = blocks[i] as Weighed;
    if (block.best >= threshold) {
      size += block.own + measureSize(block.children, threshold, limit - size);
      i++;
      continue;
    }
    const end = runEnd(blocks, i, threshold);
    if (isWorthFolding(blocks, i, end, threshold)) size += FOLD_TOKENS;
    else for (let k = i; k < end; k++) size += (blocks[k] as Weighed).total;
    i = end;
  }
  return size;
};

/** Builds the lines of the chosen blocks and the folds. */
class Emitter {
  readonly #lines: OutlineLine[] = [];
  readonly #refs: Refs;
  readonly #threshold: number;

  constructor(refs: Refs, threshold: number) {
    this.#refs = refs;
    this.#threshold = threshold;
  }

  emit(blocks: readonly Weighed[]): OutlineLine[] {
    this.#emitAll(blocks, this.#threshold);
    return this.#lines;
  }

  #emitAll(blocks: readonly Weighed[], threshold: number): void {
    for (let i = 0; i < blocks.length;) {
      const block = blocks[i] as Weighed;
      if (block.best >= threshold) {
        this.#keep(block, threshold);
        i++;
        continue;
      }
      const end = runEnd(blocks, i, threshold);
      const run = blocks.slice(i, end);
      if (isWorthFolding(blocks, i, end, threshold))
        this.#fold(run, blocks[i - 1]?.node, end < blocks.length);
      else for (const each of run) this.#keep(each, EVERYTHING);
      i = end;
    }
  }

  #keep({ node, depth, children, cutAt }: Weighed, threshold: number): void {
    const { refOf, refOfRange } = this.#refs;
    if (cutAt !== undefined) {
      const left = (node.name.length - cutAt).toLocaleString('en');
      const cut = { ...node, name: `${node.name.slice(0, cutAt)}…` };
      this.#lines.push(buildLine(cut, depth, refOf));
      this.#pushFold(depth, `${left} more characters`, refOfRange(node, 1, cutAt));
    } else if (node.kind !== 'item')
      this.#lines.push(buildLine(shortNamed(node), depth, () => refOf(node)));
    this.#emitAll(children, threshold);
  }

  #fold(run: readonly Weighed[], before: AxNode | undefined, isFollowed: boolean): void {
    const [first] = run;
    if (!first) return;
    const ref = this.#refs.refOfRange(first.node, valueIf(isFollowed, run.length));
    this.#pushFold(first.depth, describeRun(run, before), ref);
  }

  #pushFold(depth: number, name: string, ref: string): void {
    this.#lines.push({ depth, kind: 'fold', ref, name });
  }
}

const PLURALS = new Map(
  Object.entries({
    searchbox: 'searchboxes',
    textbox: 'textboxes',
    combobox: 'comboboxes',
    listbox: 'listboxes',
    checkbox: 'checkboxes',
    switch: 'switches',
  }),
);

const plural = (word: string, count: number): string =>
  count === 1 ? word : (PLURALS.get(word) ?? `${word}s`);

const nameKind = ({ kind, role }: AxNode): string => (COUNTED_KINDS.has(kind) ? role : kind);

const describeRun = (run: readonly Weighed[], before: AxNode | undefined): string => {
  const [first] = run;
  const count = run.length.toLocaleString('en');
  if (!first) return count;
  if (run.every(({ node }) => isAlike(node, first.node))) {
    const like = textIf(before && isAlike(before, first.node), ' like this');
    return `${count} more ${plural(nameKind(first.node), run.length)}${like}`;
  }
  const controls = new Map<string, number>();
  const visit = ({ node, children }: Weighed): void => {
    if (node.kind === 'control') addCount(controls, node.role);
    for (const child of children) visit(child);
  };
  for (const block of run) visit(block);
  const most = [...controls]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 2)
    .map(([role, n]) => `${n.toLocaleString('en')} ${plural(role, n)}`);
  return `${count} more${textIf(most.length > 0, ` with ${most.join(' and ')}`)}`;
};
