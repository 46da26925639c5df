// Parses source maps and finds original positions. Pure; validates its untrusted input.
import { attempt } from '../../core/attempt.ts';
import { compact, defined } from '../../core/defined.ts';
import { textIf } from '../../core/text.ts';

export interface Position {
  readonly url: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;
  readonly name?: string;
}

/** One mapping: a generated column and its original position. */
interface Segment {
  readonly column: number;
  readonly source: number;
  readonly line: number;
  readonly sourceColumn: number;
  readonly name: number;
}

interface RawMap {
  readonly version?: unknown;
  readonly sources?: unknown;
  readonly sourceRoot?: unknown;
  readonly names?: unknown;
  readonly mappings?: unknown;
  readonly sections?: unknown;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...BASE64].map((character, value) => [character, value]));

/** Decodes the numbers of one segment (base64 VLQ). */
const decodeNumbers = (text: string): number[] => {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of text) {
    const digit = VALUES.get(character) ?? 0;
    value += (digit & 31) << shift;
    if (digit & 32) {
      shift += 5;
      continue;
    }
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = shift = 0;
  }
  return numbers;
};

/** Decodes the segments by line. Deltas continue across lines, except for the generated column. */
const decodeMappings = (mappings: string): Segment[][] => {
  let [source, line, sourceColumn, name] = [0, 0, 0, 0];
  return mappings.split(';').map((text) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const part of text === '' ? [] : text.split(',')) {
      const [a = 0, b, c = 0, d = 0, e] = decodeNumbers(part);
      column += a;
      if (b === undefined) continue;
      source += b;
      line += c;
      sourceColumn += d;
      if (e !== undefined) name += e;
      segments.push({ column, source, line, sourceColumn, name: e === undefined ? -1 : name });
    }
    return segments;
  });
};

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? item : '')) : [];

const absolute = (source: string, base: string): string =>
  attempt(() => new URL(source, base).href, source);

/** The last segment that starts at or before the column. */
const segmentAt = (segments: readonly Segment[], column: number): Segment | undefined => {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.column ?? 0) <= column) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1];
};

/** The map of a whole file or of one section. */
class PlainMap {
  readonly #lines: Segment[][];
  readonly #sources: string[];
  readonly #names: string[];

  constructor(raw: RawMap, mappings: string, base: string) {
    const given = typeof raw.sourceRoot === 'string' ? raw.sourceRoot : '';
    const root = textIf(given, `${given.replace(/\/$/, '')}/`);
    this.#lines = decodeMappings(mappings);
    this.#sources = strings(raw.sources).map((source) => absolute(root + source, base));
    this.#names = strings(raw.names);
  }

  /** Line and column start at 0. */
  find(line: number, column: number): Position | undefined {
    const segment = segmentAt(this.#lines[line] ?? [], column);
    const url = segment && this.#sources[segment.source];
    if (!segment || !url) return undefined;
    const name = this.#names[segment.name];
    return defined({
      url,
      line: segment.line + 1,
      column: segment.sourceColumn + 1,
      ...compact({ name }),
    });
  }
}

/** Start of a section (from 0) and its map. */
interface MapSection {
  readonly line: number;
  readonly column: number;
  readonly map: PlainMap;
}

/** Sections are in the order of the code; invalid ones are skipped. Sections cannot be nested. */
const readSections = (sections: readonly unknown[], base: string): MapSection[] =>
  sections.flatMap((section) => {
    const { offset, map } = (section ?? {}) as {
      readonly offset?: { line?: unknown; column?: unknown };
      readonly map?: RawMap;
    };
    const { line, column } = offset ?? {};
    if (!isPlace(line) || !isPlace(column) || typeof map?.mappings !== 'string') return [];
    return [{ line, column, map: new PlainMap(map, map.mappings, base) }];
  });

const isPlace = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0;

export class SourceMap {
  readonly #sections: readonly MapSection[];

  private constructor(sections: readonly MapSection[]) {
    this.#sections = sections;
  }

  /** Returns undefined if the text is not a source map. */
  static parse(text: string, base: string): SourceMap | undefined {
    return attempt(() => {
      const raw = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, '')) as RawMap;
      if (Array.isArray(raw.sections)) return new SourceMap(readSections(raw.sections, base));
      return typeof raw.mappings === 'string'
        ? new SourceMap([{ line: 0, column: 0, map: new PlainMap(raw, raw.mappings, base) }])
        : undefined;
    });
  }

  /** The original position of a generated position; line and column start at 1. */
  find(line: number, column: number): Position | undefined {
    const at = { line: line - 1, column: column - 1 };
    const section = this.#sections.findLast(
      (one) => one.line < at.line || (one.line === at.line && one.column <= at.column),
    );
    // A column offset applies only to the first line of a section.
    return section?.map.find(
      at.line - section.line,
      at.line === section.line ? at.column - section.column : at.column,
    );
  }
}

const COMMENT = /\/[/*][#@]\s*sourceMappingURL=(\S+?)(?:\s*\*\/)?\s*$/m;
/** The comment is at the end of the script; minified scripts are one long line before it. */
const TAIL_CHARS = 10_000_000;

/** The URL of the source map that a script names. */
export const mapAddressIn = (script: string): string | undefined => {
  const tail = script.length > TAIL_CHARS ? script.slice(-TAIL_CHARS) : script;
  const at = tail.lastIndexOf('sourceMappingURL=');
  return at < 0 ? undefined : COMMENT.exec(tail.slice(Math.max(0, at - 10)))?.[1];
};
