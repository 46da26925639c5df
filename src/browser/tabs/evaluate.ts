// Runs a caller's JavaScript in a frame and returns its value, truncated to a limit.
import { quoteText } from '../../core/text.ts';
import type { Protocol } from 'devtools-protocol';
import { parseJson } from '../../core/json.ts';
import { fail } from '../../core/failure.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { CdpError } from '../cdp/errors.ts';
import { exceptionText, type Frame, type WorldName } from './frames.ts';
import { callOnObject, inPage } from './in-page.ts';

interface EvaluateOptions {
  readonly world: WorldName;
  readonly signal: AbortSignal;
  /** Chrome terminates a synchronous loop after this time, so that the page stays usable. */
  readonly timeoutMs: number;
  readonly maxChars: number;
}

export interface Evaluated {
  readonly type: string;
  /** The value as JSON data; absent for undefined. */
  readonly value?: unknown;
  /** Length of the full value, if it was truncated. */
  readonly truncatedFrom?: number;
}

export const evaluate = async (
  frame: Frame,
  code: string,
  options: EvaluateOptions,
): Promise<Evaluated> => {
  const { session } = frame;
  const uniqueContextId = await frame.contextId(options.world, options.signal);
  let answer = await run(session, code, uniqueContextId, options);
  if (isIllegalReturn(answer.exceptionDetails))
    answer = await run(session, `(async () => {${code}\n})()`, uniqueContextId, options);
  // `replMode` allows repeated declarations of a name, but does not await a promise.
  if (answer.result.subtype === 'promise' && answer.result.objectId !== undefined) {
    answer = await session.send(
      'Runtime.awaitPromise',
      { promiseObjectId: answer.result.objectId },
      options.signal,
    );
  }
  if (answer.exceptionDetails) throw scriptFailure(answer.exceptionDetails);
  return bring(session, answer.result, options);
};

const run = async (
  session: CdpSession,
  expression: string,
  uniqueContextId: string,
  { signal, timeoutMs }: EvaluateOptions,
): Promise<Protocol.Runtime.EvaluateResponse> => {
  try {
    return await session.send(
      'Runtime.evaluate',
      {
        expression,
        uniqueContextId,
        awaitPromise: true,
        replMode: true,
        userGesture: true,
        timeout: timeoutMs,
      },
      signal,
    );
  } catch (error) {
    throw wasEnded(error) ? timeoutFailure() : error;
  }
};

/** Whether Chrome terminated the script because of the timeout. */
const wasEnded = (error: unknown): boolean =>
  error instanceof CdpError && /Internal error|Execution was terminated/i.test(error.message);

const timeoutFailure = (): Error =>
  fail('timeout', 'The code exceeded its time limit and was stopped.', {
    situation: 'code_too_slow',
  });

/** Code with a top-level `return` is run again as a function body. */
const isIllegalReturn = (details: Protocol.Runtime.ExceptionDetails | undefined): boolean =>
  details?.exception?.className === 'SyntaxError' &&
  /Illegal return statement/.test(details.exception.description ?? '');

const scriptFailure = (details: Protocol.Runtime.ExceptionDetails): Error => {
  const text = exceptionText(details);
  if (/Execution was terminated/i.test(text)) return timeoutFailure();
  const [message = 'The code failed.'] = text.split('\n');
  return fail('script_error', `The code threw ${quoteText(message, 500)}.`, {
    line: details.lineNumber + 1,
    column: details.columnNumber + 1,
    stack: text.split('\n').slice(1, 6).join('\n').slice(0, 800),
  });
};

/** Primitives are in the response already; only objects need a second request. */
const bring = async (
  session: CdpSession,
  object: Protocol.Runtime.RemoteObject,
  { signal, maxChars }: EvaluateOptions,
): Promise<Evaluated> => {
  const type = object.subtype ?? object.type;
  if (object.objectId === undefined)
    return cut(type, object.unserializableValue ?? object.value, maxChars);
  const { objectId } = object;
  const answer = await callOnObject(
    session,
    objectId,
    inPage.serialise.serialise,
    [maxChars],
    signal,
  );
  // fails if a navigation has released the object
  session.send('Runtime.releaseObject', { objectId }).catch(() => {});
  if (answer.exceptionDetails) throw scriptFailure(answer.exceptionDetails);
  const { json, length } = answer.value;
  if (length > json.length) return { type, value: json, truncatedFrom: length };
  return { type, value: parseJson(json) };
};

const cut = (type: string, value: unknown, maxChars: number): Evaluated => {
  if (typeof value === 'string' && value.length > maxChars)
    return { type, value: value.slice(0, maxChars), truncatedFrom: value.length };
  return value === undefined ? { type } : { type, value };
};
