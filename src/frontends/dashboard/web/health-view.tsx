// Budgets and health: tokens and calls, delays and memory of the last hour, as plots and tables.
import { computed, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SampleRow, UsageBucket, WorkerRow } from '../messages.ts';
import { calls, clockOffset, health, newSamples, tasks } from './dashboard-state.ts';
import { Fact, Facts } from './detail-pane.tsx';
import { fetchJson } from './server-requests.ts';
import { formatCounted, formatCount, formatDay, formatMs } from './text-format.ts';
import { type PlotSeries, TimePlot } from './time-plot.tsx';

const HOUR_MS = 60 * 60_000;
const BUCKET_MS = 15_000;
const BUCKETS = HOUR_MS / BUCKET_MS;
const REFRESH_MS = 15_000;
const COLORS = ['--accent', '--good', '--warn', '--bad', '--muted'] as const;

const usage = signal<readonly UsageBucket[]>([]);
const oldSamples = signal<readonly SampleRow[]>([]);
const workers = signal<readonly WorkerRow[]>([]);

interface UsageAnswer {
  readonly samples: readonly SampleRow[];
  readonly usage: readonly UsageBucket[];
  readonly workers: readonly WorkerRow[];
}

const samples = computed(() => {
  const last = oldSamples.value.at(-1)?.ts ?? 0;
  return [...oldSamples.value, ...newSamples.value.filter(({ ts }) => ts > last)];
});

const load = (): void => {
  fetchJson<UsageAnswer>('/dashboard/usage').then(
    (loaded) => {
      workers.value = loaded.workers;
      usage.value = loaded.usage;
      oldSamples.value = loaded.samples;
    },
    () => {}, // the server restarts: the next refresh loads it
  );
};

/** The start of every interval of the last hour, with the counts of those that have calls. */
const intervals = computed(() => {
  const now = Date.now() - clockOffset.value;
  const end = Math.floor(now / BUCKET_MS) * BUCKET_MS;
  const known = new Map(usage.value.map((bucket) => [bucket.ts, bucket]));
  const times = Array.from({ length: BUCKETS }, (_, i) => end - (BUCKETS - 1 - i) * BUCKET_MS);
  return { times, buckets: times.map((time) => known.get(time)) };
});

interface ToolUse {
  readonly tool: string;
  readonly tokens: number;
}

const toolUses = computed((): ToolUse[] => {
  const sums = new Map<string, number>();
  for (const { tokens } of usage.value)
    for (const [tool, count] of Object.entries(tokens))
      sums.set(tool, (sums.get(tool) ?? 0) + count);
  return [...sums].map(([tool, tokens]) => ({ tool, tokens })).sort((a, b) => b.tokens - a.tokens);
});

const describeTask = (id: string): string => {
  const task = tasks.value.find((one) => one.id === id);
  if (!task) return id;
  return task.kind === 'browser_task' ? task.about : `${task.kind} ${task.about}`;
};

/** Tokens of the calls that name a task. */
const taskUses = computed(() => {
  const sums = new Map<string, { calls: number; tokens: number }>();
  for (const { taskId, tokens = 0 } of calls.value) {
    if (taskId === undefined) continue;
    const known = sums.get(taskId) ?? { calls: 0, tokens: 0 };
    sums.set(taskId, { calls: known.calls + 1, tokens: known.tokens + tokens });
  }
  return [...sums].map(([id, use]) => ({
    id,
    ...use,
    about: describeTask(id),
  }));
});

const tokenSeries = computed((): PlotSeries[] =>
  toolUses.value.slice(0, 4).map(({ tool }, index) => ({
    label: tool,
    color: COLORS[index] ?? '--muted',
    values: intervals.value.buckets.map((bucket) => bucket?.tokens[tool] ?? 0),
  })),
);

const total = (read: (bucket: UsageBucket) => number): number =>
  usage.value.reduce((sum, bucket) => sum + read(bucket), 0);

