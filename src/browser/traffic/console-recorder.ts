// Records the console of one tab: console calls, uncaught exceptions and messages of Chrome.
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import {
  ConsoleDraft,
  type ConsoleEntry,
  type ConsoleLevel,
  toConsoleText,
  toExceptionText,
} from './console-entry.ts';
import type { TrafficLimits } from './traffic.ts';
import type { Source } from './request-record.ts';
import { clip, Ring } from './bounded-collections.ts';
import { toFrames, type StackFrame } from './stack.ts';

const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  error: 'error',
  assert: 'error',
  warning: 'warning',
  debug: 'debug',
  verbose: 'debug',
};

/** Calls without a message. `clear` is ignored so that the page cannot delete the record. */
const SILENT = new Set(['endGroup', 'clear', 'profile', 'profileEnd']);

interface ConsoleRecorderOptions {
  readonly limits: TrafficLimits;
  readonly nextSequence: () => number;
  readonly onEntry: (entry: ConsoleEntry) => void;
}

interface ConsoleText {
  readonly kind: ConsoleEntry['kind'];
  readonly level: ConsoleLevel;
  readonly from: string;
  readonly text: string;
  readonly stack: readonly StackFrame[];
  readonly at: number;
}

export class ConsoleRecorder {
  readonly ring: Ring<ConsoleDraft>;
  readonly #options: ConsoleRecorderOptions;
  /** Workers with their own session; the page's log repeats their messages without details. */
  readonly #workers = new Set<string>();

  constructor(options: ConsoleRecorderOptions) {
    this.#options = options;
    this.ring = new Ring({
      count: options.limits.consoleCount,
      bytes: options.limits.consoleBytes,
    });
  }

  watch(session: CdpSession, source: Source): void {
    if (source.kind === 'worker') this.#workers.add(source.targetId);
    session.on('Runtime.consoleAPICalled', (event) => this.#called(event, source));
    session.on('Runtime.exceptionThrown', (event) => this.#thrown(event, source));
    session.on('Runtime.exceptionRevoked', ({ exceptionId }) => this.#revoked(exceptionId, source));
    session.on('Log.entryAdded', ({ entry }) => this.#remarked(entry, source));
  }

  #called(event: EventParams<'Runtime.consoleAPICalled'>, source: Source): void {
    if (SILENT.has(event.type)) return;
    const words = toConsoleText(event.args);
    const text = event.type === 'assert' ? `Assertion failed: ${words}` : words;
    const level = LEVELS[event.type] ?? 'info';
    this.#add(source, {
      kind: 'console',
      level,
      from: event.type,
      text,
      stack: toFrames(event.stackTrace),
      at: event.timestamp,
    });
  }

  #thrown(
    { timestamp, exceptionDetails }: EventParams<'Runtime.exceptionThrown'>,
    source: Source,
  ): void {
    const { stackTrace, url, lineNumber, columnNumber, exceptionId } = exceptionDetails;
    const text = toExceptionText(exceptionDetails);
    this.#add(
      source,
      {
        kind: 'exception',
        level: 'error',
        from: 'javascript',
        text,
        stack: toFrames(stackTrace),
        at: timestamp,
      },
      (draft) => {
        draft.exceptionId = exceptionId;
        if (url !== undefined && !draft.url) place(draft, url, lineNumber, columnNumber);
      },
    );
  }

  #revoked(exceptionId: number, source: Source): void {
    for (const draft of this.ring.newestFirst()) {
      if (draft.exceptionId !== exceptionId || draft.source.targetId !== source.targetId) continue;
      draft.handledLater = true;
      return;
    }
  }

  #remarked(entry: EventParams<'Log.entryAdded'>['entry'], source: Source): void {
    if (
      entry.workerId !== undefined &&
      entry.source === 'worker' &&
      this.#workers.has(entry.workerId)
    )
      return;
    const level = LEVELS[entry.level] ?? 'info';
    const { text, timestamp: at, url, lineNumber, networkRequestId } = entry;
    this.#add(
      source,
      { kind: 'browser', level, from: entry.source, text, stack: toFrames(entry.stackTrace), at },
      (draft) => {
        if (url !== undefined && !draft.url) place(draft, url, lineNumber);
        if (networkRequestId !== undefined) draft.requestId = networkRequestId;
      },
    );
  }

  #add(
    source: Source,
    { kind, level, from, text, stack, at }: ConsoleText,
    complete?: (draft: ConsoleDraft) => void,
  ): void {
    const cut = clip(text, this.#options.limits.consoleTextBytes);
    const draft = new ConsoleDraft(
      this.#options.nextSequence(),
      kind,
      level,
      from,
      cut,
      stack,
      source,
      at,
    );
    draft.truncated = cut.length < text.length;
    const [top] = stack;
    if (top) place(draft, top.url, top.line - 1, top.column - 1);
    complete?.(draft);
    draft.heldBytes =
      300 +
      cut.length +
      stack.reduce((sum, frame) => sum + 60 + frame.url.length + frame.function.length, 0);
    this.ring.push(draft);
    this.#options.onEntry(draft);
  }
}

/** Takes Chrome's line and column numbers, which start at 0. */
const place = (draft: ConsoleDraft, url: string, line?: number, column?: number): void => {
  draft.url = url;
  if (line !== undefined) draft.line = line + 1;
  if (column !== undefined) draft.column = column + 1;
};
