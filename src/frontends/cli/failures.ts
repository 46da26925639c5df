// Prints a failure: a sentence on stderr, or the JSON object on stdout.
import { type FailureBody, FAILURES, type FailureCode } from '../../core/failure.ts';
import type { HintReader } from '../../core/hint-text.ts';
import { INTERRUPTED, INTERRUPTED_STATUS } from './interruptible.ts';
import { isRecord } from './data-text.ts';
import type { OutputFormat } from './cli-options.ts';
import type { Terminal } from './terminal.ts';

type FailureOnWire = { code: string; message: string; hint?: string } & Readonly<
  Record<string, unknown>
>;

const MAX_CHOICES = 8;

/**
 * Lists the candidates (elements, tabs) in a failure's details; the message cannot name them all.
 */
const listChoices = (error: FailureOnWire): readonly string[] =>
  Object.entries(error).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 0 && value.every(isRecord)
      ? [`${name}:`, ...value.slice(0, MAX_CHOICES).map((item) => `  ${formatChoice(item)}`)]
      : [],
  );

/** `e3 button "Save"`: simple values in their order. */
const formatChoice = (item: Readonly<Record<string, unknown>>): string =>
  Object.values(item)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .join(' ');

/** `text`: the failure as JSON. Prints it and returns the exit status. */
export const printFailureText = (
  text: string,
  terminal: Terminal,
  format: OutputFormat = 'text',
): number => {
  const { error } = JSON.parse(text) as { error: FailureOnWire };
  if (format === 'json') terminal.out(text);
  else {
    const code = terminal.paintError('dim', `(${error.code})`);
    terminal.err(`${terminal.paintError('red', 'error:')} ${error.message} ${code}`);
    if (error.hint !== undefined) terminal.err(`  ${error.hint}`);
    for (const line of listChoices(error)) terminal.err(`  ${line}`);
  }
  return Object.hasOwn(FAILURES, error.code) ? FAILURES[error.code as FailureCode].exit : 1;
};

export const printFailure = (
  failure: { render(reader: HintReader): FailureBody },
  terminal: Terminal,
  format?: OutputFormat,
): number => {
  const status = printFailureText(JSON.stringify(failure.render('shell')), terminal, format);
  return failure === INTERRUPTED ? INTERRUPTED_STATUS : status;
};
