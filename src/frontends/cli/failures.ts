// A failure on the command line: the same object as everywhere on stdout for programs, a sentence on stderr for people.
import type { Failure } from '../../core/failure.ts';
import type { Terminal } from './terminal.ts';

/** Prints it and returns the exit status. */
export const printFailure = (failure: Failure, terminal: Terminal): number => {
  if (terminal.interactive) {
    const { message, hint } = failure.toJSON().error;
    terminal.err(`${terminal.paint('red', 'error:')} ${message}`);
    if (hint !== undefined) terminal.err(`  ${hint}`);
  } else {
    terminal.out(JSON.stringify(failure));
  }
  return failure.kind.exit;
};
