// Joins the cells of a table row into one line; empty cells and spans keep the columns aligned.
import { attribute } from './safe-dom.ts';
import type { OutputLine, Output } from './line-output.ts';

const SEPARATOR = ' | ';
const MAX_SPAN = 50;

const readSpan = (cell: Element, name: 'colspan' | 'rowspan'): number => {
  const value = attribute(cell, name) ?? attribute(cell, `aria-${name}`);
  return value === null ? 1 : Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), MAX_SPAN);
};

/** By column: the number of following rows that a cell from above covers. */
export type Covered = number[];

export class RowCells {
  readonly #covered: Covered;
  /** Lines that are the whole text of a cell. */
  readonly #texts = new Set<OutputLine>();
  #column = 0;

  constructor(covered: Covered) {
    this.#covered = covered;
  }

  /** Adds empty cells for columns that are covered from above; call it before a cell is written. */
  begin(out: Output): void {
    while ((this.#covered[this.#column] ?? 0) > 0) {
      this.#covered[this.#column] = (this.#covered[this.#column] ?? 0) - 1;
      this.#column++;
      this.#texts.add(out.push('text', {}));
    }
  }

  /** Registers a cell whose lines start at `from`. */
  add(out: Output, cell: Element, from: number): void {
    const lines = out.topLines(from, 1);
    const [only] = lines;
    if (lines.length === 0) this.#texts.add(out.push('text', {}));
    else if (lines.length === 1 && only?.kind === 'text') this.#texts.add(only);
    const rows = readSpan(cell, 'rowspan');
    const columns = readSpan(cell, 'colspan');
    for (let i = 0; i < columns; i++) {
      if (i > 0) this.#texts.add(out.push('text', {}));
      if (rows > 1) this.#covered[this.#column] = rows - 1;
      this.#column++;
    }
  }

  /** Joins neighbouring cell texts since `from` into one line each. */
  join(out: Output, from: number): void {
    this.begin(out);
    let first: OutputLine | undefined;
    for (let i = from; i < out.lines.length; i++) {
      const line = out.lines[i] as OutputLine;
      if (line.dead) continue;
      if (!this.#texts.has(line)) {
        first = close(first);
        continue;
      }
      if (!first) first = line;
      else {
        first.name += SEPARATOR + line.name;
        line.dead = true;
      }
    }
    close(first);
  }
}

const withoutEmptyEnd = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || (text[end - 1] === '|' && text[end - 2] === ' ')))
    end--;
  return text.slice(0, end);
};

/** Removes the empty cells at the end of a line. */
const close = (line: OutputLine | undefined): undefined => {
  if (!line) return undefined;
  line.name = withoutEmptyEnd(line.name);
  if (line.name === '') line.dead = true;
  return undefined;
};
