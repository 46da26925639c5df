// One message of the console: what the page wrote, threw or was told, with where it came from.
import type { RingItem } from './ring.ts';
import type { Source } from './request-record.ts';
import type { StackFrame } from './stack.ts';

export type ConsoleLevel = 'error' | 'warning' | 'info' | 'debug';

export interface ConsoleEntry extends Readonly<RingItem> {
  /**
   * `console`: written by the page. `exception`: thrown and not caught. `browser`: Chrome's own
   * remark.
   */
  readonly kind: 'console' | 'exception' | 'browser';
  readonly level: ConsoleLevel;
  /**
   * The console method (`log`, `table` …) or the part of Chrome that remarks (`network`, `security`
   * …).
   */
  readonly from: string;
  readonly text: string;
  readonly truncated: boolean;
  /** Where it happened: the innermost frame, or what Chrome names. */
  readonly url?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack: readonly StackFrame[];
  readonly source: Source;
  /** Wall clock, milliseconds. */
  readonly at: number;
  /** The request that the remark is about. */
  readonly requestId?: string;
  /** A rejection that was handled after all, later. */
  readonly handledLater: boolean;
}

/** Values are raw: redact before showing. */
export class ConsoleDraft implements ConsoleEntry {
  heldBytes = 0;
  truncated = false;
  handledLater = false;
  url?: string;
  line?: number;
  column?: number;
  requestId?: string;
  /** Chrome's number of an exception, by which it may be revoked. */
  exceptionId?: number;

  constructor(
    readonly sequence: number,
    readonly kind: ConsoleEntry['kind'],
    readonly level: ConsoleLevel,
    readonly from: string,
    readonly text: string,
    readonly stack: readonly StackFrame[],
    readonly source: Source,
    readonly at: number,
  ) {}
}
