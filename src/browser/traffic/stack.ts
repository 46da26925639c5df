// Converts Chrome's stack traces to short lists of frames, with lines and columns from 1.
import type { Protocol } from 'devtools-protocol';
import { defined, ifDefined } from '../../core/defined.ts';

export interface StackFrame {
  readonly function: string;
  readonly url: string;
  /** Starts at 1, as in editors. */
  readonly line: number;
  readonly column: number;
}

/** The cause of a request. */
export interface Initiator {
  /** parser, script, preload, preflight, other … */
  readonly type: string;
  readonly url?: string;
  readonly line?: number;
  readonly column?: number;
  readonly function?: string;
  /** The request that caused this one, for a preflight. */
  readonly requestId?: string;
}

const MAX_FRAMES = 20;

/** The frames of a stack trace, innermost first, including asynchronous parents. */
export const toFrames = (
  trace: Protocol.Runtime.StackTrace | undefined,
  limit = MAX_FRAMES,
): StackFrame[] => {
  const frames: StackFrame[] = [];
  for (let part = trace; part && frames.length < limit; part = part.parent) {
    for (const frame of part.callFrames) {
      if (frames.length >= limit) break;
      frames.push({
        function: frame.functionName,
        url: frame.url,
        line: frame.lineNumber + 1,
        column: frame.columnNumber + 1,
      });
    }
  }
  return frames;
};

/** Enough frames to skip the wrappers of a fetch library and find one with a URL. */
const INITIATOR_FRAMES = 10;

export const toInitiator = (initiator: Protocol.Network.Initiator | undefined): Initiator => {
  if (!initiator) return { type: 'other' };
  const { type, url, lineNumber, columnNumber, requestId } = initiator;
  const frame =
    url === undefined
      ? toFrames(initiator.stack, INITIATOR_FRAMES).find((candidate) => candidate.url !== '')
      : undefined;
  if (frame) return defined({ type, requestId, ...frame });
  return defined({
    type,
    url,
    line: ifDefined(lineNumber, (lineNumber) => lineNumber + 1),
    column: ifDefined(columnNumber, (columnNumber) => columnNumber + 1),
    requestId,
  });
};
