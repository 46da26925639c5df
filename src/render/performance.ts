// Renders a performance report: vitals with ratings, main thread work and suggestions.

import { listDefined, listIf } from '../core/collections.ts';
import { ifDefined } from '../core/defined.ts';
import { canParseUrl, textIf } from '../core/text.ts';

interface VitalsData {
  readonly lcp_ms?: number;
  readonly lcp_element?: string;
  readonly cls?: number;
  readonly inp_ms?: number;
  readonly fcp_ms?: number;
  readonly ttfb_ms?: number;
  readonly load_ms?: number;
}

interface Summary {
  readonly recordedMs: number;
  readonly busyMs: number;
  readonly byActivity: Readonly<Record<string, number>>;
  readonly longTasks: {
    readonly count: number;
    readonly blockingMs: number;
    readonly longest: readonly {
      readonly atMs: number;
      readonly durationMs: number;
      readonly script?: string;
    }[];
  };
  readonly scripts: readonly { readonly url: string; readonly durationMs: number }[];
  readonly forcedLayouts?: {
    readonly count: number;
    readonly durationMs: number;
    readonly script?: string;
  };
  readonly renderBlocking: readonly { readonly url: string; readonly durationMs?: number }[];
  readonly lcpImage?: {
    readonly url: string;
    readonly requestedAtMs?: number;
    readonly loadedAtMs?: number;
  };
}

export interface Transfer {
  readonly requests: number;
  readonly bytes: number;
  readonly largest: readonly { readonly url: string; readonly bytes: number }[];
}

export interface PerformanceReport {
  readonly url: string;
  readonly vitals: VitalsData;
  readonly trace?: Summary;
  readonly transfer?: Transfer;
  /** Trace events that were dropped because the buffer was full. */
  readonly dropped?: number;
}

type Measure = 'lcp_ms' | 'fcp_ms' | 'cls' | 'inp_ms' | 'ttfb_ms';

/** Limits of Core Web Vitals: good up to the first value, poor above the second. */
const LIMITS: Readonly<Record<Measure, readonly [good: number, poor: number]>> = {
  lcp_ms: [2500, 4000],
  fcp_ms: [1800, 3000],
  cls: [0.1, 0.25],
  inp_ms: [200, 500],
  ttfb_ms: [800, 1800],
};

const ORDER: readonly Measure[] = ['lcp_ms', 'fcp_ms', 'cls', 'inp_ms', 'ttfb_ms'];

const verdict = (measure: Measure, value: number): string => {
  const [good, poor] = LIMITS[measure];
  if (value <= good) return 'good';
  return value <= poor ? 'needs improvement' : 'poor';
};

const MAX_ADDRESS = 100;
const shortAddress = (url: string, page: string): string => {
  const origin = canParseUrl(page) ? new URL(page).origin : '';
  const own = origin !== '' && url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
  return own.length > MAX_ADDRESS ? `${own.slice(0, MAX_ADDRESS)}…` : own;
};

const kilobytes = (bytes: number): string =>
  `${Math.round(bytes / 1024).toLocaleString('en-US')} kB`;

export const renderPerformance = (report: PerformanceReport): string => {
  const { vitals, trace, transfer, url, dropped } = report;
  const insights = findInsights(report);
  return [
    renderVitals(vitals),
    ...(trace ? renderThread(trace, url) : []),
    ...listDefined(ifDefined(transfer, renderTransfer)),
    ...renderInsights(insights, trace !== undefined),
    ...listIf(dropped, `${dropped} events of the trace were dropped: record a shorter time`),
  ].join('\n');
};

const renderTransfer = ({ requests, bytes }: NonNullable<PerformanceReport['transfer']>): string =>
  `transfer: ${requests} request${textIf(requests !== 1, 's')}, ${kilobytes(bytes)}`;

