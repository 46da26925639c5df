// Prometheus metrics: calls, their outcomes and durations, and the event loop delay.
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { addCount, getOrCreate, listIf } from '../../../core/collections.ts';
import { monotonicMs } from '../../../core/time.ts';
import type { Engine } from '../../../pipeline/engine.ts';
import type { ClusterMember } from '../../../store/cluster/cluster-store.ts';

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

interface Durations {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export interface Metrics {
  /** Wraps `call` to count each call. */
  counted(call: Engine['call']): Engine['call'];
  /** `gauges`: values from the server, by name. `members`: the processes of the cluster. */
  render(gauges: Readonly<Record<string, number>>, members?: readonly ClusterMember[]): string;
}

export const createMetrics = (tools: Engine['tools']): Metrics => {
  const names = new Set(tools.map((tool) => tool.name));
  const outcomes = new Map<string, number>();
  const durations = new Map<string, Durations>();
  let running = 0;
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();

  return {
    counted: (call) => async (request) => {
      const startedAt = monotonicMs();
      // An unknown name comes from the client: as a label it would grow without bound.
      const tool = names.has(request.name) ? request.name : 'unknown';
      running++;
      try {
        const reply = await call(request);
        addCount(outcomes, labels({ tool, outcome: reply.failure?.code ?? 'ok' }));
        return reply;
      } finally {
        running--;
        observe(durations, tool, (monotonicMs() - startedAt) / 1000);
      }
    },
    render: (gauges, members = []) =>
      [
        ...block('openchrome_calls_total', 'counter', 'Calls by tool and outcome.', [...outcomes]),
        ...histogram(
          'openchrome_call_duration_seconds',
          'Time from a call to its reply.',
          durations,
        ),
        ...Object.entries({
          openchrome_calls_running: running,
          ...gauges,
          ...eventLoopGauges(delays),
          ...processGauges(),
        }).flatMap(([name, value]) => block(name, 'gauge', '', [['', value]])),
        ...listIf(members.length > 0, ...describeMembers(members)),
        '',
      ].join('\n'),
  };
};

/** The load and the work of each process of the cluster, as of its last heartbeat. */
const describeMembers = (members: readonly ClusterMember[]): string[] => {
  const list = (read: (member: ClusterMember) => number): (readonly [string, number])[] =>
    members.map((member) => [
      labels({
        worker: member.id,
        role: member.role,
        machine: member.host.replace(/[^\w.-]/g, '_'),
        pid: member.pid,
      }),
      read(member),
    ]);
  return [
    ...block(
      'openchrome_worker_pages_total',
      'counter',
      'Loaded pages.',
      list((m) => m.pages),
    ),
    ...block(
      'openchrome_worker_errors_total',
      'counter',
      'Failed pages.',
      list((m) => m.errors),
    ),
    ...block(
      'openchrome_worker_visits',
      'gauge',
      'Pages being loaded.',
      list((m) => m.visits),
    ),
    ...block(
      'openchrome_worker_slots',
      'gauge',
      'Pages at a time.',
      list((m) => m.slots),
    ),
    ...block(
      'openchrome_worker_tasks',
      'gauge',
      'Led tasks.',
      list((m) => m.tasks.length),
    ),
    ...block(
      'openchrome_worker_memory_bytes',
      'gauge',
      'Memory.',
      list((m) => m.rssBytes),
    ),
  ];
};

const observe = (durations: Map<string, Durations>, tool: string, seconds: number): void => {
  const entry = getOrCreate(durations, tool, () => ({
    buckets: BUCKETS_S.map(() => 0),
    sum: 0,
    count: 0,
  }));
  for (const [index, limit] of BUCKETS_S.entries())
    if (seconds <= limit) entry.buckets[index] = (entry.buckets[index] ?? 0) + 1;
  entry.sum += seconds;
  entry.count++;
};

/** Tool names and failure codes need no escaping: they are constants of this program. */
const labels = (pairs: Readonly<Record<string, string | number>>): string =>
  `{${Object.entries(pairs)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;

const block = (
  name: string,
  type: string,
  help: string,
  samples: readonly (readonly [string, number])[],
): string[] => [
  ...listIf(help !== '', `# HELP ${name} ${help}`),
  `# TYPE ${name} ${type}`,
  ...samples.map(([label, value]) => `${name}${label} ${value}`),
];

const histogram = (
  name: string,
  help: string,
  durations: ReadonlyMap<string, Durations>,
): string[] => {
  const samples = [...durations].flatMap(([tool, { buckets, sum, count }]) => [
    ...BUCKETS_S.map((le, index) => `${name}_bucket${labels({ tool, le })} ${buckets[index]}`),
    `${name}_bucket${labels({ tool, le: '+Inf' })} ${count}`,
    `${name}_sum${labels({ tool })} ${sum}`,
    `${name}_count${labels({ tool })} ${count}`,
  ]);
  return [...block(name, 'histogram', help, []), ...samples];
};

/** Sampling interval of the delay. */
const DELAY_RESOLUTION_MS = 20;

/** Delays since the last scrape, with the metric names that other Node servers use. */
const eventLoopGauges = (delays: IntervalHistogram): Record<string, number> => {
  // A sample is the time between two timer ticks; without samples the mean is NaN.
  const seconds = (ns: number): number => Math.max(0, (ns || 0) / 1e9 - DELAY_RESOLUTION_MS / 1000);
  const gauges = {
    nodejs_eventloop_lag_mean_seconds: seconds(delays.mean),
    nodejs_eventloop_lag_p50_seconds: seconds(delays.percentile(50)),
    nodejs_eventloop_lag_p99_seconds: seconds(delays.percentile(99)),
    nodejs_eventloop_lag_max_seconds: delays.count === 0 ? 0 : seconds(delays.max),
  };
  delays.reset();
  return gauges;
};

const processGauges = (): Record<string, number> => {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    process_resident_memory_bytes: rss,
    nodejs_heap_used_bytes: heapUsed,
    process_uptime_seconds: process.uptime(),
  };
};