const UseTable = (): VNode => {
  const most = toolUses.value[0]?.tokens ?? 1;
  return (
    <section class="panel">
      <h2>Tokens per tool</h2>
      {toolUses.value.length === 0 ? (
        <p class="hint">No calls in the last hour.</p>
      ) : (
        <ul class="uses">
          {toolUses.value.slice(0, 12).map(({ tool, tokens }) => (
            <li key={tool}>
              <span class="use-name">{tool}</span>
              <span class="bar" aria-hidden="true">
                <span
                  class="bar-fill bar-busy"
                  style={{ width: `${(tokens / Math.max(1, most)) * 100}%` }}
                />
              </span>
              <span class="cell-number">{formatCount(tokens)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const TaskTable = (): VNode => (
  <section class="panel">
    <h2>Tokens per task</h2>
    {taskUses.value.length === 0 ? (
      <p class="hint">No call of the last hour belongs to a task.</p>
    ) : (
      <ul class="uses">
        {taskUses.value.slice(0, 12).map(({ id, calls: count, tokens, about }) => (
          <li key={id}>
            <a class="use-name" href={`#/tasks/${id}`}>
              {about}
            </a>
            <span class="cell-number">{formatCounted(count, 'call')}</span>
            <span class="cell-number">{formatCount(tokens)}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
);

/** The processes of the cluster; nothing on one machine. */
const WorkerTable = (): VNode | null => {
  if (workers.value.length === 0) return null;
  return (
    <section class="panel">
      <h2>Workers</h2>
      <ul class="uses">
        {workers.value.map(({ id, role, host, pid, slots, visits, pages, tasks: led }) => (
          <li key={id}>
            <span class="use-name">
              {role} {id} on {host} ({pid})
            </span>
            <span class="cell-number">
              {role === 'worker' ? `${visits} of ${slots} pages` : 'no pages'}
            </span>
            <span class="cell-number">{formatCount(pages)} loaded</span>
            <span>
              {led.map((task) => (
                <a key={task} href={`#/tasks/${task}`}>
                  {task}
                </a>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};

const ServerFacts = (): VNode | null => {
  const row = health.value;
  if (!row) return null;
  return (
    <section class="panel">
      <h2>Server and Chrome</h2>
      <Facts>
        <Fact name="Chrome">
          {row.product ?? (row.chrome === 'starting' ? 'starting' : 'not running')}
        </Fact>
        <Fact name="Starts of Chrome">{row.starts}</Fact>
        <Fact name="Last exit">{row.lastExit ?? ''}</Fact>
        <Fact name="Server up">{formatMs(Date.now() - clockOffset.value - row.startedAt)}</Fact>
        <Fact name="Process id">{row.pid}</Fact>
        <Fact name="Since">{formatDay(row.startedAt)}</Fact>
      </Facts>
      <Facts>
        <Fact name="Domain guard">{row.guard ?? ''}</Fact>
      </Facts>
    </section>
  );
};

const Tile = ({
  name,
  value,
  tone = '',
}: {
  readonly name: string;
  readonly value: string;
  readonly tone?: string;
}): VNode => (
  <div class="tile">
    <dt>{name}</dt>
    <dd class={tone}>{value}</dd>
  </div>
);

const Plots = (): VNode => {
  const { times, buckets } = intervals.value;
  const perSecond = (name: 'calls' | 'failed' | 'refused'): number[] =>
    buckets.map((bucket) => (bucket?.[name] ?? 0) / (BUCKET_MS / 1_000));
  const sampled = samples.value.map(({ ts }) => ts);
  const memory: PlotSeries[] = [
    { label: 'Server', color: '--accent', values: samples.value.map(({ serverMb }) => serverMb) },
    {
      label: 'Chrome',
      color: '--good',
      values: samples.value.map(({ chromeMb }) => chromeMb ?? null),
    },
  ];
  const delays = samples.value.map(({ delayMs }) => delayMs);
  return (
    <div class="plots">
      <TimePlot
        title="Calls per second"
        unit=""
        times={times}
        series={[
          { label: 'Calls', color: '--accent', values: perSecond('calls') },
          { label: 'Failed', color: '--bad', values: perSecond('failed') },
          { label: 'Guard rejections', color: '--warn', values: perSecond('refused') },
        ]}
        summary={`${formatCount(total(({ calls: n }) => n))} calls in the last hour, ${formatCount(
          total(({ failed }) => failed),
        )} failed, ${formatCount(total(({ refused }) => refused))} rejected by the guard`}
      />
      <TimePlot
        title="Tokens per tool"
        unit=""
        times={times}
        series={tokenSeries.value}
        summary={`Tokens of ${tokenSeries.value.map(({ label }) => label).join(', ')}`}
      />
      <TimePlot
        title="Memory"
        unit=" MB"
        times={sampled}
        series={memory}
        summary={`Server ${samples.value.at(-1)?.serverMb ?? 0} MB, Chrome ${samples.value.at(-1)?.chromeMb ?? 0} MB`}
      />
      <TimePlot
        title="Longest delay of the event loop"
        unit=" ms"
        times={sampled}
        series={[{ label: 'Delay', color: '--warn', values: delays }]}
        summary={`At most ${Math.max(0, ...delays)} ms`}
      />
    </div>
  );
};

export const HealthView = (): VNode => {
  useEffect(() => {
    load();
    const timer = setInterval(load, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const counted = total(({ calls: n }) => n);
  const failed = total(({ failed: n }) => n);
  const refused = total(({ refused: n }) => n);
  const tokens = toolUses.value.reduce((sum, use) => sum + use.tokens, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="The last hour">
      <dl class="tiles">
        <Tile name="Calls, last hour" value={formatCount(counted)} />
        <Tile name="Failed" value={formatCount(failed)} tone={failed > 0 ? 'tone-bad' : ''} />
        <Tile name="Tokens, last hour" value={formatCount(tokens)} />
        <Tile
          name="Guard rejections"
          value={formatCount(refused)}
          tone={refused > 0 ? 'tone-warn' : ''}
        />
      </dl>
      <Plots />
      <div class="panels">
        <UseTable />
        <TaskTable />
        <WorkerTable />
        <ServerFacts />
      </div>
    </div>
  );
};
