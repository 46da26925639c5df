// One console message: a console call, an uncaught exception or a message of Chrome.
import type { RingItem } from './ring.ts';
import type { Source } from './request-record.ts';
import type { StackFrame } from './stack.ts';

export type ConsoleLevel = 'error' | 'warning' | 'info' | 'debug';

export interface ConsoleEntry extends Readonly<RingItem> {
  /** `console`: a console call. `exception`: uncaught. `browser`: a message of Chrome. */
  readonly kind: 'console' | 'exception' | 'browser';
  readonly level: ConsoleLevel;
  /**
   * The console method (`log`, `table` …) or the component of Chrome (`network`, `security` …).
   */
  readonly from: string;
  readonly text: string;
  readonly truncated: boolean;
  /** Source location: the innermost stack frame, or the location that Chrome reports. */
  readonly url?: string;
  readonly line?: number;
  readonly column?: number;
  readonly stack: readonly StackFrame[];
  readonly source: Source;
  /** Wall clock, milliseconds. */
  readonly at: number;
  /** The request that the message is about. */
  readonly requestId?: string;
  /** A promise rejection that was handled later. */
  readonly handledLater: boolean;
}

/** Texts are raw: redact before output. */
export class ConsoleDraft implements ConsoleEntry {
  heldBytes = 0;
  truncated = false;
  handledLater = false;
  url?: string;
  line?: number;
  column?: number;
  requestId?: string;
  /** Chrome's exception id, which a later `exceptionRevoked` event refers to. */
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
