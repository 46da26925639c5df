// Searches the lines of a stored payload of any size and returns one page of matches.
import { getErrorMessage } from '../../core/failure.ts';
import { isInsideCharacter } from '../../core/text.ts';
import { ItemScanner, type IndexRun } from '../handles/handle-index.ts';
import { PAGE_BYTES } from '../files/page-content.ts';
import { InvalidExpression, type Readable, readBytes } from './query.ts';
import type { SearchAnswer } from './search.ts';

export interface GrepRequest extends Readable {
  readonly kind: 'grep';
  readonly pattern: string;
  /** Number of lines shown before and after each match. */
  readonly context: number;
  /** Number of matches to skip. */
  readonly offset: number;
  readonly limit: number;
  /** Runs of items, if the payload has any: each item is then treated as a line. */
  readonly runs?: readonly IndexRun[] | undefined;
}

/** For longer lines, an excerpt around each match is shown. */
const SHOWN_CHARS = 500;
const EXCERPT_CHARS = 160;
/**
 * Maximum size of a shown line: at most three bytes per UTF-16 unit, plus its number and offset.
 */
const MAX_SHOWN_BYTES = SHOWN_CHARS * 3 + 60;
/** Longer lines are searched in parts of this size. */
const PART_BYTES = 1024 * 1024;
/** Overlap of two parts of a line, so that a match at their border is found. */
const OVERLAP_BYTES = 4096;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

interface GrepLine {
  /** Line number from 1, or index of the item from 0. */
  readonly number: number;
  readonly text: string;
  readonly start: number;
  /** True for one of several parts of a long line. */
  readonly partial: boolean;
}

export const grepPayload = (request: GrepRequest): SearchAnswer => {
  const pattern = compilePattern(request.pattern);
  const page = new MatchPage(request);
  for (const line of request.runs ? itemLines(request, request.runs) : textLines(request))
    page.take(line, pattern);
  return {
    kind: 'text',
    offset: request.offset,
    returned: page.returned,
    total: page.total,
    content: page.content,
  };
};

/** `(?i)` at the start makes the pattern case-insensitive. JavaScript does not support it. */
const compilePattern = (source: string): RegExp => {
  const blind = source.startsWith('(?i)');
  const body = blind ? source.slice(4) : source;
  const flags = blind ? 'gi' : 'g';
  try {
    return new RegExp(body, `${flags}u`);
  } catch {
    try {
      return new RegExp(body, flags); // without the u flag more escapes are valid
    } catch (error) {
      throw new InvalidExpression(getErrorMessage(error), 0);
    }
  }
};

/** Counts all matches and collects those of one page. */
class MatchPage {
  readonly #request: GrepRequest;
  readonly #lines: string[] = [];
  #bytes = 0;
  /** Lines before the next match that may be shown as context. */
  readonly #before: GrepLine[] = [];
  #after = 0;
  #lastShown: number | undefined;
  #full = false;
  /** Offset up to which matches were counted; needed because parts of long lines overlap. */
  #seenTo = -1;
  total = 0;
  returned = 0;

  constructor(request: GrepRequest) {
    this.#request = request;
  }

  get content(): string {
    return this.#lines.join('\n');
  }

  take(line: GrepLine, pattern: RegExp): void {
    pattern.lastIndex = 0;
    const long = line.partial || line.text.length > SHOWN_CHARS;
    const shown = long
      ? this.#takeLong(line, pattern)
      : pattern.test(line.text) && this.#match(line, () => `${line.number}:${line.text}`);
    if (!shown) this.#takeOther(line);
  }

