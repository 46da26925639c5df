// Web vitals of the page so far, from Chrome's buffered performance entries.
import { defined, ifDefined, valueIf } from '../objects.ts';
import { shortLabel } from '../css/visibility.ts';
import type { Vitals } from '../read-answers.ts';
import { implement } from '../page-functions.ts';

interface LargestPaint extends PerformanceEntry {
  readonly element?: Element | null;
  readonly renderTime: number;
  readonly loadTime: number;
}

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

interface InputEvent extends PerformanceEntry {
  readonly interactionId: number;
}

/** CLS session window: gaps of at most 1 s, at most 5 s in total. The worst window counts. */
const SESSION_GAP_MS = 1000;
const SESSION_MS = 5000;
const MIN_EVENT_MS = 16;

/** Reads the buffered entries synchronously with takeRecords(). */
const readBuffered = <T extends PerformanceEntry>(type: string): T[] => {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return [];
  const observer = new PerformanceObserver(() => {});
  observer.observe(
    defined({
      type,
      buffered: true,
      durationThreshold: valueIf(type === 'event', MIN_EVENT_MS),
    }),
  );
  const entries = observer.takeRecords() as T[];
  observer.disconnect();
  return entries;
};

const worstShifts = (shifts: readonly LayoutShift[]): number => {
  let worst = 0;
  let sum = 0;
  let first = 0;
  let last = 0;
  for (const { value, startTime, hadRecentInput } of shifts) {
    if (hadRecentInput) continue;
    if (sum === 0 || startTime - last > SESSION_GAP_MS || startTime - first > SESSION_MS) {
      sum = 0;
      first = startTime;
    }
    last = startTime;
    sum += value;
    worst = Math.max(worst, sum);
  }
  return worst;
};

/** The slowest interaction (INP). Ignores one outlier per 50 interactions. */
const slowestInteraction = (events: readonly InputEvent[]): number | undefined => {
  const byInteraction = new Map<number, number>();
  for (const { interactionId, duration } of events)
    if (interactionId)
      byInteraction.set(interactionId, Math.max(duration, byInteraction.get(interactionId) ?? 0));
  const durations = [...byInteraction.values()].sort((a, b) => b - a);
  return durations[Math.floor(durations.length / 50)];
};

export const readVitals = (): Vitals => {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const largest = readBuffered<LargestPaint>('largest-contentful-paint').at(-1);
  const first = readBuffered<PerformanceEntry>('paint').find(
    ({ name }) => name === 'first-contentful-paint',
  );
  const inp = slowestInteraction([
    ...readBuffered<InputEvent>('first-input'),
    ...readBuffered<InputEvent>('event'),
  ]);
  const cls = worstShifts(readBuffered<LayoutShift>('layout-shift'));
  return defined({
    lcp_ms: ifDefined(largest, (largest) => Math.round(largest.startTime)),
    lcp_element: largest?.element ? shortLabel(largest.element) : undefined,
    cls: Math.round(cls * 1000) / 1000,
    inp_ms: ifDefined(inp, Math.round),
    fcp_ms: ifDefined(first, (first) => Math.round(first.startTime)),
    ttfb_ms:
      navigation && navigation.responseStart > 0 ? Math.round(navigation.responseStart) : undefined,
    load_ms:
      navigation && navigation.loadEventEnd > 0 ? Math.round(navigation.loadEventEnd) : undefined,
  });
};

export const functions = implement('vitals', { read: readVitals });
