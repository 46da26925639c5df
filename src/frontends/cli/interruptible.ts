// Cancels the work of a command on Ctrl-C, SIGTERM or a closed terminal; a second signal ends the
// process at once.
import { fail } from '../../core/failure.ts';

/** The abort reason of an interrupted command; compared by identity, not by message. */
export const INTERRUPTED = fail('cancelled', 'Interrupted: the work was cancelled.');

/** The exit status after Ctrl-C: 128 plus the number of SIGINT. */
export const INTERRUPTED_STATUS = 130;

const SIGNAL_NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const runInterruptibly = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(INTERRUPTED);
  for (const name of SIGNAL_NAMES) process.once(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNAL_NAMES) process.removeListener(name, interrupt);
  }
};
