// Prints a failure: as JSON on stdout for programs, as a sentence on stderr for people.
import { type FailureBody, FAILURES, type FailureCode } from '../../core/failure.ts';
import { INTERRUPTED, INTERRUPTED_STATUS } from './interruptible.ts';
import type { OutputFormat } from './cli-options.ts';
import { renderJson } from './pretty-json.ts';
import type { Terminal } from './terminal.ts';

type FailureOnWire = { code: string; message: string; hint?: string } & Readonly<
  Record<string, unknown>
>;

/**
 * Lists the candidates (elements, tabs) in a failure's details; the message cannot name them all.
 */
const choicesIn = (error: FailureOnWire): readonly string[] =>
  Object.entries(error).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object')
      ? [`${name}:`, ...value.slice(0, 8).map((item) => `  ${renderJson(item, Infinity)}`)]
      : [],
  );

/** `text`: the failure as JSON. Prints it and returns the exit status. */
export const printFailureText = (
  text: string,
  terminal: Terminal,
  format?: OutputFormat,
): number => {
  const { error } = JSON.parse(text) as { error: FailureOnWire };
  if (terminal.interactive && format !== 'json') {
    terminal.err(`${terminal.paint('red', 'error:')} ${error.message}`);
    if (error.hint !== undefined) terminal.err(`  ${error.hint}`);
    for (const line of choicesIn(error)) terminal.err(`  ${line}`);
  } else {
    terminal.out(text);
  }
  return Object.hasOwn(FAILURES, error.code) ? FAILURES[error.code as FailureCode].exit : 1;
};

export const printFailure = (
  failure: { toJSON(): FailureBody },
  terminal: Terminal,
  format?: OutputFormat,
): number => {
  const status = printFailureText(JSON.stringify(failure), terminal, format);
  return failure === INTERRUPTED ? INTERRUPTED_STATUS : status;
};
