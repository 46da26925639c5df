// Work of one command that Ctrl-C cancels in an orderly way; the second Ctrl-C ends the process at once.
import { fail } from '../../core/failure.ts';

export const interruptible = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(fail('cancelled', 'Interrupted.'));
  process.once('SIGINT', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
};