  /** Returns true if the match is in this page and is shown. */
  #match({ number }: GrepLine, text: () => string): boolean {
    const at = this.total++;
    const { offset, limit, context } = this.#request;
    if (at < offset || this.returned >= limit || this.#full) return false;
    this.#full = this.#bytes + (2 * context + 1) * MAX_SHOWN_BYTES > PAGE_BYTES;
    if (this.#full) return false;
    for (const earlier of this.#before.splice(0)) this.#show(earlier.number, contextLine(earlier));
    this.#show(number, text());
    this.returned++;
    this.#after = context;
    return true;
  }

  /** Shows the line as context, or remembers it as context for the next match. */
  #takeOther(line: GrepLine): void {
    if (this.#after > 0) {
      this.#after--;
      return this.#show(line.number, contextLine(line));
    }
    if (this.#request.context === 0) return;
    this.#before.push(
      line.text.length > SHOWN_CHARS ? { ...line, text: shorten(line.text) } : line,
    );
    if (this.#before.length > this.#request.context) this.#before.shift();
  }

  /** Shows each match of a long line as an excerpt with its offset in the payload. */
  #takeLong({ text, ...line }: GrepLine, pattern: RegExp): boolean {
    let shown = false;
    let [measured, position] = [0, line.start];
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { index } = match;
      position += Buffer.byteLength(text.slice(measured, index));
      measured = index;
      const end = Math.min(
        text.length,
        index + Math.min(match[0].length, EXCERPT_CHARS) + EXCERPT_CHARS,
      );
      pattern.lastIndex = Math.max(end, index + 1);
      if (position < this.#seenTo) continue;
      this.#seenTo = position + Buffer.byteLength(text.slice(index, end));
      const excerpt = (): string =>
        `${line.number}@${position}:${text.slice(Math.max(0, index - EXCERPT_CHARS), end)}`;
      shown = this.#match({ ...line, text: '' }, excerpt) || shown;
    }
    return shown;
  }

  #show(number: number, text: string): void {
    if (this.#request.context > 0 && this.#lastShown !== undefined && number > this.#lastShown + 1)
      this.#push('--');
    this.#lastShown = number;
    this.#push(text);
  }

  #push(text: string): void {
    this.#lines.push(text);
    this.#bytes += Buffer.byteLength(text) + 1;
  }
}

const contextLine = ({ number, text }: GrepLine): string => `${number}-${shorten(text)}`;

const shorten = (text: string): string =>
  text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 20)}… (+${text.length})`;

/** Yields each item as one line of JSON. */
function* itemLines(request: GrepRequest, runs: readonly IndexRun[]): Generator<GrepLine> {
  for (const run of runs) {
    if (run.count === 1) yield* lineParts(request, run);
    else
      yield* linesOfRun(
        run,
        Buffer.concat([OPEN, readBytes(request, run.start, run.start + run.bytes), CLOSE]),
      );
  }
}

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

const linesOfRun = (run: IndexRun, bytes: Buffer): GrepLine[] => {
  const lines: GrepLine[] = [];
  const scanner = new ItemScanner((start, end) =>
    lines.push({
      number: run.first + lines.length,
      text: bytes.toString('utf8', start, end),
      start: run.start + start - 1,
      partial: false,
    }),
  );
  scanner.feed(bytes);
  return lines;
};

/** A run with one item can have any size, so it is read in parts. */
function* lineParts(
  request: GrepRequest,
  { first: number, start, bytes }: IndexRun,
): Generator<GrepLine> {
  const end = start + bytes;
  const partial = bytes > PART_BYTES;
  for (let at = start; at < end;) {
    const part = readBytes(request, at, Math.min(at + PART_BYTES, end));
    const last = at + part.length >= end;
    const cut = last ? part.length : wholeEnd(part);
    yield { number, text: part.toString('utf8', 0, cut), start: at, partial };
    at = last ? end : at + overlapStart(part, cut);
  }
}

/** End of the last character that is certainly complete. */
const wholeEnd = (bytes: Buffer): number =>
  bytes.length - 4 - isInsideCharacter(bytes, bytes.length - 4);

const overlapStart = (bytes: Buffer, end: number): number =>
  end - OVERLAP_BYTES - isInsideCharacter(bytes, end - OVERLAP_BYTES);

function* textLines(request: GrepRequest): Generator<GrepLine> {
  let number = 1;
  let start = 0;
  let rest: Buffer = Buffer.alloc(0);
  let partial = false;
  for (let at = 0; at < request.sizeBytes; at += PART_BYTES) {
    const bytes = Buffer.concat([rest, readBytes(request, at, at + PART_BYTES)]);
    let from = 0;
    for (
      let newline = bytes.indexOf(NEWLINE);
      newline >= 0;
      newline = bytes.indexOf(NEWLINE, from)
    ) {
      const end = newline > from && bytes[newline - 1] === RETURN ? newline - 1 : newline;
      yield {
        number: number++,
        text: bytes.toString('utf8', from, end),
        start: start + from,
        partial,
      };
      partial = false;
      from = newline + 1;
    }
    if (bytes.length - from > PART_BYTES) {
      const long = bytes.subarray(from);
      yield {
        number,
        text: long.toString('utf8', 0, wholeEnd(long)),
        start: start + from,
        partial: true,
      };
      partial = true;
      from += overlapStart(long, wholeEnd(long));
    }
    rest = bytes.subarray(from);
    start += from;
  }
  if (rest.length > 0) yield { number, text: rest.toString('utf8'), start, partial };
}
