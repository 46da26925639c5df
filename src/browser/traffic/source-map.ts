// Finds original positions in source maps, and the source map that a script names.
import {
  FlattenMap,
  originalPositionFor,
  type SectionedSourceMap,
  type TraceMap,
} from '@jridgewell/trace-mapping';
import { defined } from '../../core/defined.ts';

export interface Position {
  readonly url: string;
  /** Starts at 1. */
  readonly line: number;
  /** Starts at 1. */
  readonly column: number;
  readonly name?: string;
}

/** A position in the script that the browser ran; line and column start at 1. */
export interface GeneratedPosition {
  readonly line: number;
  readonly column: number;
}

/** Some servers add a first line that is not JSON, against inclusion as a script. */
const PREFIX = /^\)\]\}'[^\n]*\n/;

type RawMap = Exclude<ConstructorParameters<typeof TraceMap>[0], string> & {
  readonly sections?: SectionedSourceMap['sections'];
};

/** The library allocates every line before a section, so a hostile offset would use all memory. */
const MAX_OFFSET = 1_000_000;

/** Sections cannot be nested. */
const isBounded = ({ offset, map }: SectionedSourceMap['sections'][number]): boolean =>
  isOffset(offset.line) && isOffset(offset.column) && !('sections' in map);

/** A text would be joined to line numbers instead of added. */
const isOffset = (value: unknown): boolean =>
  typeof value === 'number' && value >= 0 && value <= MAX_OFFSET;

export class SourceMap {
  readonly #map: TraceMap;

  private constructor(map: TraceMap) {
    this.#map = map;
  }

  /** Returns undefined if the text is not a source map. Sources are resolved against `base`. */
  static parse(text: string, base: string): SourceMap | undefined {
    try {
      const raw = JSON.parse(text.replace(PREFIX, '')) as RawMap;
      const { sections } = raw;
      const bounded = sections ? { ...raw, sections: sections.filter(isBounded) } : raw;
      return new SourceMap(new FlattenMap(bounded, base));
    } catch {
      return undefined;
    }
  }

  /** The original position of a generated position; line and column start at 1. */
  find(line: number, column: number): Position | undefined {
    try {
      const found = originalPositionFor(this.#map, { line, column: column - 1 });
      if (!found.source) return undefined;
      return defined({
        url: found.source,
        line: found.line,
        column: found.column + 1,
        name: found.name ?? undefined,
      });
    } catch {
      return undefined; // the mappings are decoded here and may be invalid
    }
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
