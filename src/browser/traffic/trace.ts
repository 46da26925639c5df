// Records a Chrome trace of a tab, limited to the events that the summary needs.
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import type { CdpSession, EventParams } from '../cdp/connection.ts';
import { CdpError } from '../cdp/errors.ts';
import type { Tab } from '../tabs/tab.ts';
import type { TraceEvent } from './trace-summary.ts';

const CATEGORIES = [
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'blink.user_timing',
  'loading',
  'v8.execute',
];
/** Further events are only counted, to limit the memory. */
const MAX_EVENTS = 400_000;
/** How long to wait for Chrome to deliver the trace. */
const END_MS = 15_000;

export interface Trace {
  readonly events: readonly TraceEvent[];
  /** Number of events above the limit. */
  readonly dropped: number;
}

export const recordTrace = async (
  tab: Tab,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<Trace> => {
  const { cdp } = tab;
  const events: TraceEvent[] = [];
  let dropped = 0;
  const keep = ({ value }: EventParams<'Tracing.dataCollected'>): void => {
    for (const event of value as TraceEvent[]) {
      if (!isOfUse(event)) continue;
      if (events.length < MAX_EVENTS) events.push(event);
      else dropped++;
    }
  };
  const off = cdp.on('Tracing.dataCollected', keep);
  try {
    await start(cdp, signal);
    try {
      await work();
    } finally {
      await end(cdp);
    }
  } finally {
    off();
  }
  return { events, dropped };
};

const start = async (cdp: CdpSession, signal: AbortSignal): Promise<void> => {
  const traceConfig = {
    recordMode: 'recordContinuously' as const,
    excludedCategories: ['*'],
    includedCategories: CATEGORIES,
  };
  await cdp
    .send('Tracing.start', { transferMode: 'ReportEvents', traceConfig }, signal)
    .catch((error: unknown) => {
      if (!(error instanceof CdpError)) throw error;
      throw fail(
        'capture_failed',
        'Chrome is already recording a trace for another client.',
        { hint: 'Call again when that trace has ended.' },
        error,
      );
    });
};

/**
 * Also runs if the call was aborted: Chrome records one trace at a time and would continue this
 * one.
 */
const end = async (cdp: CdpSession): Promise<void> => {
  using limit = new Deadline(END_MS, () =>
    fail('capture_failed', `Chrome did not return its trace within ${END_MS / 1000} s.`),
  );
  const complete = cdp.next('Tracing.tracingComplete', limit.signal);
  complete.catch(() => {}); // the command itself reports the failure
  await cdp.send('Tracing.end', undefined, limit.signal);
  await complete;
};

/** Spans with a duration, and the marks that the summary needs. */
const isOfUse = ({ ph, name, dur = 0 }: TraceEvent): boolean =>
  ph === 'X' ? dur > 0 : MARKS.has(name);

const MARKS = new Set([
  'thread_name',
  'TracingStartedInBrowser',
  'FrameCommittedInBrowser',
  'navigationStart',
  'ResourceSendRequest',
  'ResourceFinish',
  'LargestImagePaint::Candidate',
  'largestContentfulPaint::Candidate',
  'firstContentfulPaint',
]);