const renderInsights = (insights: readonly string[], hasTrace: boolean): string[] => {
  if (insights.length > 0) return ['insights:', ...insights.map((line) => `- ${line}`)];
  return listIf(hasTrace, 'insights: none');
};

const renderVitals = (vitals: VitalsData): string => {
  const parts = ORDER.map((measure) => {
    const value = vitals[measure];
    const name = measure.replace('_ms', '').toUpperCase();
    if (value === undefined) return `${name} unknown`;
    const of = textIf(measure === 'lcp_ms' && vitals.lcp_element, ` ${vitals.lcp_element}`);
    return `${name} ${value}${textIf(measure !== 'cls', ' ms')} (${verdict(measure, value)})${of}`;
  });
  return [...parts, ...listIf(vitals.load_ms !== undefined, `load ${vitals.load_ms} ms`)].join(
    ', ',
  );
};

const renderThread = (
  { recordedMs, busyMs, byActivity, longTasks }: Summary,
  page: string,
): string[] => {
  const activities = Object.entries(byActivity)
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name} ${ms}`);
  const blocking = textIf(longTasks.count, `, blocking ${longTasks.blockingMs} ms`);
  return [
    `main thread: busy ${busyMs} of ${recordedMs} ms (${activities.join(', ')})`,
    `long tasks: ${longTasks.count}${blocking}`,
    ...longTasks.longest.map(
      ({ atMs, durationMs, script = '' }) =>
        `  at ${atMs} ms: ${durationMs} ms${textIf(script, ` ${shortAddress(script, page)}`)}`,
    ),
  ];
};

const SLOW_SCRIPT_MS = 100;
const MUCH_LAYOUT_MS = 30;
const LATE_IMAGE_MS = 500;
const LARGE_BYTES = 500 * 1024;

/** Suggestions, the most likely first. */
const findInsights = ({ vitals, trace, transfer, url }: PerformanceReport): string[] => {
  const at = (address: string): string => shortAddress(address, url);
  const out: string[] = [];
  if (vitals.ttfb_ms !== undefined && vitals.ttfb_ms > LIMITS.ttfb_ms[0])
    out.push(`the server took ${vitals.ttfb_ms} ms for the document`);
  if (!trace) return out;
  const { renderBlocking, lcpImage, forcedLayouts, scripts } = trace;
  if (renderBlocking.length > 0) {
    const named = renderBlocking
      .slice(0, 5)
      .map(
        ({ url: blocking, durationMs }) =>
          `${at(blocking)}${textIf(durationMs !== undefined, ` (${durationMs} ms)`)}`,
      );
    const subject =
      renderBlocking.length === 1 ? '1 request blocks' : `${renderBlocking.length} requests block`;
    out.push(`${subject} the first paint: ${named.join(', ')}`);
  }
  const late = (lcpImage?.requestedAtMs ?? 0) - (vitals.ttfb_ms ?? 0);
  if (lcpImage && late > LATE_IMAGE_MS)
    out.push(
      `the largest image ${at(lcpImage.url)} was requested ${late} ms after the document ` +
        'response: preload it',
    );
  if (vitals.cls !== undefined && vitals.cls > LIMITS.cls[0])
    out.push(
      `content moves while loading (${vitals.cls}): set the size of images and late content`,
    );
  for (const { url: script, durationMs } of scripts
    .filter((one) => one.durationMs >= SLOW_SCRIPT_MS)
    .slice(0, 3))
    out.push(`${at(script)} ran for ${durationMs} ms`);
  if (forcedLayouts && forcedLayouts.durationMs >= MUCH_LAYOUT_MS) {
    const { count, durationMs, script = '' } = forcedLayouts;
    const where = textIf(script, `, most in ${at(script)}`);
    out.push(`${count} layouts forced by scripts took ${durationMs} ms${where}`);
  }
  for (const { url: large, bytes } of transfer?.largest ?? [])
    if (bytes >= LARGE_BYTES) out.push(`${at(large)} is large: ${kilobytes(bytes)}`);
  return out;
};
