// Work of one command that Ctrl-C cancels in an orderly way; the second Ctrl-C ends the process at
// once.
import { fail } from '../../core/failure.ts';

/** The reason of an interrupted command, known by what it is and not by what it says. */
export const INTERRUPTED = fail('cancelled', 'Interrupted: the work was cancelled.');

/** What a shell reports of a program that Ctrl-C ended: 128 and the number of SIGINT. */
export const INTERRUPTED_STATUS = 130;

export const runInterruptibly = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(INTERRUPTED);
  process.once('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
};
