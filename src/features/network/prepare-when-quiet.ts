// Prepares requests for storing when the traffic of a session pauses, so that listings are fast.
import type { WorkspaceTraffic } from '../../browser/traffic/workspace-traffic.ts';
import { Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { after, monotonicMs } from '../../core/time.ts';

/** Longer than the pauses between the requests of a page that loads. */
const QUIET_MS = 200;
/** A listing builds the forms of fewer requests in about 2 ms. */
const MIN_REQUESTS = 20;

interface QuietWork {
  readonly redactor: Redactor;
  /** Runs once, after the first preparation. */
  readonly rehearse?: (() => Promise<void>) | undefined;
}

export const prepareWhenQuiet = (traffic: WorkspaceTraffic, work: QuietWork): void => {
  let [endedCount, lastEndAt] = [0, 0];
  let timer: Disposable | undefined;
  let { rehearse } = work;
  const checkPause = (): void => {
    const pauseMs = monotonicMs() - lastEndAt;
    timer = pauseMs < QUIET_MS ? after(QUIET_MS - pauseMs, checkPause) : undefined;
    if (timer) return;
    endedCount = 0;
    void prepare(traffic, { ...work, rehearse });
    rehearse = undefined;
  };
  traffic.events.on('changed', ({ record }) => {
    if (!record.ended) return;
    lastEndAt = monotonicMs();
    if (++endedCount >= MIN_REQUESTS) timer ??= after(QUIET_MS, checkPause);
  });
};

const prepare = async (
  traffic: WorkspaceTraffic,
  { redactor, rehearse }: QuietWork,
): Promise<void> => {
  const [{ prepareStoredRequests }] = await Promise.all([
    import('./stored-requests.ts'),
    import('./request-listing.ts'), // the next listing needs it
  ]);
  try {
    await prepareStoredRequests(traffic, redactor, new AbortController().signal);
    await rehearse?.();
  } catch (error) {
    // the engine has stopped, or the threads are overloaded: a listing builds the forms itself
    if (!(error instanceof Failure)) throw error;
  }
};
