// The cells of a table row as one line: texts joined, empty places and spans kept so that columns line up.
import { attribute } from './dom.ts';
import type { Line, Output } from './output.ts';

const SEPARATOR = ' | ';
const MAX_SPAN = 50;

export class RowCells {
  /** Lines that are the whole text of a cell. */
  readonly #texts = new Set<Line>();

  constructor(readonly row: Element) {}

  /** Takes note of a cell whose lines start at `from`. */
  add(out: Output, cell: Element, from: number): void {
    const lines = out.topLines(from, 1);
    const [only] = lines;
    if (lines.length === 0) this.#texts.add(out.push('text', {}));
    else if (lines.length === 1 && only?.kind === 'text') this.#texts.add(only);
    const span = Math.min(Number.parseInt(attribute(cell, 'colspan') ?? '1', 10) || 1, MAX_SPAN);
    for (let i = 1; i < span; i++) this.#texts.add(out.push('text', {}));
  }

  /** Joins neighbouring cell texts since `from` into one line each. */
  join(out: Output, from: number): void {
    let first: Line | undefined;
    for (let i = from; i < out.lines.length; i++) {
      const line = out.lines[i] as Line;
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

/** Empty cells at the end of a line say nothing. */
const close = (line: Line | undefined): undefined => {
  if (!line) return undefined;
  line.name = line.name.replace(/(?: \| ?)+$/, '').trimEnd();
  if (line.name === '') line.dead = true;
  return undefined;
};
