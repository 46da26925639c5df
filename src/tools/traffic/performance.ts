// performance: web vitals of the page, or a trace of its loading with suggestions.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { sleep } from '../../core/time.ts';
import { markPosition, readVitals } from '../../browser/read/validate-page.ts';
import { navigateTo, reload } from '../../browser/tabs/navigate.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import {
  type PerformanceReport,
  renderPerformance,
  type Transfer,
} from '../../render/performance.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** Reserved for the summary if a page does not finish loading. */
const MARGIN_MS = 5000;
const MAX_LARGEST = 3;

const input = () => ({
  action: z
    .enum(['vitals', 'trace'])
    .default('vitals')
    .describe('vitals: of the current page. trace: record it'),
  url: z.string().min(1).max(32_768).optional().describe('trace: open this'),
  reload: z.boolean().default(true).describe('trace: false records without a reload'),
  duration_ms: z
    .number()
    .int()
    .min(0)
    .max(120_000)
    .default(1000)
    .describe('trace: how long, after loading'),
});

type PerformanceInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

const happen = async (
  { url, reload: again, duration_ms }: PerformanceInput,
  { tab, signal, deadline }: TabContext,
): Promise<void> => {
  const wait = {
    until: 'load' as const,
    signal,
    patienceMs: Math.max(deadline.remainingMs - MARGIN_MS - duration_ms, 1000),
  };
  const navigation = url === undefined ? undefined : await navigateTo(tab, url, wait);
  if (navigation?.download)
    throw fail('navigation_failed', 'The URL is a download, not a page.', {
      net_error: 'download',
      retryable: false,
    });
  if (url === undefined && again) await reload(tab, wait);
  await sleep(duration_ms, signal);
};

const transferSince = (tab: Tab, mark: number): Transfer => {
  const requests = tab.traffic.requests.since(mark);
  const bySize = requests.toSorted((a, b) => b.transferredBytes - a.transferredBytes);
  return {
    requests: requests.length,
    bytes: requests.reduce((sum, { transferredBytes }) => sum + transferredBytes, 0),
    largest: bySize
      .slice(0, MAX_LARGEST)
      .map(({ url, transferredBytes: bytes }) => ({ url: url.slice(0, 300), bytes })),
  };
};

const trace = async (given: PerformanceInput, context: TabContext): Promise<PerformanceReport> => {
  const { tab, signal } = context;
  const [{ recordTrace }, { summariseTrace }] = await Promise.all([
    import('../../browser/traffic/trace.ts'),
    import('../../browser/traffic/trace-summary.ts'),
  ]);
  const { requests: mark } = markPosition(tab);
  const { events, dropped } = await recordTrace(tab, () => happen(given, context), signal);
  const summary = summariseTrace(events, tab.frames.main.id);
  if (!summary) throw fail('capture_failed', 'The trace contains no data about this page.');
  return defined({
    url: tab.url,
    vitals: await readVitals(tab, signal),
    trace: summary,
    transfer: transferSince(tab, mark),
    ...compact({ dropped }),
  });
};

export const performance = defineTool({
  name: 'performance',
  description:
    'Speed of the page: web vitals (LCP, FCP, CLS, INP, TTFB) of the current page, or a trace ' +
    'of a reload with main-thread work, long tasks and insights. Use emulate first for a slow ' +
    'CPU or network. For the requests use network.',
  returns: '{url, vitals: {…}, trace?, transfer?}',
  keywords: 'trace profile speed slow lighthouse vitals lcp cpu',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'vitals' ? 'read' : 'act'),
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'blocked',
    timeoutMs: 45_000,
    waitsMs: ({ action, duration_ms }) => (action === 'trace' ? duration_ms : 0),
    urls: ['url'],
    opens: ({ action, url }, here) => (action === 'trace' ? (url ?? here) : undefined),
  },
  input,
  prepare: (given) => {
    if (given.action === 'vitals' && given.url !== undefined)
      throw fail(
        'invalid_argument',
        'Vitals are of the current page: use action "trace" to open another.',
        { argument: 'url' },
      );
    return given;
  },
  examples: [
    {},
    { action: 'trace', url: 'https://example.com' },
    { action: 'trace', reload: false, duration_ms: 5000 },
  ],
  run: async (given, context) => {
    if (given.action === 'trace') return trace(given, context);
    const { tab, signal } = context;
    const report: PerformanceReport = { url: tab.url, vitals: await readVitals(tab, signal) };
    return report;
  },
  render: (report) => renderPerformance(report),
});
