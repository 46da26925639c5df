// Collects the lines of a walk: joins inline text, drops leftovers, limits the total size.
import { Fingerprinter } from './fingerprint.ts';
import { getOrCreate } from './objects.ts';
import { findElement, state } from './state.ts';
import { KINDS, type NodeKind } from './walk-record.ts';
import { oneLine, shortLine } from './visible-text.ts';

const TEXT_KINDS = new Set<string>(['text', 'heading']);

export interface OutputLine {
  readonly kind: NodeKind;
  depth: number;
  readonly id: number;
  readonly role: string;
  name: string;
  states: string;
  readonly value: string;
  readonly key: string;
  readonly url: string;
  /** Omitted from the output, because it is empty or another line contains its text. */
  dead: boolean;
}

/** Longer runs of text are cut. */
const MAX_RUN_CHARS = 1_000_000;
const MAX_NAME_CHARS = 2000;

/** Separators and punctuation that are left over between links. */
const LEFTOVER = /^[\s.,;:|·•/\\()[\]{}›»‹«<>–—_\-'"“”‘’*]{1,3}$/;

export class Output {
  readonly lines: OutputLine[] = [];
  depth = 0;
  /** The level of the heading around the text, or 0. */
  heading = 0;
  /** Above 0: the text is already part of a name. */
  muted = 0;
  /** Above 0: line breaks in the text are kept. */
  preformatted = 0;
  /** The text is in a table cell, where a single dash is a value. */
  cell = false;
  size = 0;
  #run = '';
  readonly #maxChars: number;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get full(): boolean {
    return this.size > this.#maxChars;
  }

  text(data: string): void {
    if (this.muted > 0) return;
    if (this.#run.length < MAX_RUN_CHARS) this.#run += data;
  }

  /** Adds a space between two texts that have a gap between them on the screen. */
  space(): void {
    if (this.#run !== '') this.#run += ' ';
  }

  /** Ends the run of text, or adds a space to it. */
  separate(inLine: boolean): void {
    if (inLine) this.space();
    else this.flush();
  }

  /** Ends the run of text; the following text starts a new line. */
  flush(): void {
    if (this.#run === '') return;
    const run = this.#run;
    this.#run = '';
    if (this.preformatted > 0 && this.heading === 0) return this.#flushLines(run);
    const line = oneLine(run);
    if (line === '' || (!this.cell && LEFTOVER.test(line))) return;
    if (this.heading > 0) this.push('heading', { name: line, role: String(this.heading) });
    else this.push('text', { name: line });
  }

  #flushLines(run: string): void {
    for (const raw of run.split('\n')) {
      const name = oneLine(raw);
      if (name === '') continue;
      const indent = raw.length - raw.trimStart().length;
      this.push('text', { name: ' '.repeat(Math.min(indent, 20)) + name });
    }
  }

  push(kind: NodeKind, fields: Partial<Omit<OutputLine, 'kind' | 'depth' | 'dead'>>): OutputLine {
    const { id = 0, role = '', name = '', states = '', value = '', key = '', url = '' } = fields;
    const isText = TEXT_KINDS.has(kind);
    const line: OutputLine = {
      kind,
      depth: this.depth,
      id,
      role,
      states,
      value,
      key,
      url,
      dead: false,
      name: !isText && name.length > MAX_NAME_CHARS ? shortLine(name, MAX_NAME_CHARS) : name,
    };
    this.lines.push(line);
    this.size += line.name.length + value.length + 12;
    return line;
  }

  /** The index of the next line, for the functions below. */
  mark(): number {
    this.flush();
    return this.lines.length;
  }

  /**
   * The lines since `from` that are not dead and not nested in another of them, at most `atMost` +
   * 1.
   */
  topLines(from: number, atMost: number): OutputLine[] {
    const found: OutputLine[] = [];
    let depth = Infinity;
    for (let i = from; i < this.lines.length; i++) {
      const line = this.lines[i] as OutputLine;
      if (line.dead) continue;
      if (line.depth < depth) depth = line.depth;
      if (line.depth > depth) continue;
      found.push(line);
      if (found.length > atMost) break;
    }
    return found;
  }

  /** Moves the lines since `from` one level out. */
  outdent(from: number): void {
    for (let i = from; i < this.lines.length; i++) (this.lines[i] as OutputLine).depth--;
  }

  kill(from: number): void {
    for (let i = from; i < this.lines.length; i++) (this.lines[i] as OutputLine).dead = true;
  }

  /** Adds the lines that are not dead, in the format of walk-record.ts. */
  encode(into: string[], kept?: Map<Element, string>): void {
    encodeLines(this.lines, into, kept);
  }
}

/**
 * Adds the lines that are not dead, in the format of walk-record.ts. Fingerprints are taken from
 * `kept`, or added to it.
 */
export const encodeLines = (
  lines: readonly OutputLine[],
  into: string[],
  kept = new Map<Element, string>(),
): void => {
  const fingerprinter = new Fingerprinter();
  for (const line of lines) {
    if (line.dead) continue;
    const element = hasRef(line) ? findElement(line.id) : undefined;
    into.push(
      element
        ? encodeTarget(
            line,
            getOrCreate(kept, element, () => fingerprinter.compute(element)),
          )
        : encodeLine(line),
    );
  }
};

/** Whether the element of the line gets a ref. */
const hasRef = ({ kind, id, role }: OutputLine): boolean =>
  id !== 0 && (kind === 'control' || role === 'aria-hidden');

/** The line of an element that gets a ref, in the order of FIELDS. */
const encodeTarget = (line: OutputLine, fingerprint: string): string => {
  const { kind, depth, id, role, name, states, value, key, url } = line;
  const start = `${KINDS[kind]}${depth}\t${id - state.base}\t${role}\t${name}`;
  return `${start}\t${states}\t${value}\t${key}\t${url}\t${fingerprint}`;
};

const encodeLine = (line: OutputLine): string => {
  const { kind, depth, id, role, name, states, value, key, url } = line;
  if (kind === 'text') return `${KINDS.text}${depth}\t\t\t${name}`;
  // In the order of FIELDS.
  let text = `${KINDS[kind]}${depth}\t${id ? id - state.base : ''}\t${role}\t${name}`;
  if (url !== '') return `${text}\t${states}\t${value}\t${key}\t${url}`;
  if (key !== '') return `${text}\t${states}\t${value}\t${key}`;
  if (value !== '') return `${text}\t${states}\t${value}`;
  if (states !== '') text += `\t${states}`;
  return text;
};
