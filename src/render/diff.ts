// Compares two readings of a page: added, removed and changed lines, each with its location.
import { listIf } from '../core/collections.ts';
import { textAt } from '../core/text.ts';
import type { AxNode } from '../core/page-snapshot.ts';
import { sequenceDiff } from './sequence-diff.ts';
import { countTokens } from './tokens.ts';
import { type Filter, arrangeNodes, type RefOf, type TextLine, treeLines } from './tree.ts';

interface DiffSide {
  readonly nodes: readonly AxNode[];
  readonly refOf: RefOf;
  /** Nodes that an open dialog blocks: not shown, but not removed either. */
  readonly behind?: readonly AxNode[];
  /** The page as it was last rendered before the dialog opened. */
  readonly seen?: readonly AxNode[];
}

interface DiffOptions {
  readonly filter?: Filter | undefined;
  readonly maxTokens: number;
}

const UNCHANGED = 'unchanged';

/** A line with a key that stays the same when its text changes. */
interface Keyed extends TextLine {
  readonly key: string;
}

/** An added, removed or changed line, and the line that describes its location. */
interface DiffLine {
  readonly sign: '+' | '-' | '~';
  readonly text: string;
  readonly place: string;
}

export interface PageChanges {
  readonly changes: readonly DiffLine[];
  /** Number of changes that did not fit into the budget. */
  readonly more?: number;
}

export const renderDiff = (before: DiffSide, now: DiffSide, options: DiffOptions): string =>
  renderChanges(selectChanges(before, now, options));

/** Returns the changes that fit into the budget. */
export const selectChanges = (
  before: DiffSide,
  now: DiffSide,
  { filter = 'all', maxTokens }: DiffOptions,
): PageChanges => {
  const linesOf = (nodes: readonly AxNode[] = []): Keyed[] =>
    keyedLines({ nodes, refOf: now.refOf }, filter);
  const changes = findChanges(keyedLines(before, filter), keyedLines(now, filter), {
    before: linesOf(before.behind),
    now: linesOf(now.behind),
    seen: linesOf(before.seen),
  });
  return fit(changes, maxTokens);
};

/** Renders the changes, or one line if there are none. */
export const renderChanges = ({ changes, more = 0 }: PageChanges): string => {
  if (changes.length + more === 0) return UNCHANGED;
  const places = new Places();
  const lines = changes.flatMap((change) => places.linesOf(change));
  if (more > 0) lines.push(`… ${more.toLocaleString('en')} more changes: read the page again`);
  return lines.join('\n');
};

/** The key of a usable element is its ref; the key of every other line is its text. */
const keyedLines = ({ nodes, refOf }: DiffSide, filter: Filter): Keyed[] =>
  treeLines(arrangeNodes(nodes, filter), refOf).map((line) => ({
    ...line,
    key: line.node.kind === 'control' ? refOf(line.node) : `${line.node.kind} ${line.text}`,
  }));

/** Lines that a dialog blocks, in both readings, and as they were last rendered. */
interface HiddenLines {
  readonly before: readonly Keyed[];
  readonly now: readonly Keyed[];
  readonly seen: readonly Keyed[];
}

/** A line that only became blocked or unblocked by a dialog did not change. */
const findChanges = (
  before: readonly Keyed[],
  now: readonly Keyed[],
  hidden: HiddenLines,
): DiffLine[] => {
  const changes: DiffLine[] = [];
  const places = findPlaces(now);
  const placesBefore = findPlaces(before);
  const hiddenBefore = new KeyedLines(hidden.before);
  const hiddenNow = new KeyedLines(hidden.now);
  const seen = new KeyedLines(hidden.seen);
  for (const { kind, a, b } of sequenceDiff(before, now, (x, y) => x.key === y.key)) {
    const was = before[a];
    const is = now[b];
    if (kind === 'same' && was && is && was.text !== is.text)
      changes.push({ sign: '~', text: is.text, place: textAt(places, b) });
    else if (kind === 'added' && is) {
      const known = hiddenBefore.take(is.key) === undefined ? undefined : seen.take(is.key);
      if (known !== is.text)
        changes.push({
          sign: known === undefined ? '+' : '~',
          text: is.text,
          place: textAt(places, b),
        });
    } else if (kind === 'removed' && was && hiddenNow.take(was.key) === undefined)
      changes.push({ sign: '-', text: was.text, place: textAt(placesBefore, a) });
  }
  return withoutMoves([...changes, ...findGone(hidden, hiddenBefore, hiddenNow, seen)]);
};

