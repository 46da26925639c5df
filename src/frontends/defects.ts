// Unhandled errors: the first one ends this process, because its state is unknown. Errors of event
// listeners are only logged.
import { ListenerError } from '../core/events.ts';
import { fail, type Failure } from '../core/failure.ts';
import type { Log } from '../core/log.ts';
import { sleep } from '../core/time.ts';

/** How long an orderly shutdown may take after such an error; then the process exits. */
const END_MS = 15_000;

export interface DefectWatch {
  /** Aborts at the first unhandled error; its reason is the failure for every pending call. */
  readonly signal: AbortSignal;
  /**
   * Ends the watch: for a process that has stopped its engine and only supervises its successor.
   */
  release(): void;
}

export const watchDefects = (log: Pick<Log, 'defect'>): DefectWatch => {
  const crash = new AbortController();
  const released = new AbortController();
  const onDefect = (error: unknown): void => {
    const logId = log.defect(error instanceof ListenerError ? error.cause : error);
    if (error instanceof ListenerError) return;
    if (crash.signal.aborted) return;
    void exitUnlessReleased(released.signal);
    crash.abort(engineCrashed(logId));
  };
  const ignore = (): void => {};
  process.on('uncaughtException', onDefect);
  process.on('unhandledRejection', onDefect);
  process.stderr.on('error', ignore); // a client that closed our stderr is not a defect
  return {
    signal: crash.signal,
    release: () => {
      released.abort();
      process.off('uncaughtException', onDefect);
      process.off('unhandledRejection', onDefect);
    },
  };
};

const exitUnlessReleased = async (released: AbortSignal): Promise<void> => {
  const inTime = await sleep(END_MS, released).catch(() => true);
  if (!inTime) process.exit(1);
};

const engineCrashed = (logId: string): Failure =>
  fail('engine_stopped', 'The engine had an unexpected error and is restarting.', {
    hint:
      'Its tabs are lost. An interrupted action may have been performed: check before you ' +
      'repeat it.',
    retryable: false,
    log_id: logId,
  });
