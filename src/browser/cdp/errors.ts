// Converts errors of Chrome to failures; no other file does.
import { defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import { REFUSED_CODE } from '../extension/link-commands.ts';

/** A command that Chrome rejected. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly data?: string,
  ) {
    super(`${method}: ${message}${textIf(data, ` (${data})`)}`);
  }
}

interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data?: string;
}

/** The error of a command that Chrome, or the extension in the user's Chrome, rejected. */
export const createCommandError = (
  method: string,
  { code, message, data }: ErrorAnswer,
): CdpError | Failure =>
  code === REFUSED_CODE
    ? fail('not_supported_here', message, defined({ hint: data }))
    : new CdpError(method, code, message, data);

/** A command whose target or Chrome went away before the response. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

export const disconnectedFailure = (method: string, reason: string): Disconnected =>
  new Disconnected(`${method}: ${reason}`);

/** Error messages of Chrome for a target, frame, context or node that does not exist any more. */
const GONE_MESSAGES = [
  'Cannot find context',
  'Inspected target navigated or closed',
  'Execution context was destroyed',
  'No frame (?:for|with) given id',
  'Could not find node',
  'No node with given id',
  'Node is detached',
  'uniqueContextId not found',
  'Session with given id not found',
  'No target with given id',
  // Errors of chrome.debugger, which the extension in the user's Chrome returns.
  'Detached while handling command',
  'Debugger is not attached',
];
const GONE = new RegExp(GONE_MESSAGES.join('|'), 'i');

/**
 * Whether the document, node or frame went away (by a navigation or removal), so that the command
 * itself was not wrong.
 */
export const isGone = (error: unknown): boolean =>
  error instanceof Disconnected || (error instanceof CdpError && GONE.test(error.message));

const METHOD_NOT_FOUND = -32601;

/** Whether the target does not support the command. */
export const isUnknownCommand = (error: unknown): boolean =>
  error instanceof CdpError && error.code === METHOD_NOT_FOUND;

/** Whether the extension in the user's Chrome rejected the command. */
export const isRefused = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'not_supported_here';

/**
 * Converts an error of a CDP command to the failure for the caller; returns other errors unchanged.
 */
export const toChromeFailure = (error: unknown): unknown => {
  if (error instanceof Failure) return error;
  if (error instanceof Disconnected)
    return fail(
      'chrome_disconnected',
      `The connection to the page was lost (${error.message}).`,
      {},
      error,
    );
  if (error instanceof CdpError && GONE.test(error.message))
    return fail('page_changed', 'The page changed during the call.', {}, error);
  return error;
};