/** Lines that were blocked by the dialog, were rendered before it, and no longer exist. */
const findGone = (
  hidden: HiddenLines,
  hiddenBefore: KeyedLines,
  hiddenNow: KeyedLines,
  seen: KeyedLines,
): DiffLine[] => {
  const places = findPlaces(hidden.before);
  return hidden.before.flatMap(({ key, text }, i): DiffLine[] => {
    const isGone =
      hiddenBefore.take(key) !== undefined &&
      hiddenNow.take(key) === undefined &&
      seen.take(key) !== undefined;
    return listIf(isGone, { sign: '-', text, place: textAt(places, i) });
  });
};

/** Lines by key; each can be taken once. */
class KeyedLines {
  readonly #texts = new Map<string, string[]>();

  constructor(lines: readonly Keyed[]) {
    for (const { key, text } of lines) {
      const texts = this.#texts.get(key);
      if (texts) texts.push(text);
      else this.#texts.set(key, [text]);
    }
  }

  take(key: string): string | undefined {
    return this.#texts.get(key)?.shift();
  }
}

/** Drops controls that only moved: removed in one place and added in another with the same text. */
const withoutMoves = (changes: readonly DiffLine[]): DiffLine[] => {
  const added = new Set(
    changes.filter(({ sign, text }) => sign === '+' && REF.test(text)).map(({ text }) => text),
  );
  const moved = new Set(
    changes.filter(({ sign, text }) => sign === '-' && added.has(text)).map(({ text }) => text),
  );
  return changes.filter(({ sign, text }) => sign === '~' || !moved.has(text));
};
const REF = /^e\d+ /;

/** For every line, the line that describes its location: its parent, else the heading above it. */
const findPlaces = (lines: readonly TextLine[]): string[] => {
  const path: string[] = [];
  let heading = '';
  return lines.map(({ depth, text, node }) => {
    path.length = Math.min(path.length, depth);
    const place = path.findLast((outer) => outer !== undefined) ?? heading;
    path[depth] = text;
    if (node.kind === 'heading') {
      heading = text;
      path[depth] = text;
    }
    return place;
  });
};

const MAX_PLACE_CHARS = 80;

const fit = (changes: readonly DiffLine[], maxTokens: number): PageChanges => {
  const places = new Places();
  let left = maxTokens - 12;
  const end = changes.findIndex((change) => {
    left -= countTokens(places.linesOf(change).join('\n')) + 1;
    return left < 0;
  });
  if (end < 0) return { changes };
  return { changes: changes.slice(0, end), more: changes.length - end };
};

/** Writes the location of changes: once for neighbours, and by indentation below a changed line. */
class Places {
  #place = '';
  /** The changes since the location was written, with their indentation. */
  readonly #above = new Map<string, number>();

  linesOf({ sign, text, place }: DiffLine): string[] {
    const above = this.#above.get(sign + place);
    const isNew = above === undefined && place !== this.#place;
    if (isNew) this.#above.clear();
    if (above === undefined) this.#place = place;
    const indent = above === undefined ? 0 : above + 1;
    this.#above.set(sign + text, indent);
    const line = `${sign} ${' '.repeat(indent)}${text}`;
    return isNew && place !== '' ? [`@ ${shorten(place)}`, line] : [line];
  }
}

const shorten = (text: string): string =>
  text.length > MAX_PLACE_CHARS ? `${text.slice(0, MAX_PLACE_CHARS)}…` : text;
