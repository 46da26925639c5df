// Records what Chrome does for a tab while something happens, keeping only the events that a
// summary is made of.
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
/**
 * A page that is busy for minutes must not fill the memory: what comes later is counted, not kept.
 */
const MAX_EVENTS = 400_000;
/** How long Chrome may take to hand over what it has. */
const END_MS = 15_000;

export interface Trace {
  readonly events: readonly TraceEvent[];
  /** Events that there was no room for. */
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
        'Chrome is recording a trace for somebody else.',
        { hint: 'Call again when that has ended.' },
        error,
      );
    });
};

/**
 * Also when the call was aborted: Chrome records one trace at a time, and would go on with this
 * one.
 */
const end = async (cdp: CdpSession): Promise<void> => {
  using limit = new Deadline(END_MS, () =>
    fail('capture_failed', `Chrome did not hand over its trace within ${END_MS / 1000} s.`),
  );
  const complete = cdp.next('Tracing.tracingComplete', limit.signal);
  complete.catch(() => {}); // told by the command itself, where it fails
  await cdp.send('Tracing.end', undefined, limit.signal);
  await complete;
};

/** Spans, and the few marks that say where and when. */
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
